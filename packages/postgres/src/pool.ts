// Provides a bounded pool of connections to one database, with a bounded queue. How a request gets a connection:
// - It takes the idle connection that was used last, so that in quiet times the others stay idle.
// - Below `connectionsMax`, it opens a connection. If the request gives up before the connection is open, the next
//   request gets it.
// - Otherwise it waits in the order of arrival, for a connection or for the slot of a closed connection.
//
// Invariants:
// - `#open` counts a connection from before it opens until it is closed. Its slot then goes to the next request.
//   Otherwise, the slot would be lost until the process restarts.
// - The pool reuses a connection only if it is open, not busy, and outside of a transaction. Any other state could
//   affect the next request, so the pool closes the connection.

import { STALE_CODES } from './batch.ts'
import { type ConnectOptions, connect } from './connect.ts'
import type { Connection } from './connection.ts'
import type { ConnectionTarget } from './connection-url.ts'
import { PostgresConnectionError, PostgresError } from './errors.ts'
import { executeOn, queryRows } from './query.ts'
import type { Statement } from './statement.ts'
import { inTransaction } from './transaction.ts'
import { type RunOptions, TimeLimitPassed, withDeadline } from './within.ts'

/** How many connections a pool opens, how it names their sessions, and how long it waits. */
export interface PoolOptions extends Pick<ConnectOptions, 'applicationName' | 'connectTimeoutMs'> {
  readonly connectionsMax: number
  /**
   * Whether `query` and `execute` may prepare statements; true by default. Behind PgBouncer in transaction mode, a
   * prepared statement can fail, and the pool sends it again without preparing it. False saves the failed attempt.
   */
  readonly preparedStatements?: boolean
  /** Time limit of `query` and `execute` without a deadline, in ms, with the wait for a connection; none by default. */
  readonly statementTimeoutMs?: number
}

/** The limits of a statement, and a callback. */
export interface StatementOptions extends RunOptions {
  /** Called when the statement has a connection, before it is sent. */
  readonly started?: (() => void) | undefined
}

/** Numbers of a pool's connections and waiting requests, for metrics. */
export interface PoolSums {
  /** Open connections, including connections that are opening or closing. */
  readonly open: number
  /** Connections of `open` that are not idle. */
  readonly busy: number
  /** Requests that wait for a connection. */
  readonly waiting: number
}

/** Maximum number of waiting requests. The pool refuses further requests immediately. */
const WAITING_MAX = 10_000
/** Longest wait for a connection if a request has no deadline. */
const WAIT_MS = 10_000

/** A waiting request, which gets a connection, or null if it may open one. */
type Waiter = Pick<PromiseWithResolvers<Connection | null>, 'resolve' | 'reject'>

/** A pool of connections to one database, which opens them when requests need them. */
export class Pool {
  readonly #target: ConnectionTarget
  readonly #options: PoolOptions
  readonly #idle: Connection[] = []
  readonly #lent = new Set<Connection>()
  readonly #waiting = new Set<Waiter>()
  /** Connections that count against `connectionsMax`: open, being opened, or closing. */
  #open = 0
  #isClosed = false

  constructor(target: ConnectionTarget, options: PoolOptions) {
    this.#target = target
    this.#options = options
  }

