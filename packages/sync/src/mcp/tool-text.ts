// Types that the texts of all tools share.

import type { Query, QueryResponse } from './query-process.ts'

/** The results of statements that ran without an error. */
export type Reading = Exclude<QueryResponse, { readonly error: string }>

export interface ToolText {
  readonly text: string
  readonly reading: Reading
}

/**
 * Runs statements on one snapshot of the copy. Throws `ToolError` if one fails, and the errors of `QueryRunner.run`.
 */
export type ReadCopy = (queries: readonly Query[]) => Promise<Reading>

/** Thrown if a call fails because of its arguments or its statement. The assistant sees the message. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}
