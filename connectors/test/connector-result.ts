// Defines the result of a connector's test.

import type { Differences } from './compare.ts'

/** What a test measured with one tool. */
export interface ConnectorResult {
  readonly tool: string
  /** Names and versions of the installed packages. */
  readonly version: string
  /** Transactions that wrote to the store during the runs. */
  readonly transactions: number
  readonly differences: Differences
}
