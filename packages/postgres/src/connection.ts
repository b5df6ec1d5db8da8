// Manages one connection to a database server. The connection has these states:
// - connecting: the client opens the socket and authenticates. `Connection.open` resolves when this ends.
// - idle: the server waits for a statement.
// - busy: an exchange is running. The connection refuses another exchange, so that it never has two users.
// - closed: the final state. Besides `close` and `destroy`, these end the connection: a deadline, an abort, a lost
//   socket, a fatal error, an error while the connection is idle, and bytes that the protocol doesn't allow.
//
// What must hold:
// - A canceled statement closes its connection, because the cancel may arrive late and would cancel the next statement.
// - The bytes of an exchange are written and taken in one synchronous call, because all connections share a writer.
//   With an `await` in between, a server would get statements of another connection.

import type { Socket } from 'node:net'
import { Batch, type Request } from './batch.ts'
import { sendCancel } from './cancel.ts'
import { type ConnectionTarget, type DatabaseHost, hostText } from './connection-url.ts'
import { asError, asPostgresConnectionError, PostgresConnectionError, PostgresError, protocolError } from './errors.ts'
import type { AnyExchange, Exchange } from './exchange.ts'
import { Handshake } from './handshake.ts'
import { MessageReader } from './message-reader.ts'
import { MessageWriter } from './message-writer.ts'
import { PreparedStatements } from './prepared-statements.ts'
import { Script } from './script.ts'
import { Session, type TransactionState } from './session.ts'
import { openSocket } from './socket.ts'
import { type RunOptions, TimeLimitPassed, withDeadline, within } from './within.ts'

/** The name of a session, and a callback for its exchanges. */
export interface ConnectionOptions {
  /** Name of the session in the server's `pg_stat_activity`. `application_name` of the URL takes precedence. */
  readonly applicationName: string
  /**
   * Called each time the server is ready for a statement: after it has accepted the session, and after each exchange.
   */
  readonly onReady?: (() => void) | undefined
}

/** Longest wait for the server to close a connection after the client has sent Terminate. */
const FAREWELL_MS = 1000

/** All connections share one writer, because each uses it only within a synchronous call. */
const writer = new MessageWriter()

/** A connection to one server, which runs one exchange at a time. Create it with `Connection.open`. */
export class Connection {
  /** The server as `host:port`, or as the path of its Unix socket, for messages. */
  readonly host: string
  readonly #address: DatabaseHost
  readonly #target: ConnectionTarget
  readonly #session: Session
  readonly #reader: MessageReader
  readonly #prepared = new PreparedStatements()
  readonly #closing = Promise.withResolvers<void>()
  /** Resolves when the socket, and the socket of a cancel, are closed. */
  readonly closed = this.#closing.promise
  #socket: Socket | null = null
  #cancelKey: Handshake['cancelKey'] = null
  #canceling: Promise<void> | null = null

  /**
   * Opens a connection to one host. Rejects with the `PostgresError` of a server that refuses the session, with the
   * signal's reason, or with `PostgresConnectionError`. Rejects with `TypeError` for a session parameter with a NUL
   * character.
   */
  static async open(
    target: ConnectionTarget,
    address: DatabaseHost,
    options: ConnectionOptions,
    signal: AbortSignal,
  ): Promise<Connection> {
    const connection = new Connection(target, address, new Session(options.onReady))
    try {
      await connection.#open(options.applicationName, signal)
      return connection
    } catch (error) {
      connection.destroy(asError(error))
      throw error
    }
  }

  private constructor(target: ConnectionTarget, address: DatabaseHost, session: Session) {
    this.#target = target
    this.#address = address
    this.#session = session
    this.#reader = new MessageReader((type, body) => session.receive(type, body))
    this.host = hostText(address)
  }

  /** The parameters that the server has reported, such as `server_version`. */
  get parameters(): ReadonlyMap<string, string> {
    return this.#session.parameters
  }

  /** State of the transaction, as the server reported it after the last exchange. */
  get transaction(): TransactionState {
    return this.#session.transaction
  }

  /** Whether the connection has ended, and so runs no further statement. */
  get isClosed(): boolean {
    return this.#session.end !== null
  }

  /** Whether an exchange is running. The connection then refuses another exchange. */
  get isBusy(): boolean {
    return this.#session.exchange !== null
  }

  /**
   * Sends all statements in one flush, with a Sync after each group. A group is a transaction, unless one is open or
   * the group begins one. Resolves with one result for each group: its error, or null for a group that succeeded.
   *
   * The connection stays usable after the error of a group, and after these rejections:
   * - With the first error of a sink, after the server has responded to all statements.
   * - With `TypeError` if the connection is busy, or if a text or a value can't be sent. No statement was sent.
   * - With `RangeError` for more than 65,535 values in a statement. No statement was sent.
   * - With the signal's reason if the signal was aborted before the call. No statement was sent.
   *
   * The connection is closed after these rejections:
   * - With the fatal `PostgresError` of the server, or with `PostgresConnectionError`, if the connection ends.
   * - With `TimeLimitPassed` at the deadline, and with the signal's reason if the signal is aborted during the
   *   exchange.
   * - With the error that ended the connection, if it has already ended. No statement was sent.
   */
  async run(groups: readonly (readonly Request[])[], options: RunOptions = {}): Promise<(PostgresError | null)[]> {
    // Without a group, the server would send no response.
    if (groups.length === 0) return []
    return await this.#exchangeWith(() => new Batch(groups, this.#prepared, writer), options)
  }

