// The first exchange of a connection: from the startup message until the server is ready for a statement.

import { userInfo } from 'node:os'
import { Authentication } from './authentication.ts'
import type { Cell } from './cell.ts'
import type { ConnectionTarget } from './connection-url.ts'
import { type PostgresError, protocolError } from './errors.ts'
import { type Exchange, outOfOrder } from './exchange.ts'
import { SERVER } from './message-reader.ts'
import type { OpenSocket } from './socket.ts'

/** What a canceling connection has to know of this one. */
export interface CancelKey {
  readonly processId: number
  readonly secretKey: number
}

const CANCEL_KEY_BYTES = 8

/** Authenticates, and reads the parameters of the session. */
export class Handshake implements Exchange {
  cancelKey: CancelKey | null = null
  /** Resolves when the server is ready. Rejects with `PostgresError` or `ConnectionError`. */
  readonly done: Promise<void>
  readonly #authentication: Authentication
  readonly #send: (response: Buffer) => void
  readonly #settle: PromiseWithResolvers<void>
  #isAuthenticated = false

  constructor(authentication: Authentication, send: (response: Buffer) => void) {
    this.#authentication = authentication
    this.#send = send
    this.#settle = Promise.withResolvers()
    this.done = this.#settle.promise
  }

  receive(type: number, body: Cell): boolean {
    if (type === SERVER.authentication && !this.#isAuthenticated) this.#authenticate(body)
    else if (type === SERVER.backendKeyData && this.#isAuthenticated) this.#readKey(body)
    else if (type === SERVER.readyForQuery && this.#isAuthenticated) {
      this.#settle.resolve()
      return true
    } else if (type !== SERVER.negotiateProtocolVersion) throw outOfOrder(type)
    return false
  }

  refuse(error: PostgresError): boolean {
    this.#settle.reject(error)
    return true
  }

  abandon(error: Error): void {
    this.#settle.reject(error)
  }

  /** Only the derivation of SCRAM's keys takes time. The server waits for it, so no message can overtake it. */
  #authenticate({ bytes, start, length }: Cell): void {
    const response = this.#authentication.respond(Buffer.from(bytes.subarray(start, start + length)))
    this.#isAuthenticated = this.#authentication.isAccepted
    if (response instanceof Promise) response.then(this.#send, (error) => this.#settle.reject(error))
    else if (response !== null) this.#send(response)
  }

  #readKey({ view, start, length }: Cell): void {
    if (length !== CANCEL_KEY_BYTES) throw protocolError('a cancel key of another length than 8 bytes')
    this.cancelKey = { processId: view.getInt32(start), secretKey: view.getInt32(start + 4) }
  }
}

/** The parameters of the startup message, and the authentication that follows it. */
export function greeting(
  target: ConnectionTarget,
  { isPrivate, certificateHash }: OpenSocket,
  applicationName: string,
) {
  const { password, channelBinding } = target
  const user = target.user ?? userInfo().username
  return {
    authentication: new Authentication({ user, password, isPrivate, certificateHash, channelBinding }),
    startup: {
      user,
      database: target.database ?? user,
      client_encoding: 'UTF8',
      // dates as `typed-rows.ts` reads them, whatever the role's own setting is
      DateStyle: 'ISO',
      application_name: applicationName,
      ...target.startup,
    },
  }
}
