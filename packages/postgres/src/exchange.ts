// Messages between a connection and its server, until the server is ready for the next statement.

import type { Cell } from './cell.ts'
import { type PostgresError, protocolError } from './errors.ts'

/** One exchange. A connection has at most one at a time. */
export abstract class Exchange<Result = void> {
  protected readonly settle = Promise.withResolvers<Result>()
  /** Settles when the exchange has ended. Rejects if the connection ends before. */
  readonly done = this.settle.promise

  /**
   * Called with each message of the server, except errors, notices and parameters. Returns whether the exchange has ended.
   * Throws `PostgresConnectionError` for a message that is not allowed here.
   */
  abstract receive(type: number, body: Cell): boolean

  /** Called with an error of the server. Returns whether the connection is unusable because of it. */
  abstract refuse(error: PostgresError): boolean

  /** Called if the connection ends before the exchange does. */
  abandon(error: Error): void {
    this.settle.reject(error)
  }
}

export type AnyExchange = Pick<Exchange<unknown>, 'done' | 'receive' | 'refuse' | 'abandon'>

export function outOfOrder(type: number): Error {
  return protocolError(`a message of type ${JSON.stringify(String.fromCharCode(type))} out of order`)
}

/** The text before the NUL byte that ends it. */
export function cString({ bytes, start, length }: Cell): string {
  return bytes.toString('utf8', start, start + Math.max(0, length - 1))
}
