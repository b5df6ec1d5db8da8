// Databases of a MySQL or MariaDB server, read without store-sync.

import { randomUUID } from 'node:crypto'
import { loadMySql, type MySqlConnection } from '../../src/copies/mysql/load-mysql.ts'
import { mySqlCopy } from '../../src/index.ts'
import type { TestDestination } from './copy-contract.ts'
import { ALL_TABLES, damagedTable, type HistoryDestinations } from './destinations.ts'
import type { Random } from './random.ts'
import { byId, type TextRow, withDigits, withJson } from './rows-by-table.ts'

/** A new database, and a connection to it. */
export interface MySqlDatabase {
  readonly url: string
  readonly sql: MySqlConnection
  query(statement: string): Promise<Record<string, unknown>[]>
  remove(): Promise<void>
}

/** Creates a database on the server at `url`. */
export async function createMySqlDatabase(url: string): Promise<MySqlDatabase> {
  const name = `copy_${randomUUID().slice(0, 8)}`
  const { hostname, port, username } = new URL(url)
  const driver = await loadMySql()
  const sql = await driver.createConnection({
    ...{ host: hostname, port: Number(port), user: username, charset: 'utf8mb4_bin', multipleStatements: true },
  })
  await sql.query(`create database ${name}; use ${name}; set time_zone = '+00:00'`, [])
  const query = async (statement: string) => {
    const [rows] = await sql.query(statement, [])
    return Array.isArray(rows) ? rows : []
  }
  return {
    url: `${url}/${name}`,
    sql,
    query,
    async remove() {
      await query(`drop database ${name}`)
      await sql.end()
    },
  }
}

/** Returns the rows of a table as text. Decimals of several columns are the digits that the service sent. */
export async function readMySqlTable({ query }: MySqlDatabase, table: string): Promise<TextRow[]> {
  const columns = await query(
    `select column_name as name, column_type as type from information_schema.columns
    where table_schema = database() and table_name = '${table}'`,
  )
  const texts = columns.map(({ name, type }) => {
    if (String(type).startsWith('datetime'))
      return `concat(left(date_format(\`${name}\`, '%Y-%m-%dT%H:%i:%s.%f'), 23), 'Z') as \`${name}\``
    if (type === 'tinyint(1)') return `if(\`${name}\` is null, null, if(\`${name}\`, 'true', 'false')) as \`${name}\``
    return `cast(\`${name}\` as char) as \`${name}\``
  })
  const rows = await query(`select ${texts.join(', ')} from \`${table}\` order by id`)
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(withDigits(row)).map(([name, value]) => [name, value === null ? null : String(value)]),
    ),
  )
}

/** Returns a destination for the contract of copies. */
export async function mySqlTestDestination(url: string): Promise<TestDestination> {
  const database = await createMySqlDatabase(url)
  return {
    make: () => mySqlCopy(database.url),
    read: async (table) => [...(await readMySqlTable(database, table))].map((row) => ({ ...row })),
    change: async (statement) => void (await database.query(statement)),
    remove: database.remove,
  }
}

export async function mySqlDestinations(url: string): Promise<HistoryDestinations> {
  return {
    async next() {
      const database = await createMySqlDatabase(url)
      return {
        to: database.url,
        make: () => mySqlCopy(database.url),
        read: () => readTables(database),
        showsOnlyCompleteRuns: false,
        damage: (random) => damage(database, random),
        remove: database.remove,
      }
    },
    close: async () => undefined,
  }
}

async function readTables(database: MySqlDatabase) {
  const found = await database.query("show full tables like 'order_lines'")
  if (found.length === 0) return null
  await database.query('start transaction with consistent snapshot')
  const tables = new Map<string, ReadonlyMap<string, TextRow>>()
  for (const { name } of ALL_TABLES) {
    const rows = await readMySqlTable(database, name)
    tables.set(
      name,
      byId(
        name,
        rows.map((row) => withJson(name, row)),
      ),
    )
  }
  await database.query('commit')
  return tables
}

/** Ends the connections of store-sync, or makes inserts into a random table fail. */
async function damage({ query }: MySqlDatabase, random: Random): Promise<() => Promise<void>> {
  if (random.chance(0.5)) {
    const processes = await query(
      'select id from information_schema.processlist where db = database() and id <> connection_id()',
    )
    for (const { id } of processes) await query(`kill ${id}`).catch(() => undefined)
    return async () => undefined
  }
  const table = damagedTable(random)
  if ((await query(`show tables like '${table}'`)).length === 0) return async () => undefined
  await query(
    `create trigger no_space before insert on ${table} for each row signal sqlstate '45000' set message_text = 'no space is left'`,
  )
  return async () => void (await query('drop trigger if exists no_space'))
}
