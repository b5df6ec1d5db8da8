// Runs statements of assistants on a copy. Each layer stops what the layers before it let through:
//
// - Process: JavaScript cannot interrupt a SQLite statement, so the parent kills this process at its deadline. A thread
//   kills it if it uses too much memory, or if its parent has ended.
// - Connection: the file is attached read-only, under a random schema name that a statement cannot know.
// - Views: an authorizer alone does not hide a column, because SQLite does not call it for the columns of USING and
//   NATURAL JOIN. So a view without the hidden columns shadows each table of the file. See
//   docs/contribute/decisions/089-hide-columns-from-assistants-with-views.md.
// - Authorizer: allows selects, most functions, and reads through these views. If no column is hidden, there are no
//   views, and it allows reads of the file.
// - Text: one statement at a time, without names of SQLite's own tables, which views cannot shadow.

import { randomBytes } from 'node:crypto'
import { constants, DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { encodeRow } from './encode-row.ts'
import { hasSecondStatement } from './has-second-statement.ts'

/** A statement with its values. */
export interface Query {
  readonly sql: string
  /** Values of the parameters in `sql`; none by default. */
  readonly values?: readonly SQLInputValue[]
}

/** A request to the process: statements to run on a copy, and their limits. */
export interface QueryRequest {
  readonly file: string
  /** The visible columns by table; null if every table and column is visible. */
  readonly visible: Readonly<Record<string, readonly string[]>> | null
  /** The statements, which read one snapshot of the copy. */
  readonly queries: readonly Query[]
  /** Maximum bytes of the encoded rows of all statements. */
  readonly maxBytes: number
}

/** The rows of a statement, as far as they fit in `maxBytes`. */
export interface QueryRows {
  readonly columns: readonly string[]
  /** Each row as a JSON array. */
  readonly rows: readonly string[]
  /** Whether the statement has more rows than fit in `maxBytes`. */
  readonly isCut: boolean
}

/** State of a table, as `_sync_tables` has it. */
export type StateRow = Readonly<Record<'table_name' | 'since' | 'whole_at' | 'starts_at', string | null>>

/** The results of all statements, or the error of the first statement that failed. */
export type QueryResponse =
  | {
      readonly states: readonly StateRow[]
      /** Columns by name, for tables and views of the copy that statements can read. */
      readonly readable: Readonly<Record<string, readonly string[]>>
      /** Tables of the file that the statements read. */
      readonly tables: readonly string[]
      readonly results: readonly QueryRows[]
    }
  /** `code` is SQLite's extended result code; null for other errors. */
  | { readonly error: string; readonly code: number | null }

/** Longest string and row, in bytes. */
const VALUE_BYTES_MAX = 16 * 1024 * 1024
/** Time in ms for which a statement waits for a run that locks the file. */
const BUSY_TIMEOUT_MS = 1000
/** Resident memory above which the process kills itself. */
const MEMORY_BYTES_MAX = 512 * 1024 * 1024

/** The first message of the process, which says that it accepts requests. */
const READY = 'ready'

function serve(send: (message: QueryResponse | typeof READY) => void): void {
  watchProcess()
  process.on('message', (request: QueryRequest) => send(respond(request)))
  process.once('disconnect', () => process.exit())
  send(READY)
}

/** Kills this process if it uses too much memory, or if its parent has ended, even while a statement runs. */
function watchProcess(): void {
  const watch = `
    setInterval(() => {
      if (process.memoryUsage.rss() > ${MEMORY_BYTES_MAX} || process.ppid !== ${process.ppid}) process.kill(process.pid, 'SIGKILL')
    }, 50)`
  new Worker(watch, { eval: true }).unref()
}

/** Runs the statements on a new connection. If one fails, returns its error instead of throwing it. */
export function respond(request: QueryRequest): QueryResponse {
  const limits = { limits: { length: VALUE_BYTES_MAX } }
  const database = new DatabaseSync(':memory:', { readOnly: true, timeout: BUSY_TIMEOUT_MS, ...limits })
  try {
    return runQueries(database, request)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const code = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : null
    return { error: error.message, code }
  } finally {
    database.close()
  }
}

function runQueries(database: DatabaseSync, { file, visible, queries, maxBytes }: QueryRequest): QueryResponse {
  const schema = `s${randomBytes(16).toString('hex')}`
  const { href } = pathToFileURL(file)
  database.prepare(`attach ? as ${schema}`).run(`${href}?mode=ro`)
  database.exec('pragma temp_store = memory; begin')
  // The first read starts the snapshot.
  const states = database.prepare(`select table_name, since, whole_at, starts_at from ${schema}._sync_tables`).all()
  const readable = visible === null ? readableObjects(database, schema) : createShadows(database, schema, visible)
  const tables = new Set<string>()
  database.setAuthorizer(authorizer({ schema, views: visible === null ? null : new Set(Object.keys(visible)), tables }))
  let left = maxBytes
  const results = queries.map((query) => {
    const result = readRows(database, query, left)
    left -= result.rows.reduce((bytes, row) => bytes + Buffer.byteLength(row) + 1, 0)
    return result
  })
  return { states: states.map((row) => ({ ...row }) as StateRow), readable, tables: [...tables], results }
}

/**
 * Returns the columns of all tables and views of the file. Leaves out broken views and tables of store-sync and SQLite.
 */
function readableObjects(database: DatabaseSync, schema: string): Record<string, string[]> {
  const entries = objectsOf(database, schema).flatMap(({ name }): [string, string[]][] => {
    const columns = name.startsWith('_sync_') ? null : columnsOrNull(database, schema, name)
    return columns === null ? [] : [[name, columns]]
  })
  return Object.fromEntries(entries)
}

/** Creates a view for each table and view of the file, and returns the columns of those that can be read. */
function createShadows(
  database: DatabaseSync,
  schema: string,
  visible: Readonly<Record<string, readonly string[]>>,
): Record<string, string[]> {
  const readable: Record<string, string[]> = {}
  const objects = objectsOf(database, schema)
  const create = (name: string, select: string) => database.exec(`create temp view ${quote(name)} as ${select}`)
  for (const { name } of objects) {
    const present = visible[name] === undefined ? [] : (columnsOrNull(database, schema, name) ?? [])
    const columns = present.filter((column) => visible[name]?.includes(column))
    if (columns.length === 0) continue
    create(name, `select ${columns.map(quote).join(', ')} from ${schema}.${quote(name)}`)
    readable[name] = columns
  }
  for (const { name } of objects) {
    // Before `replaceView` creates the views of the file, each hidden table needs a view of the same name. Otherwise a
    // view of the file could read the hidden table.
    if (readable[name] === undefined) create(name, `select * from ${quote(`${name} ${UNREADABLE}`)}`)
  }
  for (const { name, sql } of objects.filter(({ type }) => type === 'view')) {
    const columns = replaceView(database, name, sql)
    if (columns !== null) readable[name] = columns
  }
  return readable
}

/**
 * End of the name of the missing table that the view of a hidden table reads. SQLite's message then is "no such table:
 * NAME is hidden…".
 */
const UNREADABLE = 'is hidden, because it has personal columns or is not a table of the store'

/**
 * Replaces the view `name`, which `createShadows` created, with the view of the file. The new view reads the views of
 * the tables. Returns its columns; null if it needs a hidden column.
 */
function replaceView(database: DatabaseSync, name: string, sql: string): string[] | null {
  database.exec(`savepoint replaced; drop view temp.${quote(name)}`)
  const columns = createView(database, name, sql)
  database.exec(`${columns === null ? 'rollback to replaced; ' : ''}release replaced`)
  return columns
}

function createView(database: DatabaseSync, name: string, sql: string): string[] | null {
  try {
    // SQLite stores each view with this beginning.
    database.exec(sql.replace(/^create view /i, 'create temp view '))
  } catch {
    // A view of an older version of SQLite can have another syntax.
    return null
  }
  return columnsOrNull(database, 'temp', name)
}

interface FileObject {
  readonly type: string
  readonly name: string
  readonly sql: string
}

/** Returns the tables and views of the file, without SQLite's own tables, which `readRows` rejects by name. */
function objectsOf(database: DatabaseSync, schema: string): FileObject[] {
  const text = `select type, name, sql from ${schema}.sqlite_schema where type in ('table', 'view')`
  const rows = database.prepare(text).all()
  const objects = rows.map(({ type, name, sql }) => ({ type: String(type), name: String(name), sql: String(sql) }))
  return objects.filter(({ name }) => !name.toLowerCase().startsWith('sqlite_'))
}

/** Returns the names of the columns, including generated columns; null if the table or view cannot be read. */
function columnsOrNull(database: DatabaseSync, schema: string, name: string): string[] | null {
  try {
    const statement = database.prepare(`select * from ${schema}.${quote(name)} limit 0`)
    return statement.columns().map((column) => column.name)
  } catch {
    return null
  }
}

interface Access {
  readonly schema: string
  /** The views through which the file can be read; null if it can be read directly. */
  readonly views: ReadonlySet<string> | null
  /** Receives the tables of the file that a statement reads. */
  readonly tables: Set<string>
}

/** Returns a function that allows reading and nothing else. */
function authorizer({ schema, views, tables }: Access): Parameters<DatabaseSync['setAuthorizer']>[0] {
  const { SQLITE_DENY, SQLITE_FUNCTION, SQLITE_OK, SQLITE_READ, SQLITE_RECURSIVE, SQLITE_SELECT } = constants
  return (action, ...[name, detail, from, view]) => {
    if (action === SQLITE_SELECT || action === SQLITE_RECURSIVE) return SQLITE_OK
    if (action === SQLITE_FUNCTION)
      return REJECTED_FUNCTIONS.has(String(detail).toLowerCase()) ? SQLITE_DENY : SQLITE_OK
    if (action !== SQLITE_READ || name === null) return SQLITE_DENY
    if (from === schema) tables.add(name)
    // SQLite reports no column if a statement reads none, such as a count, and it then doesn't always report the view.
    // Without a column, a statement can't read a value, so it is allowed.
    if (detail === '') return SQLITE_OK
    if (from === schema) return views === null || (view !== null && views.has(view)) ? SQLITE_OK : SQLITE_DENY
    return from === 'temp' || TABLE_FUNCTIONS.has(name) ? SQLITE_OK : SQLITE_DENY
  }
}

/** Functions that load code, take pointers, or read a table whose name is their argument. */
const REJECTED_FUNCTIONS: ReadonlySet<string> = new Set(['load_extension', 'fts3_tokenizer', 'rtreecheck'])
/** Functions that return rows and read only their arguments. SQLite reports a read of each as of a table. */
const TABLE_FUNCTIONS: ReadonlySet<string> = new Set(['json_each', 'json_tree'])

function readRows(database: DatabaseSync, { sql, values = [] }: Query, maxBytes: number): QueryRows {
  // Views cannot shadow tables with these names. Some can contain values of other tables, such as sqlite_stat4.
  if (/sqlite_/i.test(sql)) throw new Error('SQLite’s own tables cannot be read; the tool schema lists the tables')
  const statement = database.prepare(sql)
  if (hasSecondStatement(sql, statement.sourceSQL)) throw new Error('send one statement at a time')
  statement.setReturnArrays(true)
  statement.setReadBigInts(true)
  const rows: string[] = []
  let bytes = 0
  for (const row of statement.iterate(...values) as Iterable<unknown>) {
    const text = encodeRow(row as unknown[])
    bytes += Buffer.byteLength(text) + 1
    if (bytes > maxBytes) return { columns: columnNames(statement), rows, isCut: true }
    rows.push(text)
  }
  return { columns: columnNames(statement), rows, isCut: false }
}

function columnNames(statement: ReturnType<DatabaseSync['prepare']>): string[] {
  return statement.columns().map(({ name }) => name)
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

if (process.send !== undefined) serve(process.send.bind(process))
