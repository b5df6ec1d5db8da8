// SQLite, CSV, XLSX, and PostgreSQL destinations for histories: creates copies, reads them without store-sync, and
// makes their writes fail.

import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import postgres from 'postgres'
import { createDatabase } from '../../../../test/support/databases.ts'
import { type Copy, csvCopy, PostgresCopy, SqliteCopy, TABLES, xlsxCopy } from '../../src/index.ts'
import { readCsv } from './csv-reader.ts'
import { createFolder } from './folders.ts'
import type { Random } from './random.ts'
import { byId, type RowsByTable, type TextRow, withDigits, withJson } from './rows-by-table.ts'
import { readXlsx } from './xlsx-reader.ts'

export interface HistoryDestination {
  /** Value of `--to`. */
  readonly to: string
  /** Creates another `Copy` of the same destination. */
  make(): Copy
  /** Reads the rows without store-sync; null if there is no copy yet. */
  read(): Promise<RowsByTable | null>
  /** Whether readers see only the results of complete runs. */
  readonly showsOnlyCompleteRuns: boolean
  /** Whether decimals may end with more zeros than the service sent. */
  readonly addsZeros?: true
  /** Makes writes fail. Returns a function that repairs the destination. */
  damage(random: Random): Promise<() => Promise<void>>
  remove(): Promise<void>
}

export interface HistoryDestinations {
  next(): Promise<HistoryDestination>
  close(): Promise<void>
}

/** The tables of a copy, each followed by its embedded tables. */
export const ALL_TABLES = TABLES.flatMap((table) => [table, ...table.children])

function readTables(read: (table: string) => readonly TextRow[]): RowsByTable {
  return new Map(ALL_TABLES.map(({ name }) => [name, byId(name, read(name))]))
}

export const sqliteDestinations = async (): Promise<HistoryDestinations> => ({
  async next() {
    const { folder, remove } = await createFolder()
    const file = path.join(folder, 'shop.db')
    return {
      to: `sqlite:${file}`,
      make: () => new SqliteCopy(file),
      read: async () => readSqlite(file),
      showsOnlyCompleteRuns: false,
      damage: async (random) => damageSqlite(file, random),
      remove,
    }
  },
  close: async () => undefined,
})

export const csvDestinations = async (): Promise<HistoryDestinations> => ({
  async next() {
    const { folder, remove } = await createFolder()
    return {
      to: `csv:${folder}`,
      make: () => csvCopy(folder),
      read: async () =>
        existsSync(path.join(folder, 'store.csv'))
          ? readTables((table) => readCsv(path.join(folder, `${table}.csv`)).map((row) => withJson(table, row)))
          : null,
      showsOnlyCompleteRuns: true,
      damage: (random) =>
        random.chance(0.5)
          ? block(path.join(folder, '.orders.csv.new'))
          : damageSqlite(path.join(folder, '.store-sync.db'), random),
      remove,
    }
  },
  close: async () => undefined,
})

export const xlsxDestinations = async (): Promise<HistoryDestinations> => ({
  async next() {
    const { folder, remove } = await createFolder()
    const file = path.join(folder, 'shop.xlsx')
    return {
      to: `xlsx:${file}`,
      make: () => xlsxCopy(file),
      async read() {
        if (!existsSync(file)) return null
        const sheets = readXlsx(file)
        return readTables((table) => (sheets.get(table) ?? []).map((row) => withJson(table, row)))
      },
      showsOnlyCompleteRuns: true,
      damage: (random) =>
        random.chance(0.5)
          ? block(path.join(folder, '.shop.xlsx.sheet'))
          : damageSqlite(`${file}.store-sync.db`, random),
      remove,
    }
  },
  close: async () => undefined,
})

/** Schemas of one PostgreSQL database. */
export async function postgresDestinations(): Promise<HistoryDestinations> {
  const { url, drop } = await createDatabase()
  const sql = postgres(url, { max: 1, onnotice: () => undefined })
  let made = 0
  return {
    async next() {
      made += 1
      const schema = `copy_${made}`
      const target = new URL(url)
      target.searchParams.set('schema', schema)
      return {
        to: target.href,
        make: () => new PostgresCopy({ url, schema }),
        read: () => readPostgres(sql, schema),
        showsOnlyCompleteRuns: false,
        damage: async (random) => (random.chance(0.5) ? cutConnections(sql) : damagePostgres(sql, schema, random)),
        remove: async () => void (await sql.unsafe(`drop schema if exists ${schema} cascade`)),
      }
    },
    async close() {
      await sql.end()
      await drop()
    },
  }
}

