// Reads the facts of a store database with the reader's role and the connection settings of the nodes. Each statement
// of this file and the whole read have a time limit. The poll of open transactions has only that of the session.
// Catalog queries need no lock on the store's tables, so a locked table doesn't delay them. The scan of a locked
// table's values waits until the limit of its statement.

import { pollOpenTransactions, sessionSettings, TYPE_NAME } from '@store-export/engine'
import { type Connection, connect, describeTls, parseConnectionUrl, queryAll, within } from '@store-export/postgres'
import type { Config } from '../config.ts'
import { codeOf } from '../explain-error.ts'
import { quoteText } from '../store-schema/sql-text.ts'
import { countStatement, type TableCheck, valueChecks } from './check-values.ts'
import type { ColumnFact, ConnectionFacts, LockFact, StoreFacts, TableValues } from './facts.ts'
import { keysOf, type StoredIndex } from './index-keys.ts'

/** Which facts to read, and the settings of the nodes. */
export interface ReadOptions {
  readonly config: Pick<Config, 'storeSessionSettings' | 'storeTimeoutMs'>
  /** The schema that contains the store's tables. */
  readonly schemaName: string
  /** Whether to count invalid values in the rows of the tables. */
  readonly scansValues: boolean
}

const CONNECT_TIMEOUT_MS = 3000
const STATEMENT_SECONDS_MAX = 3
/**
 * Maximum time for the catalog, after the connection. It is long enough for several statements that reach their limits.
 */
const CATALOG_MS = 15_000
/** Maximum time for the catalog and the scan of values. */
const VALUES_MS = 60_000

/**
 * Returns the facts of a store. Rejects with `TimeLimitPassed` 15 s after it has connected, or 60 s if values are
 * scanned. Also rejects with errors of the connection and of the catalog queries. An error of a scan's statement is
 * only recorded in its `TableValues`, unless the connection is lost.
 */
export async function readStore(url: string, { config, scansValues, schemaName }: ReadOptions): Promise<StoreFacts> {
  const target = parseConnectionUrl(url)
  const startup = { ...sessionSettings(config), ...target.startup }
  const connectTimeoutMs = Math.min(CONNECT_TIMEOUT_MS, config.storeTimeoutMs)
  const connection = await connect({ ...target, startup }, { applicationName: 'store-export doctor', connectTimeoutMs })
  const read = async (): Promise<StoreFacts> => {
    const catalog = await readCatalog(connection, schemaName)
    const facts = { ...catalog.connection, requestedTls: describeTls(target) }
    return {
      ...catalog,
      connection: facts,
      values: scansValues ? await readAllValues(connection, schemaName, catalog.columns) : null,
    }
  }
  try {
    return await within(scansValues ? VALUES_MS : CATALOG_MS, read(), () => undefined)
  } finally {
    await connection.close()
  }
}

/**
 * Returns how far the server's clock is ahead of this machine's clock, in ms. The error is at most half of the round
 * trip.
 */
export async function readClockAheadMs(connection: Connection): Promise<number> {
  const before = Date.now()
  const [row] = await query<{ milliseconds: number }>(
    connection,
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as milliseconds',
  )
  return Math.round((row?.milliseconds ?? before) - (before + Date.now()) / 2)
}

/** Whether the server reports this connection as encrypted; false if it reports nothing. */
export async function readTlsInUse(connection: Connection): Promise<boolean> {
  const [row] = await query<{ usesTls: boolean }>(connection, `select ${USES_TLS} as "usesTls"`)
  return row?.usesTls ?? false
}

/** Returns the rows of one statement with a time limit. */
async function query<Row extends object>(connection: Connection, statement: string): Promise<Row[]> {
  const [rows] = await queryTogether<[Row[]]>(connection, [statement])
  return rows
}

/**
 * Returns the rows of statements in one round trip. The time limit ends with their transaction, even behind a pooler.
 */
async function queryTogether<Results extends object[][]>(
  connection: Connection,
  texts: readonly string[],
): Promise<Results> {
  const limit = `set local statement_timeout = '${STATEMENT_SECONDS_MAX}s'`
  const statements = ['begin', limit, ...texts, 'commit'].map((text) => ({ text, values: [] }))
  try {
    const results = await queryAll(connection, statements)
    return results.slice(2, -1) as Results
  } catch (error) {
    if (connection.transaction !== 'none') await connection.script('rollback')
    throw error
  }
}

