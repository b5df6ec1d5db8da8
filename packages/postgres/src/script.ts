// Statements without values and without results, sent as one text in the simple protocol.

import type { Cell } from './cell.ts'
import type { PostgresError } from './errors.ts'
import { type Exchange, outOfOrder } from './exchange.ts'
import { SERVER } from './message-reader.ts'

/** Messages that a script may cause and whose content does not matter. */
const IGNORED: ReadonlySet<number> = new Set([
  SERVER.commandComplete,
  SERVER.copyData,
  SERVER.copyDone,
  SERVER.copyOutResponse,
  SERVER.dataRow,
  SERVER.emptyQueryResponse,
  SERVER.rowDescription,
])

/** The exchange of a script. */
export class Script implements Exchange {
  /** Rejects with the first error. The server skips the statements after it. */
  readonly done: Promise<void>
  readonly #settle = Promise.withResolvers<void>()
  #error: Error | null = null

  constructor() {
    this.done = this.#settle.promise
  }

  receive(type: number, _body: Cell): boolean {
    if (type !== SERVER.readyForQuery) {
      if (!IGNORED.has(type)) throw outOfOrder(type)
      return false
    }
    if (this.#error === null) this.#settle.resolve()
    else this.#settle.reject(this.#error)
    return true
  }

  refuse(error: PostgresError): boolean {
    this.fail(error)
    return error.isFatal
  }

  /** Notes the error with which `done` rejects when the server is ready. */
  fail(error: Error): void {
    this.#error ??= error
  }

  /** Whether there is an error. */
  get hasFailed(): boolean {
    return this.#error !== null
  }

  abandon(error: Error): void {
    this.fail(error)
    this.#settle.reject(error)
  }
}
