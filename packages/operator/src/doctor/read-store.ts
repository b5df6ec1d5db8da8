// Asks a store database, as the service's own role, for what the doctor judges. Reads and nothing else; every statement
// has a time limit.

import { describeTls, lookAtTransactions, openPool, parseConnectionUrl, type Sql } from '@store-export/engine'
import { codeOf } from '../problem.ts'
import type { ColumnFact, ConnectionFacts, IndexFact, StoreFacts, TableValues } from './facts.ts'
import { countStatement, type TableCheck, valueChecks } from './values.ts'

const CONNECT_TIMEOUT_MS = 3000
const STATEMENT_SECONDS_MAX = 3
const CLOSE_SECONDS_MAX = 1

/** The facts of the store behind this URL. Rejects with the driver's or the system's error when it cannot be read. */
export async function readStore(url: string): Promise<StoreFacts> {
  const target = parseConnectionUrl(url)
  const sql = openPool(target, {
    connectionsMax: 1,
    applicationName: 'store-export doctor',
    // a pooler may give every statement another session
    preparedStatements: false,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  })
  try {
    const connection = { ...(await readConnection(sql)), tlsAsked: describeTls(target) }
    const transactions = await lookAtTransactions(sql)
    const columns = await ask<ColumnFact>(sql, COLUMNS)
    const indexes = await ask<IndexFact>(sql, INDEXES)
    const values: TableValues[] = []
    for (const check of valueChecks(columns)) values.push(await readValues(sql, check))
    return { connection, columns, indexes, values, transactions }
  } finally {
    await sql.end({ timeout: CLOSE_SECONDS_MAX })
  }
}

/** How far a server's clock is ahead of ours, in ms: its answer is taken for the middle of the round trip. */
export async function readClockAheadMs(sql: Sql): Promise<number> {
  const before = Date.now()
  const [row] = await ask<{ milliseconds: number }>(
    sql,
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as milliseconds',
  )
  return Math.round((row?.milliseconds ?? before) - (before + Date.now()) / 2)
}

/** Whether this connection is encrypted, as the server sees it. */
export async function readTlsInUse(sql: Sql): Promise<boolean> {
  const [row] = await ask<{ usesTls: boolean }>(sql, `select ${USES_TLS} as "usesTls"`)
  return row?.usesTls ?? false
}

/** The rows of one statement, which is ended after some seconds. */
async function ask<Row>(sql: Sql, statement: string): Promise<Row[]> {
  // Two statements in one message are one transaction, which the limit does not outlive, through a pooler neither.
  const results = await sql.unsafe(`set local statement_timeout = '${STATEMENT_SECONDS_MAX}s'; ${statement}`)
  // the driver cannot type what several statements answer
  const [, rows] = results as unknown as [unknown, Row[]]
  return rows
}

async function readConnection(sql: Sql): Promise<Omit<ConnectionFacts, 'tlsAsked'>> {
  // the first round trip opens the connection and says nothing about the clock
  const [row] = await ask<Omit<ConnectionFacts, 'tlsAsked' | 'clockAheadMs'>>(sql, CONNECTION)
  if (row === undefined) throw new Error('the store database did not say who we are')
  return { ...row, clockAheadMs: await readClockAheadMs(sql) }
}

async function readValues(sql: Sql, check: TableCheck): Promise<TableValues> {
  const { table } = check
  try {
    const [row] = await ask<Record<string, number>>(sql, countStatement(check))
    const counts = check.checks.map(({ column, kind }, position) => ({ column, kind, count: row?.[position] ?? 0 }))
    return { table, rows: row?.rows ?? 0, problem: null, counts }
  } catch (error) {
    const code = codeOf(error)
    // a refusal of the statement is the table's affair, a lost connection is not
    if (code === null || !/^[0-9A-Z]{5}$/.test(code) || /^(08|57P)/.test(code)) throw error
    const problem = code === '57014' ? `it takes longer than ${STATEMENT_SECONDS_MAX} s` : `the server says ${code}`
    return { table, rows: null, problem, counts: [] }
  }
}

const USES_TLS = `coalesce((select ssl from pg_catalog.pg_stat_ssl where pid = pg_catalog.pg_backend_pid()), false)`

const CONNECTION = `select current_user::text as role, current_setting('server_version') as "serverVersion",
    ${USES_TLS} as "usesTls",
    (select rolsuper from pg_catalog.pg_roles where rolname = current_user) as "isSuperuser",
    has_schema_privilege('public', 'usage') as "mayUseSchema",
    pg_has_role('pg_read_all_stats', 'usage') as "mayReadStats"`

const COLUMNS = `select c.relname::text as "table", a.attname::text as "column",
    has_column_privilege(c.oid, a.attnum, 'select') as readable, c.relkind in ('r', 'p') as "isTable",
    pg_has_role(c.relowner, 'usage') as "ownsTable"
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relkind in ('r', 'p', 'v', 'm', 'f')
  order by c.relname, a.attnum`

const INDEXES = `select t.relname::text as "table", i.relname::text as "name", x.indisvalid as "isValid",
    x.indpred is not null as "isPartial",
    (select json_agg(pg_get_indexdef(x.indexrelid, k, true) order by k)
      from generate_series(1, x.indnkeyatts::int) as k) as columns
  from pg_catalog.pg_index x
  join pg_catalog.pg_class i on i.oid = x.indexrelid
  join pg_catalog.pg_class t on t.oid = x.indrelid
  join pg_catalog.pg_namespace n on n.oid = t.relnamespace and n.nspname = 'public'
  order by t.relname, i.relname`