async function readCatalog(connection: Connection, schemaName: string) {
  type Rows = [Omit<ConnectionFacts, 'requestedTls' | 'clockAheadMs' | 'schemaName'>[], ColumnFact[], StoredIndex[]]
  const [[role], columns, indexes] = await queryTogether<Rows>(connection, [
    connectionStatement(schemaName),
    columnsStatement(schemaName),
    indexesStatement(schemaName),
  ])
  if (role === undefined) throw new Error('the store database did not return the role of the session')
  // This runs after the first round trip, because the first round trip can include the start of the session.
  const session = { ...role, schemaName, clockAheadMs: await readClockAheadMs(connection) }
  // A server that is only compatible with PostgreSQL may be unable to show locks, so this error is ignored. If the
  // connection was lost, the next statement fails too.
  const locks = await query<LockFact>(connection, locksStatement(schemaName)).catch(() => [])
  const facts = { connection: session, columns, locks, transactions: await pollOpenTransactions(connection) }
  return { ...facts, indexes: indexes.map((index) => ({ ...index, columns: keysOf(index, columns) })) }
}

async function readAllValues(
  connection: Connection,
  schemaName: string,
  columns: readonly ColumnFact[],
): Promise<TableValues[]> {
  const values: TableValues[] = []
  for (const check of valueChecks(columns)) values.push(await readValues(connection, schemaName, check))
  return values
}

async function readValues(connection: Connection, schemaName: string, check: TableCheck): Promise<TableValues> {
  const { table } = check
  try {
    const [row] = await query<Record<string, number>>(connection, countStatement(check, schemaName))
    const counts = check.checks.map(({ column, kind }, position) => ({ column, kind, count: row?.[position] ?? 0 }))
    return { table, rows: row?.rows ?? 0, problem: null, counts }
  } catch (error) {
    const code = codeOf(error)
    // An error of the statement concerns only this table. A lost connection concerns all tables.
    if (code === null || !/^[0-9A-Z]{5}$/.test(code) || /^(08|57P)/.test(code)) throw error
    const problem =
      code === '57014' ? `the scan takes longer than ${STATEMENT_SECONDS_MAX} s` : `the server reports ${code}`
    return { table, rows: null, problem, counts: [] }
  }
}

const USES_TLS = `coalesce((select ssl from pg_catalog.pg_stat_ssl where pid = pg_catalog.pg_backend_pid()), false)`

const connectionStatement = (
  schemaName: string,
) => `select current_user::text as role, current_setting('server_version') as "serverVersion",
    ${USES_TLS} as "usesTls",
    (select rolsuper from pg_catalog.pg_roles where rolname = current_user) as "isSuperuser",
    (select has_schema_privilege(oid, 'usage') from pg_catalog.pg_namespace where nspname = ${quoteText(schemaName)})
      as "mayUseSchema",
    pg_has_role('pg_read_all_stats', 'usage') as "mayReadStats"`

const columnsStatement = (
  schemaName: string,
) => `select c.relname::text as "table", a.attname::text as "column", a.attnum::int as "number",
    ${TYPE_NAME} as "type", has_column_privilege(c.oid, a.attnum, 'select') as readable,
    pg_has_role(c.relowner, 'usage') as "ownsTable",
    has_table_privilege(c.oid, 'insert, update, delete, truncate') as "mayWrite",
    case c.relkind when 'r' then 'table' when 'p' then 'partitioned table' when 'm' then 'materialized view'
      when 'f' then 'foreign table' else 'view' end as relation
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = ${quoteText(schemaName)}
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_catalog.pg_type t on t.oid = a.atttypid
  where c.relkind in ('r', 'p', 'v', 'm', 'f')
  order by c.relname, a.attnum`

/** Selects the B-tree indexes, for `keysOf`. */
const indexesStatement = (
  schemaName: string,
) => `select t.relname::text as "table", i.relname::text as "name", x.indisvalid as "isValid",
    x.indpred is not null as "isPartial", x.indnkeyatts::int as "count", x.indkey::text as "numbers",
    x.indoption::text as "options"
  from pg_catalog.pg_index x
  join pg_catalog.pg_class t on t.oid = x.indrelid
  join pg_catalog.pg_namespace n on n.oid = t.relnamespace and n.nspname = ${quoteText(schemaName)}
  join pg_catalog.pg_class i on i.oid = x.indexrelid
  join pg_catalog.pg_am m on m.oid = i.relam and m.amname = 'btree'
  order by t.relname, i.relname`

const locksStatement = (schemaName: string) => `select c.relname::text as "table", l.pid
  from pg_catalog.pg_lock_status() l
  join pg_catalog.pg_database d on d.oid = l.database and d.datname = current_database()
  join pg_catalog.pg_class c on c.oid = l.relation and c.relkind in ('r', 'p', 'v', 'm', 'f')
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = ${quoteText(schemaName)}
  where l.locktype = 'relation' and l.granted and l.mode = 'AccessExclusiveLock' and l.pid is not null
  order by c.relname, l.pid`
