// Defines the test of a generator. It builds a program that reads all orders of a demo store with a generated client.

import type { Command, Workspace } from './workspace.ts'

/** A generator, and how to build a program with its client. */
export interface GeneratorTest {
  /** Unique name. The program of the test is in `test/generators/NAME`, except for the guide. */
  readonly name: string
  /** Version of the generator, which is pinned. */
  readonly version: string
  /** Programs and files that the machine must have. */
  readonly needs: readonly string[]
  /**
   * Installs the generator, generates a client, and compiles the program, as far as the generator needs these steps.
   * Returns the command that reads all orders of a store. The caller adds `BASE_URL` and `STORE_EXPORT_KEY` to its
   * environment. The last line of its output must be an `OrdersRead` as JSON.
   */
  readonly build: (workspace: Workspace) => Promise<Command>
}

/** The result of a program. */
export interface OrdersRead {
  /** Number of different order IDs. */
  readonly orders: number
  /** Number of waits after a 429, if the program counts them. */
  readonly waits?: number
  /** Number of orders whose `customer_id` is null. A client that loses null reports a smaller number. */
  readonly guests: number
}
