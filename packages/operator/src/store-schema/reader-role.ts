// The role with which the service reads a store: SQL text only, for our own provisioning and for a platform to run.

import type { RevisionId } from '@store-export/contract'
import { quoteName, quoteSchema, quoteTable, quoteText } from './sql-text.ts'
import { storeTables } from './store-tables.ts'

/**
 * What the role's sessions start with. The limits stand on the role because a pooler loses what a session sets;
 * `statement_timeout` is below the service's own limit so that no query outlives its request. It bounds a wait for a lock,
 * too: a shorter `lock_timeout` would only fail pages that a migration of the platform keeps waiting for a moment.
 */
const ROLE_SETTINGS = {
  default_transaction_read_only: 'on',
  // another level's snapshot may be older than the locks of the tables: one that was being rewritten would look empty
  default_transaction_isolation: 'read committed',
  statement_timeout: '5s',
  idle_in_transaction_session_timeout: '10s',
  jit: 'off',
  timezone: 'UTC',
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  extra_float_digits: '1',
  client_encoding: 'UTF8',
} as const

/**
 * Connections that the role may have at once, on all nodes together: five nodes with four each (`STORE_EXPORT_STORE_POOL_SIZE`).
 * PostgreSQL has 100 by default, and the platform needs most of them.
 */
export const READER_CONNECTIONS_MAX = 20

/** How often a running query looks whether its client is still there; not every server and system can. */
const CONNECTION_CHECK_INTERVAL = '500ms'

/** A role to create. */
interface NewReader {
  readonly role: string
  readonly password: string
  /** The schema of the store's tables; `public` if absent. */
  readonly schemaName?: string
}

/**
 * SQL that creates the role, to be run once by one who may create roles. `password` may be a SCRAM verifier. The role
 * inherits, unlike what one expects of a reader: without that `pg_read_all_stats`, which shows it the start of the oldest
 * transaction, would have no effect; it is a member of nothing else.
 */
export function readerRoleSql({ role, password, schemaName = 'public' }: NewReader): string {
  const name = quoteName(role)
  const settings = Object.entries(ROLE_SETTINGS).map(
    ([setting, value]) => `alter role ${name} set ${setting} = ${quoteText(value)};`,
  )
  const checkInterval = `alter role ${name} set client_connection_check_interval = ${quoteText(CONNECTION_CHECK_INTERVAL)}`
  return [
    `create role ${name} login password ${quoteText(password)} connection limit ${READER_CONNECTIONS_MAX};`,
    ...settings,
    `alter role ${name} set search_path = ${quoteSchema(schemaName)};`,
    '-- PostgreSQL 14 and later, where the system can tell that a connection was closed.',
    attempt(checkInterval, 'undefined_object or invalid_parameter_value'),
    '-- Lets the service see how old the oldest open transaction is, which makes x-sync-watermark exact.',
    attempt(`grant pg_read_all_stats to ${name}`, 'insufficient_privilege'),
    '',
  ].join('\n')
}

/** SQL that takes back the `lock_timeout` with which earlier versions made the role; left out without the right to. */
export function readerRoleResetSql({ role }: { role: string }): string {
  return attempt(`alter role ${quoteName(role)} reset lock_timeout`, 'insufficient_privilege')
}

/** SQL that lets the role connect to the database in which it is run, by the database's owner; may be run again. */
export function readerConnectSql({ role }: { role: string }): string {
  return `do $$ begin
  execute format('grant connect on database %I to %I', current_database(), ${quoteText(role)});
end $$;
`
}

/** What a role gets. */
interface Grants {
  readonly role: string
  readonly revision: RevisionId
  /** The schema of the store's tables; `public` if absent. */
  readonly schemaName?: string
}

/** SQL that lets the role select the contract's columns of a store at `revision`, and nothing else; may be run again. */
export function readerGrantsSql({ role, revision, schemaName = 'public' }: Grants): string {
  const name = quoteName(role)
  const grants = storeTables(revision).map(
    ({ table, columns }) =>
      `grant select (${columns.map(quoteName).join(', ')}) on ${quoteTable(schemaName, table)} to ${name};`,
  )
  return [`grant usage on schema ${quoteSchema(schemaName)} to ${name};`, ...grants, ''].join('\n')
}

/** `statement`, run where the server allows it: `conditions` are the errors that only leave it out. */
function attempt(statement: string, conditions: string): string {
  return `do $$ begin
  ${statement};
exception when ${conditions} then
  raise notice '% (left out)', sqlerrm;
end $$;`
}
