// One connection to a database server. Its states:
// - connecting: the socket is opened and the session authenticated. `Connection.open` resolves when this ends.
// - idle: the server waits for a statement.
// - busy: one exchange is under way. Another one is refused, so a connection never belongs to two users.
// - closed: for good. A deadline, an abort, a FATAL error, and bytes that the protocol does not allow lead here.
// A canceled statement closes its connection: the cancel may reach the server late and would end the next statement.

import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Batch, type Request } from './batch.ts'
import { sendCancel } from './cancel.ts'
import type { Cell } from './cell.ts'
import { type ConnectionTarget, type DatabaseHost, hostText } from './connection-url.ts'
import { CopyIn } from './copy-in.ts'
import { asConnectionError, ConnectionError, PostgresError, protocolError } from './errors.ts'
import { type Exchange, outOfOrder } from './exchange.ts'
import { greeting, Handshake } from './handshake.ts'
import { MessageReader, SERVER } from './message-reader.ts'
import { MessageWriter } from './message-writer.ts'
import { PreparedStatements } from './prepared-statements.ts'
import { Script } from './script.ts'
import { SessionState, type TransactionState } from './session-state.ts'
import { openSocket } from './socket.ts'
import { TimeLimitPassed } from './within.ts'

/** What the owner of a connection decides. The URL decides the rest. */
export interface ConnectionOptions {
  readonly applicationName: string
  /** Ends the attempt to open it. */
  readonly signal: AbortSignal
  /** Called each time the server is ready for a statement: when it has accepted the session, and after each exchange. */
  readonly onReady?: (() => void) | undefined
}

/** Bounds of one exchange. */
export interface RunOptions {
  /** End of the exchange, by `performance.now()`. The connection closes then. */
  readonly deadline?: number | undefined
  /** Cancels the statements and closes the connection. */
  readonly signal?: AbortSignal | undefined
}

/** How long the server may take to close a connection that this side has ended, or that sent a cancel. */
const FAREWELL_MS = 1000

/** All connections write with it, because a flush is written at once. */
const writer = new MessageWriter()

/** An open connection. */
export class Connection {
  /** Host that it leads to, for messages. */
  readonly host: string
  readonly #address: DatabaseHost
  readonly #target: ConnectionTarget
  readonly #options: ConnectionOptions
  readonly #reader = new MessageReader((type, body) => this.#receive(type, body))
  readonly #prepared = new PreparedStatements()
  readonly #session = new SessionState()
  readonly #closing = Promise.withResolvers<void>()
  #socket: Socket | null = null
  #handshake: Handshake | null = null
  #exchange: Exchange | null = null
  #canceling: Promise<void> | null = null
  /** Why it ended; the first cause counts. */
  #end: Error | null = null

  /** Opens a connection to one host. Rejects with `PostgresError`, `ConnectionError`, or the reason of the signal. */
  static async open(target: ConnectionTarget, address: DatabaseHost, options: ConnectionOptions): Promise<Connection> {
    const connection = new Connection(target, address, options)
    try {
      await connection.#open()
      return connection
    } catch (error) {
      connection.destroy(asError(error))
      throw error
    }
  }

  private constructor(target: ConnectionTarget, address: DatabaseHost, options: ConnectionOptions) {
    this.#target = target
    this.#address = address
    this.#options = options
    this.host = hostText(address)
  }

  /** Parameters that the server has reported, such as `server_version`. */
  get parameters(): ReadonlyMap<string, string> {
    return this.#session.parameters
  }

  /** State of the transaction after the last exchange. */
  get transaction(): TransactionState {
    return this.#session.transaction
  }

  get isClosed(): boolean {
    return this.#end !== null
  }

  /** Whether an exchange is under way. */
  get isBusy(): boolean {
    return this.#exchange !== null
  }

  /** Resolves when the socket, and that of a cancel, are closed. */
  get closed(): Promise<void> {
    return this.#closing.promise
  }

  /**
   * Sends all statements in one flush. A Sync follows each group. Resolves with the error of each group, null for one that
   * succeeded. Rejects with `ConnectionError` or the FATAL `PostgresError` if the connection ends, with `TimeLimitPassed`
   * at the deadline, with the reason of the signal, and with the first error of a sink.
   */
  async run(groups: readonly (readonly Request[])[], options: RunOptions = {}): Promise<(PostgresError | null)[]> {
    // the server would have nothing to respond to
    if (groups.length === 0) return []
    return await this.#exchangeWith(() => new Batch(groups, this.#prepared, writer), options)
  }

  /** Sends the statements in one flush as one group, and throws its error. Rejects as `run` does. */
  async read(requests: readonly Request[], options: RunOptions = {}): Promise<void> {
    const [error] = await this.run([requests], options)
    if (error) throw error
  }

  /** Runs one or more statements without values, and drops their rows. Rejects as `run` does, and with the first error. */
  async script(text: string, options: RunOptions = {}): Promise<void> {
    const begin = () => {
      writer.query(text)
      return new Script()
    }
    await this.#exchangeWith(begin, options)
  }

