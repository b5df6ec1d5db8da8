// Statements without values and without results, sent as one text in the simple protocol.

import type { Cell } from './cell.ts'
import type { PostgresError } from './errors.ts'
import { Exchange, outOfOrder } from './exchange.ts'
import { SERVER } from './message-reader.ts'

/** Messages that a script may cause and whose content does not matter. */
const IGNORED: ReadonlySet<number> = new Set([
  SERVER.commandComplete,
  SERVER.dataRow,
  SERVER.emptyQueryResponse,
  SERVER.rowDescription,
])

/** The exchange of a script. It rejects with the first error, after which the server skips the other statements. */
export class Script extends Exchange {
  /** The error with which the exchange rejects when the server is ready. */
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
