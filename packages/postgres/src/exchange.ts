// Declares an exchange: the messages from a request until the server is ready for the next one. Its steps:
// - `Connection` sends the request. The constructor of `Batch` writes it; `Connection` writes the other requests.
// - `receive` reads each message, until it returns true.
// - `refuse` reads an error. The exchange continues, because the server sends ReadyForQuery even after an error, unless
//   it is fatal.
// - `abandon` ends the exchange if the connection ends first.
//
// The exchanges are `Handshake`, `Batch` (extended protocol), and `Script` (simple protocol).

import type { Cell } from './cell.ts'
import { type PostgresError, protocolError } from './errors.ts'

/** One exchange of messages. A connection has at most one at a time. */
export abstract class Exchange<Result = void> {
  protected readonly settle = Promise.withResolvers<Result>()
  /**
   * Settles when the exchange has ended. Rejects if the connection ends first, and with the errors that the subclass
   * names.
   */
  readonly done = this.settle.promise

  /**
   * Called with each message of the server, except errors, parameters, notices, and notifications. Returns whether the
   * exchange has ended. Throws `PostgresConnectionError` for a message that is not allowed at this point.
   */
  abstract receive(type: number, body: Cell): boolean

  /** Called with an error that the server reported. Returns whether the error ends the connection. */
  abstract refuse(error: PostgresError): boolean

  /** Called if the connection ends before the exchange. */
  abandon(error: Error): void {
    this.settle.reject(error)
  }
}

/** An exchange with any result, for code that only passes messages to it. */
export type AnyExchange = Pick<Exchange<unknown>, 'done' | 'receive' | 'refuse' | 'abandon'>

/** Returns the error for a message that the server may not send at this point of the exchange. */
export function outOfOrder(type: number): Error {
  return protocolError(`a message of type ${JSON.stringify(String.fromCharCode(type))} out of order`)
}

/** Returns the UTF-8 text in the cell without its last byte, which is NUL. */
export function cString({ bytes, start, length }: Cell): string {
  return bytes.toString('utf8', start, start + Math.max(0, length - 1))
}