  /** Runs COPY FROM STDIN with this data. Rejects as `script` does, and with the error of the iteration. */
  async copyFrom(text: string, chunks: Iterable<Uint8Array>, options: RunOptions = {}): Promise<void> {
    const begin = () => {
      writer.query(text)
      return new CopyIn(chunks, { write: (bytes) => this.#send(bytes), drained: () => this.#drained() })
    }
    await this.#exchangeWith(begin, options)
  }

  /** Closes the connection. An exchange may take `graceMs` more. Resolves when the socket is closed. */
  async close(graceMs = 0): Promise<void> {
    if (this.#exchange !== null && graceMs > 0) await this.#idleWithin(graceMs)
    if (this.#exchange !== null) this.#cancel(closedByClient())
    else if (!this.isClosed) {
      this.#end = closedByClient()
      this.#openSocket.end(writer.terminate().take())
      const timer = setTimeout(() => this.#openSocket.destroy(), FAREWELL_MS)
      void this.closed.then(() => clearTimeout(timer))
    }
    await this.closed
  }

  /** Closes the socket at once. The server notices when it next reads or writes. */
  destroy(cause: Error = closedByClient()): void {
    this.#fail(cause)
    if (this.#socket === null) this.#closing.resolve()
    else this.#socket.destroy()
  }

  async #open(): Promise<void> {
    const { signal, applicationName } = this.#options
    const onBytes = (bytes: Buffer) => this.#onBytes(bytes)
    const opened = await openSocket(this.#address, { tls: this.#target.tls, onBytes, signal })
    this.#adopt(opened.socket)
    const { authentication, startup } = greeting(this.#target, opened, applicationName)
    const hello = this.#startup(startup)
    const handshake = new Handshake(authentication, (response) => void this.#send(writer.password(response).take()))
    const stop = () => handshake.abandon(asError(signal.reason))
    signal.addEventListener('abort', stop, { once: true })
    this.#handshake = handshake
    this.#exchange = handshake
    this.#send(hello)
    await handshake.done.finally(() => signal.removeEventListener('abort', stop))
    if (this.#end !== null) throw this.#end
  }

  #startup(parameters: Readonly<Record<string, string>>): Buffer {
    try {
      return writer.startup(parameters).take()
    } catch (error) {
      writer.take()
      throw error
    }
  }

  #adopt(socket: Socket): void {
    this.#socket = socket
    socket.on('error', (error) => this.destroy(asConnectionError(error)))
    socket.once('end', () => this.destroy(new ConnectionError('ECONNRESET', `${this.host} closed the connection`)))
    socket.once('close', () => {
      this.destroy(new ConnectionError('ECONNRESET', `${this.host} closed the connection`))
      void (this.#canceling ?? Promise.resolve()).then(() => this.#closing.resolve())
    })
  }

  async #exchangeWith<T>(begin: () => Exchange & { readonly done: Promise<T> }, options: RunOptions): Promise<T> {
    const { deadline, signal } = options
    if (this.#end !== null) throw this.#end
    if (this.#exchange !== null) throw new TypeError('the connection is busy: it runs one exchange at a time')
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

  #write<T extends Exchange>(begin: () => T): T {
    try {
      const exchange = begin()
      this.#exchange = exchange
      this.#send(writer.take())
      return exchange
    } catch (error) {
      // drops what was written before the value that cannot be sent
      writer.take()
      throw error
    }
  }

  #cancelAt(deadline: number): NodeJS.Timeout {
    const leftMs = Math.max(0, deadline - performance.now())
    return setTimeout(() => this.#cancel(new TimeLimitPassed(`no response within ${Math.round(leftMs)} ms`)), leftMs)
  }

  /**
   * Ends the connection, and asks the server to end the statement. The socket is closed after that: PgBouncer ignores the
   * cancel of a client that has gone, and the statement would run on.
   */
  #cancel(cause: Error): void {
    if (this.isClosed) return
    const key = this.#handshake?.cancelKey ?? null
    if (key === null) {
      this.destroy(cause)
      return
    }
    this.#fail(cause)
    const sent = sendCancel(this.#address, this.#target.tls, writer.cancelRequest(key).take())
    this.#canceling = sent.finally(() => this.#socket?.destroy())
  }

  #fail(cause: Error): void {
    this.#end ??= cause
    this.#exchange?.abandon(this.#end)
    this.#exchange = null
  }

  /** Returns whether the socket can take more at once. */
  #send(bytes: Buffer): boolean {
    return this.isClosed || this.#openSocket.write(bytes)
  }

  /** Resolves when the socket can take more, or is closed. */
  async #drained(): Promise<void> {
    const stop = new AbortController()
    const drained = once(this.#openSocket, 'drain', { signal: stop.signal }).catch(noop)
    await Promise.race([drained, this.closed])
    stop.abort()
  }

  get #openSocket(): Socket {
    if (this.#socket === null) throw new TypeError('the connection has no socket yet')
    return this.#socket
  }

  /** Returns whether a response goes on. */
  #onBytes(bytes: Buffer): boolean {
    if (this.isClosed) return false
    try {
      this.#reader.receive(bytes)
    } catch (cause) {
      const error = cause instanceof ConnectionError ? cause : protocolError('a message that cannot be read')
      this.destroy(new ConnectionError(error.code, `${this.host}: ${error.message}`, { cause }))
    }
    return this.isBusy
  }

  #receive(type: number, body: Cell): void {
    if (this.#end !== null) return
    if (type === SERVER.dataRow) this.#session.noteRow()
    else {
      if (type === SERVER.errorResponse) {
        this.#refuse(new PostgresError(body.bytes.subarray(body.start, body.start + body.length)))
        return
      }
      if (this.#session.receive(type, body)) return
    }
    if (this.#exchange === null) throw outOfOrder(type)
    if (!this.#exchange.receive(type, body)) return
    this.#exchange = null
    this.#options.onReady?.()
  }

  /** An error outside of an exchange announces that the server ends the session. */
  #refuse(error: PostgresError): void {
    if (this.#exchange === null || this.#exchange.refuse(error)) this.destroy(error)
  }

  async #idleWithin(graceMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, graceMs)
    })
    await Promise.race([this.#exchange?.done.catch(noop), late])
    clearTimeout(timer)
  }
}

/** The value of a rejection as an error. */
export function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}

function closedByClient(): ConnectionError {
  return new ConnectionError('CONNECTION_CLOSED', 'the connection was closed')
}

const noop = () => undefined