  get sums(): PoolSums {
    return { open: this.#open, busy: this.#open - this.#idle.length, waiting: this.#waiting.size }
  }

  /**
   * Returns the rows of a statement as objects. If the server refuses a prepared statement before running it, sends the
   * statement once more without preparing it. Rejects like `use` and `queryRows`.
   */
  async query<Row extends object>(statement: Statement, options: StatementOptions = {}): Promise<Row[]> {
    return await this.#run(statement, queryRows<Row>, options)
  }

  /** Returns the number in the statement's command tag, like `executeOn`. Retries and rejects like `query`. */
  async execute(statement: Statement, options: StatementOptions = {}): Promise<number> {
    return await this.#run(statement, executeOn, options)
  }

  /** Runs `work` in a transaction. Rolls back and rejects if `work` rejects. Rejects like `use` and `inTransaction`. */
  async transaction<T>(work: (connection: Connection) => Promise<T>, options: RunOptions = {}): Promise<T> {
    return await this.use((connection) => inTransaction(connection, () => work(connection), options), options)
  }

  /**
   * Runs `work` with a connection that no other request uses. `options` limit only the wait for the connection. If the
   * connection is busy or has an open transaction afterwards, the pool closes it.
   *
   * Rejects like `work` and `connect`, and in these cases:
   * - With `PostgresConnectionError` `POOL_FULL` if no connection becomes free before the deadline (within 10 s without
   *   one), or if 10,000 requests already wait.
   * - With `TimeLimitPassed` if no connection opens before the deadline, and with the signal's reason on abort.
   * - With `PostgresConnectionError` `CONNECTION_CLOSED` if the pool is closed.
   */
  async use<T>(work: (connection: Connection) => Promise<T>, options: RunOptions = {}): Promise<T> {
    const connection = await this.#take(options)
    this.#lent.add(connection)
    try {
      return await work(connection)
    } finally {
      this.#lent.delete(connection)
      this.#release(connection)
    }
  }

  /** Closes the connections that no request uses. Call it if the server no longer responds on other connections. */
  closeIdle(): void {
    for (const connection of this.#idle.splice(0)) connection.destroy()
  }

  /**
   * Closes all connections, and resolves when they are closed. Running statements get up to `graceMs` milliseconds to
   * finish. Rejects waiting and later requests with `CONNECTION_CLOSED`. Doesn't wait for connections that are still
   * being opened, which close as soon as they are open.
   */
  async close(graceMs = 0): Promise<void> {
    this.#isClosed = true
    for (const { reject } of this.#waiting) reject(closedError())
    this.#waiting.clear()
    const idle = this.#idle.splice(0)
    await Promise.all([...idle.map((each) => each.close()), ...[...this.#lent].map((each) => each.close(graceMs))])
  }

  async #run<T>(
    statement: Statement,
    work: (connection: Connection, statement: Statement, options: RunOptions) => Promise<T>,
    { started, ...options }: StatementOptions,
  ): Promise<T> {
    const unprepared = { text: statement.text, values: statement.values }
    const { preparedStatements, statementTimeoutMs } = this.#options
    const isPrepared = statement.prepared === true && preparedStatements !== false
    const limit = statementTimeoutMs === undefined ? undefined : performance.now() + statementTimeoutMs
    const bounded = { ...options, deadline: options.deadline ?? limit }
    const first = (connection: Connection) => {
      started?.()
      return work(connection, isPrepared ? statement : unprepared, bounded)
    }
    try {
      return await this.use(first, bounded)
    } catch (error) {
      const isStale = isPrepared && error instanceof PostgresError && STALE_CODES.has(error.code)
      if (!isStale) throw error
      return await this.use((connection) => work(connection, unprepared, bounded), bounded)
    }
  }

  async #take(options: RunOptions): Promise<Connection> {
    options.signal?.throwIfAborted()
    if (this.#isClosed) throw closedError()
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) if (!idle.isClosed) return idle
    if (this.#open >= this.#options.connectionsMax) {
      const connection = await this.#wait(options)
      if (connection !== null) return connection
    } else this.#open++
    const late = () => new TimeLimitPassed('no connection opened before the deadline')
    return await withDeadline(this.#connect(), options, { late, unused: (connection) => this.#release(connection) })
  }

  /** Opens a connection for a slot that is already counted in `#open`. Releases the slot if this fails. */
  async #connect(): Promise<Connection> {
    const { applicationName, connectTimeoutMs } = this.#options
    const connection = await connect(this.#target, { applicationName, connectTimeoutMs }).catch((error: unknown) => {
      this.#freeSlot()
      throw error
    })
    void connection.closed.then(() => this.#forget(connection))
    if (!this.#isClosed) return connection
    await connection.close()
    throw closedError()
  }

  /** Waits for a connection. Returns null if the request may open one. */
  async #wait({ deadline = performance.now() + WAIT_MS, signal }: RunOptions): Promise<Connection | null> {
    if (this.#waiting.size >= WAITING_MAX)
      throw new PostgresConnectionError(
        'POOL_FULL',
        `${WAITING_MAX} requests already wait for a connection; check that the server responds, or raise the size of the pool`,
      )
    const waiter = Promise.withResolvers<Connection | null>()
    this.#waiting.add(waiter)
    const late = () =>
      new PostgresConnectionError(
        'POOL_FULL',
        'no connection became free in time; check that the server responds, or raise the size of the pool',
      )
    const unused = (found: Connection | null) => (found === null ? this.#freeSlot() : this.#release(found))
    const admitted = withDeadline(waiter.promise, { deadline, signal }, { late, unused })
    return await admitted.finally(() => this.#waiting.delete(waiter))
  }

  #release(connection: Connection): void {
    if (connection.isClosed) return
    if (this.#isClosed || connection.isBusy || connection.transaction !== 'none') return void connection.close()
    if (!this.#admitNext(connection)) this.#idle.push(connection)
  }

  /**
   * Assigns a connection to the longest-waiting request. With null, that request opens a connection. Returns whether a
   * request waits.
   */
  #admitNext(connection: Connection | null): boolean {
    const [next] = this.#waiting
    if (next === undefined) return false
    this.#waiting.delete(next)
    next.resolve(connection)
    return true
  }

  #freeSlot(): void {
    if (!this.#admitNext(null)) this.#open--
  }

  #forget(connection: Connection): void {
    const index = this.#idle.indexOf(connection)
    if (index >= 0) this.#idle.splice(index, 1)
    this.#freeSlot()
  }
}

function closedError(): PostgresConnectionError {
  return new PostgresConnectionError('CONNECTION_CLOSED', 'the pool is closed')
}
