// What a server reports about a session beside its responses: parameters, notices, the state of the transaction.

import type { Cell } from './cell.ts'
import { protocolError } from './errors.ts'
import { cString } from './exchange.ts'
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

/** The state of one session. */
export class SessionState {
  /** Parameters that the server reports, such as `server_version`. */
  readonly parameters = new Map<string, string>()
  transaction: TransactionState = 'none'
  #asides = 0

  /** Reads a message. Returns whether it belongs to no exchange. Throws `ConnectionError` for a flood of such messages. */
  receive(type: number, body: Cell): boolean {
    const isParameter = type === SERVER.parameterStatus
    const isAside = isParameter || type === SERVER.noticeResponse || type === SERVER.notificationResponse
    this.#asides = isAside ? this.#asides + 1 : 0
    if (this.#asides > ASIDES_MAX) throw protocolError(`more than ${ASIDES_MAX} notices or parameters in a row`)
    if (isParameter && body.length <= PARAMETER_BYTES_MAX) this.#setParameter(cString(body).split('\0'))
    if (type === SERVER.readyForQuery) this.#setTransaction(body)
    return isAside
  }

  noteRow(): void {
    this.#asides = 0
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
