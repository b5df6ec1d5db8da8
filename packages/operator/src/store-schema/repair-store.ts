// Adds what older versions of `stores provision` left out: triggers for TRUNCATE, the current version of a function,
// and the connection limit of the reader.

import { type Connection, queryRows, sql } from '@store-export/postgres'
import { codeOf } from '../explain-error.ts'
import { inUpgradeTransaction, migrationStatements } from './migrate-store.ts'
import { READER_CONNECTIONS_MAX } from './reader-role.ts'
import { quoteName } from './sql-text.ts'

const FUNCTION = 'children_move_parent'
const TRUNCATE_TRIGGER = /^create trigger (?<name>\w+) before truncate on (?<table>public\.\w+)/
/** Name of a reader that `stores provision` created. Other roles belong to the platform. */
const PROVISIONED_READER = /^store_export_reader_[0-9a-f]{12}$/

/**
 * Adds missing triggers to existing tables. Before that, it replaces a function of an older version, which fails in
 * such a trigger. Returns the names of the added triggers and of the replaced function, for messages. `connection` must
 * be a session of the owner of the store's tables.
 */
export async function repairTriggers(connection: Connection): Promise<string[]> {
  // Only these two migrations create triggers for TRUNCATE.
  const statements = [...migrationStatements('launch'), ...migrationStatements('v1.1')]
  const missing = await missingTriggers(connection, statements)
  const isOutdated = await hasOutdatedFunction(connection)
  if (missing.length === 0 && !isOutdated) return []
  // Under the lock, checks again what is missing, because another upgrade can have repaired it.
  return inUpgradeTransaction(connection, async () => {
    const repaired: string[] = []
    if (await hasOutdatedFunction(connection)) {
      await connection.script(functionStatement(statements))
      repaired.push(`function ${FUNCTION}`)
    }
    for (const { name, table, statement } of await missingTriggers(connection, statements)) {
      await connection.script(statement)
      repaired.push(`trigger ${name} on ${table}`)
    }
    return repaired
  })
}

/** What was repaired, and SQL for an administrator. */
export interface RepairResult {
  /** Descriptions of the repairs, for messages. */
  readonly repaired: string[]
  /** SQL that only an administrator can run; null if there is none. */
  readonly adminSql: string | null
}

/**
 * Limits the connections of a reader that `stores provision` created. Doesn't change existing limits or other roles. If
 * `connection` lacks the privilege, returns the SQL for an administrator instead.
 */
export async function repairReaderLimit(connection: Connection, role: string): Promise<RepairResult> {
  const unlimited = await queryRows(connection, sql`select from pg_roles where rolname = ${role} and rolconnlimit = -1`)
  if (unlimited.length === 0 || !PROVISIONED_READER.test(role)) return { repaired: [], adminSql: null }
  const statement = `alter role ${quoteName(role)} connection limit ${READER_CONNECTIONS_MAX}`
  try {
    await connection.script(statement)
    return { repaired: [`connection limit ${READER_CONNECTIONS_MAX} of ${role}`], adminSql: null }
  } catch (error) {
    if (codeOf(error) !== '42501') throw error
    return { repaired: [], adminSql: `${statement};` }
  }
}

interface Trigger {
  readonly name: string
  readonly table: string
  readonly statement: string
}

/**
 * Returns the missing triggers of existing tables. A disabled trigger, or a trigger that calls another function, counts
 * as present.
 */
async function missingTriggers(connection: Connection, statements: readonly string[]): Promise<Trigger[]> {
  const missing: Trigger[] = []
  for (const statement of statements) {
    const { name, table } = TRUNCATE_TRIGGER.exec(statement)?.groups ?? {}
    if (name === undefined || table === undefined) continue
    const found = await queryRows(
      connection,
      sql`
        select from pg_class where oid = to_regclass(${table})
          and not exists (select from pg_trigger where tgrelid = pg_class.oid and tgname = ${name})`,
    )
    if (found.length > 0) missing.push({ name, table, statement })
  }
  return missing
}

/** Whether the function exists, but doesn't handle TRUNCATE. */
async function hasOutdatedFunction(connection: Connection): Promise<boolean> {
  const found = await queryRows(
    connection,
    sql`select from pg_proc where oid = to_regproc(${`public.${FUNCTION}`}) and prosrc not like '%TRUNCATE%'`,
  )
  return found.length > 0
}

function functionStatement(statements: readonly string[]): string {
  const statement = statements.find((each) => each.startsWith(`create function public.${FUNCTION}()`))
  if (statement === undefined) throw new Error(`launch.sql does not create ${FUNCTION}`)
  return statement.replace('create function', 'create or replace function')
}
