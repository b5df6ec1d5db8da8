// Manages the single connection of a PostgreSQL copy. `PostgresSession` differs from the driver in two points:
//
// - A lost connection ends the run with an error message. The driver would reconnect, and the run would continue
//   without its transaction and its lock.
// - Transactions are plain statements. With the driver's `begin` and `reserve`, the next statement ends the process if
//   the connection failed after the last one. postgres 3.4.9 then throws a `TypeError` that no caller can catch.

import postgres from 'postgres'
import { CopyError, CopyUnavailableError } from '../copy.ts'
import { isAuthenticationError, isStatementError, translatePostgresError } from './translate-postgres-error.ts'

/** The rows of a statement, and the number of rows that it returned or changed. */
export type QueryResult = postgres.RowList<postgres.Row[]>

/** Timeout of one statement in ms. The longest statements remove deleted rows from a large table. */
const STATEMENT_TIMEOUT_MS = 30 * 60_000

/**
 * The connection of a PostgreSQL copy. Wait for each call before the next one: a statement that runs during
 * `transaction` becomes part of the transaction.
 */
export class PostgresSession {
  readonly #name: string
  readonly #statementTimeoutMs: number
  readonly #sql: postgres.Sql
  #processId: number | null = null
  #isLost = false
  /** Rejects the current statement. After a lost connection, the driver leaves some statements pending forever. */
  #rejectStatement: (() => void) | null = null

  /**
   * The first statement connects. `name` is the copy's name in messages. A statement without a result after
   * `statementTimeoutMs` counts as a lost connection. Throws `CopyError` if the URL is invalid.
   */
  constructor(url: string, name: string, statementTimeoutMs: number = STATEMENT_TIMEOUT_MS) {
    this.#name = name
    this.#statementTimeoutMs = statementTimeoutMs
    try {
      this.#sql = postgres(url, {
        max: 1,
        idle_timeout: 0,
        // By default the driver closes a connection after 30 to 60 minutes, which would release the lock.
        max_lifetime: null,
        // The driver would query the types of arrays, but the copy passes lists as JSON.
        fetch_types: false,
        connection: { application_name: 'store-sync' },
        // By default the driver prints notices, such as that a table already exists.
        onnotice: () => undefined,
        onclose: () => {
          this.#isLost = true
          this.#rejectStatement?.()
        },
      })
    } catch {
      // The driver's error message would show the URL with its password.
      throw new CopyError(`${name} has an invalid postgres:// URL`)
    }
  }

  /**
   * Runs one statement. Throws the errors of `translatePostgresError`, and `CopyError` if the server rejects the
   * sign-in. Throws `CopyUnavailableError` if the connection fails or was lost, or if there is no result in time.
   */
  async run(text: string, values: (string | null)[] = []): Promise<QueryResult> {
    if (this.#isLost) throw this.#connectionError()
    let result: QueryResult
    try {
      result = await this.#send(text, values)
    } catch (error) {
      if (isStatementError(error)) throw translatePostgresError(error, this.#name)
      this.#isLost = true
      throw this.#connectionError(error)
    }
    this.#processId ??= result.state.pid
    if (this.#processId === result.state.pid) return result
    // Another process means that the driver reconnected, so the transaction and the lock are lost.
    this.#isLost = true
    throw this.#connectionError()
  }

  /** Runs `work` in a transaction and returns its result. If `work` throws, rolls back and throws the error. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.run('begin')
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

  /**
   * Closes the connection, which releases the advisory lock that `PostgresCopy` takes on it. Waits at most 5 seconds
   * for a running statement.
   */
  async end(): Promise<void> {
    await this.#sql.end({ timeout: this.#isLost ? 0 : 5 })
  }

  #send(text: string, values: (string | null)[]): Promise<QueryResult> {
    let timer: NodeJS.Timeout | undefined
    return new Promise<QueryResult>((resolve, reject) => {
      this.#rejectStatement = () => reject(new Error('the connection was closed'))
      const seconds = Math.round(this.#statementTimeoutMs / 1000)
      timer = setTimeout(() => reject(new Error(`no response within ${seconds} s`)), this.#statementTimeoutMs)
      // A statement with values, such as that of a page, can run many times, so it is prepared. Without values, the
      // driver uses the simple protocol, which prepares nothing.
      this.#sql.unsafe(text, values, { prepare: values.length > 0 }).then(resolve, reject)
    }).finally(() => {
      clearTimeout(timer)
      this.#rejectStatement = null
    })
  }

  #connectionError(cause?: unknown): CopyUnavailableError | CopyError {
    if (isAuthenticationError(cause))
      return new CopyError(
        `${this.#name} rejected the connection (${reasonOf(cause)}); check the URL and its password`,
        {
          cause,
        },
      )
    const why = cause === undefined ? '' : ` (${reasonOf(cause)})`
    const message =
      this.#processId === null
        ? `cannot connect to ${this.#name}${why}`
        : `the connection to ${this.#name} was lost${why}; run again to continue`
    return new CopyUnavailableError(message, { cause })
  }
}

/**
 * Returns the message of an error. The `AggregateError` of a host with several addresses contains one for each address.
 */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
