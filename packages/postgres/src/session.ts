// One session: passes the server's messages to the exchange under way, and stores what the server reports besides its
// responses: parameters, notices, the state of the transaction.

import type { Cell } from './cell.ts'
import { PostgresError, protocolError } from './errors.ts'
import { type AnyExchange, cString, outOfOrder } from './exchange.ts'
import { SERVER } from './message-reader.ts'

/** State of the transaction: none, open, or failed so that it can only be rolled back. */
export type TransactionState = 'none' | 'open' | 'failed'

/** Notices and parameters without another message between them. A flood of them would keep the process busy. */
const ASIDES_MAX = 10_000
/** Parameters that are stored. PostgreSQL reports about 15. */
const PARAMETERS_MAX = 100
/** Longest name and value that are stored. */
const PARAMETER_BYTES_MAX = 4096
const TRANSACTION_STATES: Readonly<Record<string, TransactionState>> = { I: 'none', T: 'open', E: 'failed' }

export class Session {
  /** Parameters that the server reports, such as `server_version`. */
  readonly parameters = new Map<string, string>()
  transaction: TransactionState = 'none'
  exchange: AnyExchange | null = null
  /** The first error that ended the session; null while it lasts. */
  end: Error | null = null
  readonly #onReady: (() => void) | undefined
  #asides = 0

  /** `onReady` is called when an exchange has ended. */
  constructor(onReady: (() => void) | undefined) {
    this.#onReady = onReady
  }

  fail(cause: Error): void {
    this.end ??= cause
    this.exchange?.abandon(this.end)
    this.exchange = null
  }

  /**
   * Reads a message. Throws the `PostgresError` that ends the session, and `PostgresConnectionError` for a message that is not
   * allowed now. Ignores messages after the end.
   */
  receive(type: number, body: Cell): void {
    if (this.end !== null) return
    if (type === SERVER.dataRow) this.#asides = 0
    else if (type === SERVER.errorResponse) {
      this.#refuse(body)
      return
    } else if (this.#isAside(type, body)) return
    if (this.exchange === null) throw outOfOrder(type)
    if (!this.exchange.receive(type, body)) return
    this.exchange = null
    this.#onReady?.()
  }

  /** An error outside of an exchange announces that the server ends the session. */
  #refuse({ bytes, start, length }: Cell): void {
    const error = new PostgresError(bytes.subarray(start, start + length))
    if (this.exchange === null || this.exchange.refuse(error)) throw error
  }

  /** Whether the message belongs to no exchange. Throws `PostgresConnectionError` for a flood of such messages. */
  #isAside(type: number, body: Cell): boolean {
    const isParameter = type === SERVER.parameterStatus
    const isAside = isParameter || type === SERVER.noticeResponse || type === SERVER.notificationResponse
    this.#asides = isAside ? this.#asides + 1 : 0
    if (this.#asides > ASIDES_MAX) throw protocolError(`more than ${ASIDES_MAX} notices or parameters in a row`)
    if (isParameter && body.length <= PARAMETER_BYTES_MAX) this.#setParameter(cString(body).split('\0'))
    if (type === SERVER.readyForQuery) this.#setTransaction(body)
    return isAside
  }

  #setParameter([name = '', value = '']: readonly string[]): void {
    if (this.parameters.size < PARAMETERS_MAX) this.parameters.set(name, value)
  }

  #setTransaction({ bytes, start, length }: Cell): void {
    const state = length === 1 ? TRANSACTION_STATES[String.fromCharCode(bytes[start] as number)] : undefined
    if (state === undefined) throw protocolError('a state of the transaction that does not exist')
    this.transaction = state
  }
}
