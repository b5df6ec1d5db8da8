// Opens the file of a DuckDB copy so that two databases can't damage it, and runs statements on it:
//
// - For writing: DuckDB locks the file against all other processes.
// - For reading: DuckDB's lock doesn't exclude a run of the same process, which may have the file open. Two databases
//   in one process would damage the file, so both connections share one database through DuckDB's cache.
//
// DuckDB errors become errors that tell the user what to do (translate-duckdb-error.ts).

import type { DuckDb, DuckDbConnection, DuckDbInstance } from './load-duckdb.ts'
import { isOpenOtherwise, translateDuckDbError } from './translate-duckdb-error.ts'

/** A row of a result in the JSON form of the driver, in which big integers, decimals, and times are strings. */
export type ResultRow = Readonly<Record<string, unknown>>

/** The result of one statement. */
export interface QueryResult {
  readonly rows: readonly ResultRow[]
  /** Number of rows that the statement changed; 0 for a query. */
  readonly changed: number
}

/** Options of the database. DuckDB rejects a second open of a file in one process with other options. */
const OPTIONS = {
  // Otherwise, DuckDB downloads extensions that a statement needs.
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  // Pages are small, and more threads use more memory.
  threads: '1',
  // DuckDB writes larger intermediate results to temporary files.
  memory_limit: '512MB',
}

/**
 * The connection of a DuckDB copy. Wait for each call before the next one: a statement that runs during `transaction`
 * becomes part of the transaction.
 */
export class DuckDbSession {
  readonly #database: DuckDbInstance
  readonly #connection: DuckDbConnection
  readonly #name: string

  private constructor(database: DuckDbInstance, connection: DuckDbConnection, name: string) {
    this.#database = database
    this.#connection = connection
    this.#name = name
  }

  /**
   * Opens the file for writing, and creates a missing file. `name` is the copy's name in messages. Throws the errors of
   * `translateDuckDbError`.
   */
  static async open(engine: DuckDb, file: string, name: string): Promise<DuckDbSession> {
    return DuckDbSession.#connect(await openDatabase(engine, file, name, OPTIONS), name)
  }

  /** Opens an existing file without changing it. Throws the errors of `translateDuckDbError`. */
  static async openForReading(engine: DuckDb, file: string, name: string): Promise<DuckDbSession> {
    const readOnly = { ...OPTIONS, access_mode: 'READ_ONLY' }
    // If a run of this process has the file open, this connection shares its database.
    const database = await openDatabase(engine, file, name, readOnly).catch((error: unknown) => {
      if (!isOpenOtherwise(error)) throw error
      return openDatabase(engine, file, name, OPTIONS)
    })
    return DuckDbSession.#connect(database, name)
  }

  static async #connect(database: DuckDbInstance, name: string): Promise<DuckDbSession> {
    try {
      const session = new DuckDbSession(database, await database.connect(), name)
      await session.run("set TimeZone = 'UTC'")
      return session
    } catch (error) {
      database.closeSync()
      throw error
    }
  }

  /** Runs one statement. Throws the errors of `translateDuckDbError`. */
  async run(text: string, values: readonly (string | null)[] = []): Promise<QueryResult> {
    try {
      const result = await this.#connection.runAndReadAll(text, [...values])
      return { rows: result.getRowObjectsJson(), changed: result.rowsChanged }
    } catch (error) {
      throw translateDuckDbError(error, this.#name)
    }
  }

  /**
   * Runs `work` in a transaction and returns its result. If `work` or the commit throws, rolls back and throws the
   * error.
   */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.run('begin')
    try {
      const done = await work()
      await this.run('commit')
      return done
    } catch (error) {
      // A failed commit has already rolled back. An error of the rollback would hide the first error.
      await this.run('rollback').catch(() => undefined)
      throw error
    }
  }

  /** Closes the file. DuckDB then moves its log into the file. */
  close(): void {
    this.#connection.closeSync()
    this.#database.closeSync()
  }
}

/** Opens the file through DuckDB's cache. Throws the errors of `translateDuckDbError`. */
async function openDatabase(
  { DuckDBInstance }: DuckDb,
  file: string,
  name: string,
  options: Record<string, string>,
): Promise<DuckDbInstance> {
  try {
    return await DuckDBInstance.fromCache(file, options)
  } catch (error) {
    throw translateDuckDbError(error, name)
  }
}
