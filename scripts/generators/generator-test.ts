// Defines what a test of a generator is.

import type { Command, Workspace } from './workspace.ts'

/** A generator, and how to build a program with its client. */
export interface GeneratorTest {
  /** Unique name. The program of the test is in `test/generators/NAME`. */
  readonly name: string
  /** Version of the generator, which is pinned. */
  readonly version: string
  /** Programs and files that the machine must have. */
  readonly needs: readonly string[]
  /**
   * Installs the generator, generates a client, and compiles the program. Returns the command that reads all orders of
   * a store. Its environment has `BASE_URL` and `STORE_EXPORT_KEY`. The last line of its output is an `OrdersRead` as
   * JSON.
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
