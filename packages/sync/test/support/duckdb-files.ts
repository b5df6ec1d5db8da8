// Opens the files of DuckDB copies without store-sync.

import { existsSync } from 'node:fs'
import path from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { duckDbCopy } from '../../src/index.ts'
import { ALL_TABLES, damagedTable, type HistoryDestinations } from './destinations.ts'
import { createFolder } from './folders.ts'
import { byId, type RowsByTable, type TextRow, withDigits, withJson } from './rows-by-table.ts'

/** The options of store-sync. Connections of one process to a file must use the same. */
const OPTIONS = {
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  threads: '1',
  memory_limit: '512MB',
}

/** Opens a file, calls `work` and closes the file. A copy in this process can have the file open. */
export async function withDuckDb<T>(file: string, work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
  const database = await DuckDBInstance.fromCache(file, OPTIONS)
  const connection = await database.connect()
  try {
    await connection.run("set TimeZone = 'UTC'")
    return await work(connection)
  } finally {
    connection.closeSync()
    database.closeSync()
  }
}

export function queryDuckDb(file: string, sql: string): Promise<Record<string, unknown>[]> {
  return withDuckDb(file, async (connection) => (await connection.runAndReadAll(sql)).getRowObjectsJson())
}

/** Returns the rows of a table as text. Decimals of several columns are the digits that the service sent. */
export async function readDuckDbTable(connection: DuckDBConnection, table: string): Promise<TextRow[]> {
  const described = await connection.runAndReadAll(`describe ${table}`)
  const columns = described.getRowObjectsJson().map(({ column_name: name, column_type: type }) => {
    const text =
      type === 'TIMESTAMP WITH TIME ZONE' ? `strftime("${name}", '%Y-%m-%dT%H:%M:%S.%gZ')` : `"${name}"::varchar`
    return `hex(${text}) as "${name}"`
  })
  const rows = (
    await connection.runAndReadAll(`select ${columns.join(', ')} from ${table} order by ${table}.id`)
  ).getRowObjectsJson()
  // The query returns bytes, because the driver's decoder drops a U+FEFF at the start.
  const decode = (hex: unknown) => (hex === null ? null : Buffer.from(String(hex), 'hex').toString('utf8'))
  return rows.map((row) => {
    const texts = Object.fromEntries(Object.entries(row).map(([name, hex]) => [name, decode(hex)]))
    return Object.fromEntries(
      Object.entries(withDigits(texts)).map(([name, value]) => [name, value === null ? null : String(value)]),
    )
  })
}

export const duckDbDestinations = async (): Promise<HistoryDestinations> => ({
  async next() {
    const { folder, remove } = await createFolder()
    const file = path.join(folder, 'shop.duckdb')
    return {
      to: `duckdb:${file}`,
      make: () => duckDbCopy(file),
      read: async () => (existsSync(file) ? withDuckDb(file, readTables) : null),
      showsOnlyCompleteRuns: false,
      // DuckDB has no triggers, so writes fail because the table has another name.
      async damage(random) {
        if (!existsSync(file)) return async () => undefined
        const table = damagedTable(random)
        const rename = (from: string, to: string) => async () =>
          void (await withDuckDb(file, (connection) => connection.run(`alter table if exists ${from} rename to ${to}`)))
        await rename(table, 'no_space')()
        return rename('no_space', table)
      },
      remove,
    }
  },
  close: async () => undefined,
})

async function readTables(connection: DuckDBConnection): Promise<RowsByTable | null> {
  const found = await connection.runAndReadAll("select 1 from duckdb_views() where view_name = 'order_lines'")
  if (found.currentRowCount === 0) return null
  await connection.run('begin')
  const tables = new Map<string, ReadonlyMap<string, TextRow>>()
  for (const { name } of ALL_TABLES) {
    const rows = await readDuckDbTable(connection, name)
    tables.set(
      name,
      byId(
        name,
        rows.map((row) => withJson(name, row)),
      ),
    )
  }
  await connection.run('commit')
  return tables
}
