// Folders of Parquet files, read by DuckDB.

import { existsSync } from 'node:fs'
import path from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { parquetCopy } from '../../src/index.ts'
import { ALL_TABLES, block, damageSqlite, type HistoryDestinations } from './destinations.ts'
import { createFolder } from './folders.ts'
import { byId, type RowsByTable, type TextRow, withJson } from './rows-by-table.ts'

export async function parquetDestinations(): Promise<HistoryDestinations> {
  const database = await DuckDBInstance.create(':memory:', { autoload_known_extensions: 'false' })
  const connection = await database.connect()
  await connection.run("set TimeZone = 'UTC'")
  return {
    async next() {
      const { folder, remove } = await createFolder()
      return {
        to: `parquet:${folder}`,
        make: () => parquetCopy(folder),
        read: () => readFolder(connection, folder),
        showsOnlyCompleteRuns: true,
        addsZeros: true,
        damage: (random) =>
          random.chance(0.5)
            ? block(path.join(folder, '.orders.parquet.new'))
            : damageSqlite(path.join(folder, '.store-sync-parquet.db'), random),
        remove,
      }
    },
    async close() {
      connection.closeSync()
      database.closeSync()
    },
  }
}

async function readFolder(connection: DuckDBConnection, folder: string): Promise<RowsByTable | null> {
  if (!existsSync(path.join(folder, 'store.parquet'))) return null
  const tables = new Map<string, ReadonlyMap<string, TextRow>>()
  for (const { name } of ALL_TABLES) {
    const from = `'${path.join(folder, `${name}.parquet`)}'`
    const described = await connection.runAndReadAll(`describe select * from ${from}`)
    const columns = described.getRowObjectsJson().map(({ column_name: column, column_type: type }) => {
      const text =
        type === 'TIMESTAMP WITH TIME ZONE' ? `strftime("${column}", '%Y-%m-%dT%H:%M:%S.%gZ')` : `"${column}"::varchar`
      return `hex(${text}) as "${column}"`
    })
    const read = await connection.runAndReadAll(`select ${columns.join(', ')} from ${from}`)
    tables.set(
      name,
      byId(
        name,
        read.getRowObjectsJson().map((row) => withJson(name, textsOf(row))),
      ),
    )
  }
  return tables
}

/** Decodes bytes, because the driver's decoder drops a U+FEFF at the start. */
function textsOf(row: Record<string, unknown>): Record<string, string | null> {
  const texts = Object.entries(row).map(([name, hex]): [string, string | null] => [
    name,
    hex === null ? null : Buffer.from(String(hex), 'hex').toString('utf8'),
  ])
  return Object.fromEntries(texts)
}
