// Sends statements without values as one text, in the simple protocol. The client drops their results.

import type { Cell } from './cell.ts'
import type { PostgresError } from './errors.ts'
import { Exchange, outOfOrder } from './exchange.ts'
import { SERVER } from './message-reader.ts'

/** Types of messages that a script can cause and whose content doesn't matter. */
const IGNORED: ReadonlySet<number> = new Set([
  SERVER.commandComplete,
  SERVER.dataRow,
  SERVER.emptyQueryResponse,
  SERVER.rowDescription,
])

/**
 * The exchange of a script. `done` rejects with the first error of a statement, after which the server skips the
 * remaining statements.
 */
export class Script extends Exchange {
  #error: PostgresError | null = null

  receive(type: number, _body: Cell): boolean {
    if (type !== SERVER.readyForQuery) {
      if (!IGNORED.has(type)) throw outOfOrder(type)
      return false
    }
    if (this.#error === null) this.settle.resolve()
    else this.settle.reject(this.#error)
    return true
  }

  refuse(error: PostgresError): boolean {
    this.#error ??= error
    return error.isFatal
  }
}
