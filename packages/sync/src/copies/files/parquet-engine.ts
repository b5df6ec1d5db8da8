// DuckDB, which writes the Parquet files. It is large and most people need none of it, so it is no dependency: it is
// loaded where such a copy is opened, and a sentence says what to install where it is missing.

import { CopyProblem } from '../copy.ts'

/** The package. */
export type Engine = typeof import('@duckdb/node-api')
type Database = Awaited<ReturnType<Engine['DuckDBInstance']['create']>>
/** A connection to a database. */
export type Connection = Awaited<ReturnType<Database['connect']>>

/** A database in memory. */
export interface Scratch {
  readonly connection: Connection
  close(): void
}

/** Rows of columns that are texts, for one statement to read once. */
export interface TextRows {
  readonly columns: readonly string[]
  /** Some thousand rows at a time at most, null where there is no value; an empty page, or none, ends them. */
  readonly pages: Iterator<Page>
}

type Page = readonly (readonly (string | null)[])[]

/** What to install. */
const PACKAGE = '@duckdb/node-api@1.5.6-r.1'
/** What DuckDB may take of the memory beside the program itself; it goes on in files when that is full. */
const MEMORY = '100MB'

/** Rows that DuckDB takes at a time. */
export const PAGE_ROWS = 2048

/** Loads the package. Throws `CopyProblem` where it is not installed, or not for this machine. */
export async function loadEngine(load: () => Promise<Engine> = () => import('@duckdb/node-api')): Promise<Engine> {
  try {
    return await load()
  } catch (cause) {
    throw new CopyProblem(`Parquet files are written by DuckDB, which is not here: npm install ${PACKAGE}`, { cause })
  }
}

/** A database in memory, which goes on in the folder `overflow` when that is full. It asks no network for anything. */
export async function openScratch({ DuckDBInstance }: Engine, overflow: string): Promise<Scratch> {
  const database = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    memory_limit: MEMORY,
    temp_directory: overflow,
    // each more has a row group of its own in memory, and the order of rows is kept
    threads: '1',
  })
  const connection = await database.connect()
  const close = () => {
    connection.closeSync()
    database.closeSync()
  }
  await connection.run("set TimeZone = 'UTC'").catch((error: unknown) => {
    close()
    throw error
  })
  return { connection, close }
}

/** Lets statements of the connection read the rows `from name()`. What the rows throw ends the statement: see `failed`. */
export function offerRows({ DuckDBTableFunction, VARCHAR }: Engine, connection: Connection, name: string) {
  let rows: TextRows | null = null
  let failed: unknown = null
  const offered = DuckDBTableFunction.create({
    name,
    bindFunction: (bind) => {
      for (const column of rows?.columns ?? []) bind.addResultColumn(column, VARCHAR)
    },
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
        failed = error
        call.setError('the rows ended early')
      }
    },
  })
  connection.registerTableFunction(offered)
  return {
    /** Runs a statement that reads these rows; throws what they throw. */
    async run(statement: string, given: TextRows): Promise<void> {
      rows = given
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
