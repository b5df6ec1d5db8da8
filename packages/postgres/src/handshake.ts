// Runs the first exchange of a connection: the startup message, the authentication, and the server's parameters. The
// exchange ends when the server is ready for a statement.

import { userInfo } from 'node:os'
import { Authentication } from './authentication.ts'
import type { Cell } from './cell.ts'
import type { ConnectionTarget } from './connection-url.ts'
import { type PostgresError, protocolError } from './errors.ts'
import { Exchange, outOfOrder } from './exchange.ts'
import { SERVER } from './message-reader.ts'
import type { OpenSocket } from './socket.ts'

const CANCEL_KEY_BYTES = 8

/**
 * The exchange that opens a session. `done` resolves when the server is ready for a statement. It rejects with the
 * `PostgresError` with which the server refused the session, or with `PostgresConnectionError`.
 */
export class Handshake extends Exchange {
  /** Parameters of the startup message. */
  readonly startup: Readonly<Record<string, string>>
  /** Identifies the session in a CancelRequest; null if the server sent no key. */
  cancelKey: { readonly processId: number; readonly secretKey: number } | null = null
  readonly #authentication: Authentication
  readonly #send: (response: Buffer) => void
  #isAuthenticated = false

  constructor(
    target: ConnectionTarget,
    { isPrivate, certificateHash }: OpenSocket,
    applicationName: string,
    send: (response: Buffer) => void,
  ) {
    super()
    const { password, channelBinding } = target
    const user = target.user ?? userInfo().username
    this.startup = {
      user,
      database: target.database ?? user,
      client_encoding: 'UTF8',
      // The style that `typed-rows.ts` reads. The role can have another default.
      DateStyle: 'ISO',
      application_name: applicationName,
      ...target.startup,
    }
    this.#authentication = new Authentication({ user, password, isPrivate, certificateHash, channelBinding })
    this.#send = send
  }

  /** Ignores NegotiateProtocolVersion, because version 3.0 is the lowest one and the client requests no options. */
  receive(type: number, body: Cell): boolean {
    if (type === SERVER.authentication && !this.#isAuthenticated) this.#authenticate(body)
    else if (type === SERVER.backendKeyData && this.#isAuthenticated) this.#readKey(body)
    else if (type === SERVER.readyForQuery && this.#isAuthenticated) {
      this.settle.resolve()
      return true
    } else if (type !== SERVER.negotiateProtocolVersion) throw outOfOrder(type)
    return false
  }

  refuse(error: PostgresError): boolean {
    this.abandon(error)
    return true
  }

  /**
   * Responds to an Authentication message. Only the derivation of SCRAM's keys is asynchronous. `Authentication` throws
   * for a message that arrives before the response was sent.
   */
  #authenticate({ bytes, start, length }: Cell): void {
    const response = this.#authentication.respond(Buffer.from(bytes.subarray(start, start + length)))
    this.#isAuthenticated = this.#authentication.isAccepted
    if (response instanceof Promise) response.then(this.#send, (error) => this.abandon(error))
    else if (response !== null) this.#send(response)
  }

  #readKey({ view, start, length }: Cell): void {
    if (length !== CANCEL_KEY_BYTES) throw protocolError('a cancel key of another length than 8 bytes')
    this.cancelKey = { processId: view.getInt32(start), secretKey: view.getInt32(start + 4) }
  }
}
