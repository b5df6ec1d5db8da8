// Passes each message of the server to the exchange that is running. Handles the messages that belong to no exchange:
// the server's parameters, notices, and notifications. Tracks the state of the transaction, and the error that ended
// the session.

import type { Cell } from './cell.ts'
import { PostgresError, protocolError } from './errors.ts'
import { type AnyExchange, cString, outOfOrder } from './exchange.ts'
import { SERVER } from './message-reader.ts'

/** State of the transaction. In state `failed`, the client can only roll it back. */
export type TransactionState = 'none' | 'open' | 'failed'

/**
 * Maximum number of notices, notifications, and parameters in a row. Without a maximum, a hostile server could keep the
 * process busy.
 */
const ASIDES_MAX = 10_000
/** Maximum number of parameters to store. PostgreSQL reports about 15. */
const PARAMETERS_MAX = 100
/** Maximum size of a name and value to store, in bytes. The session ignores longer parameters. */
const PARAMETER_BYTES_MAX = 4096
const TRANSACTION_STATES: Readonly<Record<string, TransactionState>> = { I: 'none', T: 'open', E: 'failed' }

/** The state of one open connection, as the server's messages change it. */
export class Session {
  /** Parameters that the server reports, such as `server_version`. */
  readonly parameters = new Map<string, string>()
  /** State of the transaction after the last exchange. */
  transaction: TransactionState = 'none'
  /** The exchange that is running; null between exchanges and after the end. */
  exchange: AnyExchange | null = null
  /** The first error that ended the session; null while the session is open. */
  end: Error | null = null
  readonly #onReady: (() => void) | undefined
  /** Number of notices, notifications, and parameters since the last other message. */
  #asides = 0

  /** `onReady` is called after each exchange, including the handshake. */
  constructor(onReady: (() => void) | undefined) {
    this.#onReady = onReady
  }

  /** Ends the session, and rejects the running exchange. Only the first call has an effect. */
  fail(cause: Error): void {
    this.end ??= cause
    this.exchange?.abandon(this.end)
    this.exchange = null
  }

  /**
   * Reads a message, and calls `onReady` after the last one of an exchange. Ignores messages after the end. Throws the
   * `PostgresError` with which the server ends the session. Throws `PostgresConnectionError` for a message that is not
   * allowed at this point, and after 10,000 notices, notifications, and parameters in a row. After any of these errors,
   * the caller must call `fail`.
   */
  receive(type: number, body: Cell): void {
    if (this.end !== null) return
    // Rows are the most frequent messages, so they skip the checks of `#isAside`.
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

  /** Passes an error to the exchange. An error outside of an exchange announces that the server ends the session. */
  #refuse({ bytes, start, length }: Cell): void {
    const error = new PostgresError(bytes.subarray(start, start + length))
    if (this.exchange === null || this.exchange.refuse(error)) throw error
  }

  /**
   * Stores the parameter or the state of the transaction that the message reports. Returns whether the message belongs
   * to no exchange. Throws `PostgresConnectionError` for a flood of such messages, and for an unknown state.
   */
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
    if (this.parameters.has(name) || this.parameters.size < PARAMETERS_MAX) this.parameters.set(name, value)
  }

  #setTransaction({ bytes, start, length }: Cell): void {
    const state = length === 1 ? TRANSACTION_STATES[String.fromCharCode(bytes[start] as number)] : undefined
    if (state === undefined) throw protocolError('a state of the transaction that does not exist')
    this.transaction = state
  }
}
