// Generates SQL for the reader's role, with which the service reads a store.

import type { RevisionId } from '@store-export/contract'
import { dollarQuote, quoteName, quoteSchema, quoteTable, quoteText } from './sql-text.ts'
import { storeTables } from './store-tables.ts'

/**
 * Settings of the role and not of each session, because a session's settings are lost behind a pooler.
 * `statement_timeout` is the default of `STORE_EXPORT_STORE_TIMEOUT_MS`, and also bounds the wait for a lock. With a
 * shorter `lock_timeout`, more requests would fail during a migration of the platform.
 */
const ROLE_SETTINGS = {
  default_transaction_read_only: 'on',
  // At another level, the snapshot can be older than the table lock. A table that is being rewritten then looks empty.
  default_transaction_isolation: 'read committed',
  statement_timeout: '5s',
  idle_in_transaction_session_timeout: '10s',
  // Compilation takes longer than the service's short statements.
  jit: 'off',
  // The best plan of a prepared statement is the same for every value of its parameters.
  plan_cache_mode: 'force_generic_plan',
  // The text of a value must not depend on the settings of the server. A negative `extra_float_digits` would round.
  timezone: 'UTC',
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  extra_float_digits: '1',
  client_encoding: 'UTF8',
} as const

/**
 * Maximum number of connections of the role, for all nodes together: five nodes with four each
 * (`STORE_EXPORT_STORE_POOL_SIZE`). PostgreSQL accepts 100 by default, and the platform needs most of them.
 */
export const READER_CONNECTIONS_MAX = 20

/**
 * Interval at which the server checks whether the client of a running query is still connected. Some servers and
 * operating systems don't support the check.
 */
const CONNECTION_CHECK_INTERVAL = '500ms'

/** A reader to create. */
interface NewReader {
  readonly role: string
  readonly password: string
  /** The schema that contains the store's tables; `public` if absent. */
  readonly schemaName?: string
}

/**
 * Returns SQL that creates the role. Run it as a role that can create roles. `password` can be a SCRAM verifier. The
 * role inherits privileges, because `pg_read_all_stats` shows it the start of the oldest transaction. It is a member of
 * no other role.
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
    '-- For PostgreSQL 14 and later, on systems that can detect a closed connection.',
    tryStatement(checkInterval, 'undefined_object or invalid_parameter_value'),
    '-- Lets the service see when the oldest open transaction started, which makes x-sync-watermark exact.',
    tryStatement(`grant pg_read_all_stats to ${name}`, 'insufficient_privilege'),
    '',
  ].join('\n')
}

/** Returns SQL that resets the `lock_timeout` of earlier versions, if the session has the privilege. */
export function readerRoleResetSql({ role }: { role: string }): string {
  return tryStatement(`alter role ${quoteName(role)} reset lock_timeout`, 'insufficient_privilege')
}

/** Returns SQL that lets the role connect to the current database. Run it as the database's owner. It can run again. */
export function readerConnectSql({ role }: { role: string }): string {
  const block = `begin
  execute format('grant connect on database %I to %I', current_database(), ${quoteText(role)});
end`
  return `do ${dollarQuote(block)};\n`
}

/** The role that gets grants, and the tables. */
interface Grants {
  readonly role: string
  readonly revision: RevisionId
  /** The schema that contains the store's tables; `public` if absent. */
  readonly schemaName?: string
}

/** Returns SQL that grants the contract's columns at a schema version to the role. The SQL can run again. */
export function readerGrantsSql({ role, revision, schemaName = 'public' }: Grants): string {
  const name = quoteName(role)
  const grants = storeTables(revision).map(
    ({ table, columns }) =>
      `grant select (${columns.map(quoteName).join(', ')}) on ${quoteTable(schemaName, table)} to ${name};`,
  )
  return [`grant usage on schema ${quoteSchema(schemaName)} to ${name};`, ...grants, ''].join('\n')
}

/** Returns SQL that runs a statement and ignores the errors in `conditions`. */
function tryStatement(statement: string, conditions: string): string {
  const block = `begin
  ${statement};
exception when ${conditions} then
  raise notice '% (left out)', sqlerrm;
end`
  return `do ${dollarQuote(block)};`
}