function readSqlite(file: string): RowsByTable | null {
  if (!existsSync(file)) return null
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const [check] = database.prepare('pragma quick_check').all()
    if (check?.quick_check !== 'ok') throw new Error(`the file is damaged: ${JSON.stringify(check)}`)
    if (database.prepare("select 1 from sqlite_schema where name = 'order_lines'").get() === undefined) return null
    database.exec('begin')
    return readTables((table) =>
      database
        .prepare(`select * from ${table}`)
        .all()
        .map((row) => sqliteRow(table, row)),
    )
  } finally {
    database.close()
  }
}

const BOOLEANS = new Set(
  ALL_TABLES.flatMap(({ name, columns }) =>
    columns.filter(({ kind }) => kind === 'boolean').map((column) => `${name}.${column.name}`),
  ),
)

function sqliteRow(table: string, row: Record<string, unknown>): TextRow {
  const texts = Object.entries(withDigits(row)).map(([name, value]): [string, string | null] => {
    if (value === null) return [name, null]
    return [name, BOOLEANS.has(`${table}.${name}`) ? String(value === 1) : String(value)]
  })
  return withJson(table, Object.fromEntries(texts))
}

async function readPostgres(sql: postgres.Sql, schema: string): Promise<RowsByTable | null> {
  const [{ made } = { made: null }] = await sql.unsafe(`select to_regclass('${schema}.order_lines') as made`)
  if (made === null) return null
  const selects = ALL_TABLES.map(({ name, columns }) => {
    const texts = columns.map((column) => {
      const at = `"${column.name}"`
      if (column.kind !== 'timestamp') return `${at}::text as ${at}`
      return `to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${at}`
    })
    return `select ${texts.join(', ')} from ${schema}.${name}`
  })
  // One message with all statements takes only one round trip.
  const results = await sql.unsafe(selects.join(';')).simple()
  return new Map(
    ALL_TABLES.map(({ name }, index) => {
      const rows: Record<string, string | null>[] = [...(results[index] ?? [])]
      return [
        name,
        byId(
          name,
          rows.map((row) => withJson(name, row)),
        ),
      ]
    }),
  )
}

/**
 * Makes inserts into a random table fail, as on a full disk, until the returned function is called. Changes nothing if
 * there is no copy yet.
 */
export async function damageSqlite(file: string, random: Random): Promise<() => Promise<void>> {
  const table = damagedTable(random)
  const other = () => new DatabaseSync(file, { timeout: 1000 })
  if (isEmptyCopy(file)) return async () => undefined
  const database = other()
  database.exec(`create trigger no_space before insert on ${table} begin select raise(abort, 'no space is left'); end`)
  database.close()
  return async () => {
    const again = other()
    again.exec('drop trigger no_space')
    again.close()
  }
}

/** Returns mostly an embedded table, because its parents are already written by then and must be rolled back. */
export function damagedTable(random: Random): string {
  return random.chance(0.6) ? random.pick(['order_items', 'product_variants']) : random.pick(ALL_TABLES).name
}

function isEmptyCopy(file: string): boolean {
  return !existsSync(file) || readSqlite(file) === null
}

/** Makes a run fail by a folder with the name of a file that it writes. The returned function removes the folder. */
export async function block(file: string): Promise<() => Promise<void>> {
  await mkdir(file, { recursive: true })
  return () => rm(file, { recursive: true, force: true })
}

async function cutConnections(sql: postgres.Sql): Promise<() => Promise<void>> {
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name = 'store-sync'`
  return async () => undefined
}

async function damagePostgres(sql: postgres.Sql, schema: string, random: Random): Promise<() => Promise<void>> {
  const table = `${schema}.${damagedTable(random)}`
  const [{ made } = { made: null }] = await sql.unsafe(`select to_regclass('${table}') as made`)
  if (made === null) return async () => undefined
  await sql.unsafe(`
    create or replace function ${schema}.no_space() returns trigger language plpgsql as
      $$ begin raise exception 'no space is left' using errcode = 'disk_full'; end $$;
    create trigger no_space before insert on ${table} for each row execute function ${schema}.no_space()`)
  return async () => void (await sql.unsafe(`drop trigger no_space on ${table}`))
}
