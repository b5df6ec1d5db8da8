// Manages the single connection of a MySQL or MariaDB copy. A lost connection ends the run, because its lock and its
// transaction end with it.

import { CopyError, CopyUnavailableError } from '../copy.ts'
import type { MySqlConnection, MySqlDriver } from './load-mysql.ts'
import type { MySqlAddress } from './mysql-url.ts'
import { connectionRemedy, isStatementError, translateMySqlError } from './translate-mysql-error.ts'

export type ResultRow = Readonly<Record<string, unknown>>

export interface QueryResult {
  readonly rows: readonly ResultRow[]
  /** Number of rows that the statement changed; 0 for a query. An upsert can count a row twice. */
  readonly changed: number
}

const CONNECT_TIMEOUT_MS = 10_000
/** Timeout of one statement in ms. The longest statements remove deleted rows from a large table. */
const STATEMENT_TIMEOUT_MS = 30 * 60_000

/**
 * Settings of the session whose purpose is not obvious:
 * - `sql_mode`: names in double quotes, and errors instead of changed values.
 * - `wait_timeout`: releases the lock within an hour if this machine disappears.
 */
const SETTINGS = `set session sql_mode = 'ANSI_QUOTES,STRICT_ALL_TABLES', time_zone = '+00:00', wait_timeout = 3600`

/**
 * The connection of a MySQL or MariaDB copy. Wait for each call before the next one: a statement that runs during
 * `transaction` becomes part of the transaction.
 */
export class MySqlSession {
  readonly #connection: MySqlConnection
  readonly #name: string
  #isLost = false

  private constructor(connection: MySqlConnection, name: string) {
    this.#connection = connection
    this.#name = name
    // Without a listener, an error between two statements would end the process.
    connection.on('error', () => {
      this.#isLost = true
    })
  }

  /**
   * Connects. Throws `CopyError` if the user must fix the URL or the server, and `CopyUnavailableError` if the
   * connection fails otherwise, or after 10 seconds.
   */
  static async open(driver: MySqlDriver, address: MySqlAddress): Promise<MySqlSession> {
    const { name, host, port, user, password, database, tls } = address
    try {
      const connection = await driver.createConnection({
        ...{ host, port, user, password, database },
        ...(tls === 'off' ? {} : { ssl: { rejectUnauthorized: tls === 'verify', verifyIdentity: tls === 'verify' } }),
        charset: 'utf8mb4_bin',
        connectTimeout: CONNECT_TIMEOUT_MS,
        enableKeepAlive: true,
        keepAliveInitialDelay: 30_000,
        // A server must not read files of this machine.
        flags: ['-LOCAL_FILES'],
      })
      const session = new MySqlSession(connection, name)
      await session.run(SETTINGS)
      return session
    } catch (cause) {
      if (cause instanceof CopyError || cause instanceof CopyUnavailableError) throw cause
      const why = reasonOf(cause)
      const remedy = connectionRemedy(cause)
      if (remedy !== null) throw new CopyError(`${name} rejected the connection (${why}); ${remedy}`, { cause })
      throw new CopyUnavailableError(`cannot connect to ${name} (${why})`, { cause })
    }
  }

  /**
   * Runs one statement. Throws the errors of `translateMySqlError`, and `CopyUnavailableError` if the connection was
   * lost, or has had no response for 30 minutes.
   */
  async run(text: string, values: readonly unknown[] = []): Promise<QueryResult> {
    if (this.#isLost) throw this.#lostError()
    try {
      const [result] = await this.#send(text, values)
      if (Array.isArray(result)) return { rows: result, changed: 0 }
      return { rows: [], changed: Number((result as { affectedRows?: number }).affectedRows ?? 0) }
    } catch (error) {
      if (isStatementError(error)) throw translateMySqlError(error, this.#name)
      this.#isLost = true
      throw this.#lostError(error)
    }
  }

  /** Runs `work` in a transaction and returns its result. If `work` throws, rolls back and throws the error. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.run('start transaction')
    try {
      const done = await work()
      await this.run('commit')
      return done
    } catch (error) {
      // After a lost connection, the server rolls back by itself. An error of the rollback would hide the first error.
      if (!this.#isLost) await this.run('rollback').catch(() => undefined)
      throw error
    }
  }

  /** Closes the connection, which releases its lock. Destroys a connection that is lost or fails to close. */
  async end(): Promise<void> {
    if (this.#isLost) return this.#connection.destroy()
    await this.#connection.end().catch(() => this.#connection.destroy())
  }

  async #send(text: string, values: readonly unknown[]): Promise<readonly [unknown, unknown]> {
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<never>((_, reject) => {
      const seconds = Math.round(STATEMENT_TIMEOUT_MS / 1000)
      timer = setTimeout(() => reject(new Error(`no response within ${seconds} s`)), STATEMENT_TIMEOUT_MS)
    })
    try {
      return await Promise.race([this.#connection.query(text, values), timeout])
    } finally {
      clearTimeout(timer)
    }
  }

  #lostError(cause?: unknown): CopyUnavailableError {
    const why = cause === undefined ? '' : ` (${reasonOf(cause)})`
    return new CopyUnavailableError(`the connection to ${this.#name} was lost${why}; run again to continue`, { cause })
  }
}

/**
 * Returns the message of an error. The `AggregateError` of a host with several addresses contains one for each address.
 */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