  /**
   * Sends the statements in one flush as one group. Rejects with the group's error; the connection then stays usable.
   * Otherwise rejects like `run`.
   */
  async read(requests: readonly Request[], options: RunOptions = {}): Promise<void> {
    const [error] = await this.run([requests], options)
    if (error) throw error
  }

  /**
   * Runs one or more statements without values as one group, and drops their rows. `COPY` from or to the client closes
   * the connection. Rejects with the first error of a statement; the connection then stays usable. Otherwise rejects
   * like `run`.
   */
  async script(text: string, options: RunOptions = {}): Promise<void> {
    await this.#exchangeWith(() => {
      writer.query(text)
      return new Script()
    }, options)
  }

  /**
   * Closes the connection. A running exchange gets up to `graceMs` milliseconds to finish, and is then canceled.
   * Resolves when the socket is closed, which takes up to a second if the server doesn't close it. Never rejects.
   */
  async close(graceMs = 0): Promise<void> {
    const { exchange } = this.#session
    if (exchange !== null && graceMs > 0) await within(graceMs, exchange.done).catch(() => undefined)
    if (this.isBusy) this.#cancel(closedByClient())
    else if (!this.isClosed) {
      this.#session.fail(closedByClient())
      this.#openSocket.end(writer.terminate().take())
      const timer = setTimeout(() => this.#openSocket.destroy(), FAREWELL_MS)
      void this.closed.then(() => clearTimeout(timer))
    }
    await this.closed
  }

  /**
   * Closes the socket immediately, and rejects a running exchange with `cause`. Doesn't cancel its statement on the
   * server, which notices the closed socket when it next reads or writes.
   */
  destroy(cause: Error = closedByClient()): void {
    this.#session.fail(cause)
    if (this.#socket === null) this.#closing.resolve()
    else this.#socket.destroy()
  }

  async #open(applicationName: string, signal: AbortSignal): Promise<void> {
    const onBytes = (bytes: Buffer) => this.#onBytes(bytes)
    const opened = await openSocket(this.#address, { tls: this.#target.tls, onBytes, signal })
    this.#adopt(opened.socket)
    const respond = (response: Buffer) => this.#send(writer.password(response).take())
    const handshake = this.#write(() => {
      const begun = new Handshake(this.#target, opened, applicationName, respond)
      writer.startup(begun.startup)
      return begun
    })
    await withDeadline(handshake.done, { signal })
    this.#cancelKey = handshake.cancelKey
    if (this.#session.end !== null) throw this.#session.end
  }

  #adopt(socket: Socket): void {
    this.#socket = socket
    const ended = () =>
      this.isClosed
        ? socket.destroy()
        : this.destroy(new PostgresConnectionError('ECONNRESET', `${this.host} closed the connection`))
    socket.on('error', (error) => this.destroy(asPostgresConnectionError(error)))
    socket.once('end', ended)
    socket.once('close', () => {
      ended()
      void Promise.resolve(this.#canceling).then(() => this.#closing.resolve())
    })
  }

  async #exchangeWith<T>(begin: () => Exchange<T>, { deadline, signal }: RunOptions): Promise<T> {
    if (this.#session.end !== null) throw this.#session.end
    if (this.isBusy) throw new TypeError('the connection is busy: it runs one exchange at a time')
    signal?.throwIfAborted()
    const exchange = this.#write(begin)
    const onAbort = () => this.#cancel(asError(signal?.reason))
    signal?.addEventListener('abort', onAbort, { once: true })
    const timer = deadline === undefined ? undefined : this.#cancelAt(deadline)
    try {
      return await exchange.done
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  #write<T extends AnyExchange>(begin: () => T): T {
    try {
      const exchange = begin()
      this.#session.exchange = exchange
      this.#send(writer.take())
      return exchange
    } catch (error) {
      // Drops the bytes that were written before the value that can't be sent.
      writer.take()
      throw error
    }
  }

  #cancelAt(deadline: number): NodeJS.Timeout {
    const leftMs = Math.max(0, deadline - performance.now())
    return setTimeout(() => this.#cancel(new TimeLimitPassed(`no response within ${Math.round(leftMs)} ms`)), leftMs)
  }

  /**
   * Ends the connection, and asks the server to cancel the statement. The socket closes after the cancel request: if
   * the client had disconnected, PgBouncer would ignore the request, and the statement would continue to run.
   */
  #cancel(cause: Error): void {
    if (this.isClosed) return
    const key = this.#cancelKey
    this.#session.fail(cause)
    const sent = key && sendCancel(this.#address, this.#target.tls, writer.cancelRequest(key).take())
    this.#canceling = Promise.resolve(sent).then(() => void this.#socket?.destroy())
  }

  #send(bytes: Buffer): void {
    if (!this.isClosed) this.#openSocket.write(bytes)
  }

  get #openSocket(): Socket {
    if (this.#socket === null) throw new TypeError('the connection has no socket yet')
    return this.#socket
  }

  #onBytes(bytes: Buffer): void {
    if (this.isClosed) return
    try {
      this.#reader.receive(bytes)
    } catch (cause) {
      const error = cause instanceof PostgresConnectionError ? cause : protocolError('a message that cannot be read')
      const named = new PostgresConnectionError(error.code, `${this.host}: ${error.message}`, { cause })
      this.destroy(cause instanceof PostgresError ? cause : named)
    }
  }
}

function closedByClient(): PostgresConnectionError {
  return new PostgresConnectionError('CONNECTION_CLOSED', 'the connection was closed')
}
