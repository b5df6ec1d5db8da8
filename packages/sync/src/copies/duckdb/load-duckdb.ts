// Loads DuckDB, which writes DuckDB and Parquet files. It is an optional dependency, because it is large and most users
// don't need it.

import { CopyError } from '../copy.ts'

export type DuckDb = typeof import('@duckdb/node-api')
export type DuckDbInstance = Awaited<ReturnType<DuckDb['DuckDBInstance']['create']>>
export type DuckDbConnection = Awaited<ReturnType<DuckDbInstance['connect']>>

/** A database in memory for one task. `close` also closes its connection. */
export interface ScratchDatabase {
  readonly connection: DuckDbConnection
  close(): void
}

/** Rows of string columns, which a statement can read once. */
export interface TextRows {
  readonly columns: readonly string[]
  /** Pages of at most `PAGE_ROWS` rows. The rows end with an empty page, or with the iterator. */
  readonly pages: Iterator<Page>
}

type Page = readonly (readonly (string | null)[])[]

/** The package to install, in the tested version. */
const PACKAGE = '@duckdb/node-api@1.5.6-r.1'
/** Memory for DuckDB's data. If DuckDB needs more, it writes temporary files. */
const MEMORY_LIMIT = '100MB'

/** Maximum rows in a chunk of DuckDB. */
export const PAGE_ROWS = 2048

/**
 * Returns the package. Throws `CopyError`, which says what to install, whatever the reason of the failure; `cause` has
 * the original error. Tests pass another `load`.
 */
export async function loadDuckDb(load: () => Promise<DuckDb> = () => import('@duckdb/node-api')): Promise<DuckDb> {
  try {
    return await load()
  } catch (cause) {
    throw new CopyError(`DuckDB and Parquet files need a package that is not installed; run npm install ${PACKAGE}`, {
      cause,
    })
  }
}

/**
 * Returns a database in memory, which the caller must close. Its temporary files are in the folder `overflow`. It
 * downloads no extensions.
 */
export async function openScratchDatabase({ DuckDBInstance }: DuckDb, overflow: string): Promise<ScratchDatabase> {
  const database = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    memory_limit: MEMORY_LIMIT,
    temp_directory: overflow,
    // Each thread would have a row group in memory. Several threads could also change the order of rows.
    threads: '1',
  })
  const connection = await database.connect()
  const close = () => {
    connection.closeSync()
    database.closeSync()
  }
  // By default, DuckDB uses the time zone of the machine.
  await connection.run("set TimeZone = 'UTC'").catch((error: unknown) => {
    close()
    throw error
  })
  return { connection, close }
}

/**
 * Registers a table function. `name` must be a plain SQL identifier. The returned `run` executes a statement that reads
 * its input with `from name()`, once. Run only one statement at a time, because the function has a single input.
 */
export function createRowFunction(
  { DuckDBTableFunction, VARCHAR }: DuckDb,
  connection: DuckDbConnection,
  name: string,
) {
  let rows: TextRows | null = null
  let failed: unknown = null
  const tableFunction = DuckDBTableFunction.create({
    name,
    bindFunction: (bind) => {
      for (const column of rows?.columns ?? []) bind.addResultColumn(column, VARCHAR)
    },
    // Only one thread, because `rows.pages` has a single position, and the rows have an order.
    initFunction: (init) => init.setMaxThreads(1),
    mainFunction: (call, chunk) => {
      try {
        const page = nextPage(rows)
        chunk.rowCount = page.length
        if (page.length === 0) return
        rows?.columns.forEach((_, index) => {
          chunk.setColumnValues(
            index,
            page.map((row) => row[index] ?? null),
          )
        })
      } catch (error) {
        // DuckDB's error contains only a string, so `run` throws the original error in its place.
        failed = error
        call.setError('the rows ended early')
      }
    },
  })
  connection.registerTableFunction(tableFunction)
  return {
    /** Runs a statement that reads these rows. If the iterator throws, throws its error instead of DuckDB's. */
    async run(statement: string, input: TextRows): Promise<void> {
      rows = input
      failed = null
      try {
        await connection.run(statement)
      } catch (error) {
        throw failed ?? error
      }
    },
  }
}

function nextPage(rows: TextRows | null): Page {
  const next = rows?.pages.next()
  return next === undefined || next.done === true ? [] : next.value
}
