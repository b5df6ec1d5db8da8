// Checks the columns of a store: missing columns, missing grants, and readable passwords. Reads nothing itself. A
// report shows the summary of a check only if the check found no problem, so the summaries describe success.

import { LATEST_REVISION } from '@store-export/contract'
import { columnNamesAt, type SchemaRevision, schemaRevision } from '@store-export/engine'
import { quoteName, quoteSchema, quoteTable } from '../store-schema/sql-text.ts'
import { addColumnsSql } from './add-columns-sql.ts'
import { consequenceOf, consequenceOfMissing, missingRemovalColumns } from './consequences.ts'
import type { ColumnFact, ConnectionFacts } from './facts.ts'
import type { DoctorCheck, DoctorFinding } from './report.ts'

/** Returns the schema version of a store, from its columns. */
export function detectSchema(columns: readonly ColumnFact[]): SchemaRevision {
  return schemaRevision(new Set(columns.map(nameOf)))
}

/**
 * Returns the check of the schema version and of missing columns. Without a complete schema version, missing columns
 * are an error.
 */
export function checkSchema(
  schema: SchemaRevision,
  columns: readonly ColumnFact[],
  facts: ConnectionFacts,
): DoctorCheck {
  const { revision } = schema
  const summary = revision === null ? 'no known schema version' : `${revision}, all columns exist`
  return {
    name: 'schema',
    summary,
    findings: [...missingColumns(schema, columns, facts), ...missingRemovalColumns(columns, facts.schemaName)],
  }
}

/**
 * Returns the check for a database without the store's schema. The fix lists the schemas that have a table `orders`.
 */
export function schemaMissing({ schemaName }: ConnectionFacts, storeId: string): DoctorCheck {
  const finding: DoctorFinding = {
    severity: 'error',
    code: 'missing_schema',
    message: `the database has no schema ${quoteSchema(schemaName)}: requests get 502`,
    fix: `select relnamespace::regnamespace::text as schema from pg_class where relname = 'orders'; -- then: store-export stores set ${storeId} --schema …`,
  }
  return { name: 'schema', summary: null, findings: [finding] }
}

/**
 * Returns the check that the role can use the schema, and read the contract's columns. Notes say if the role can't see
 * when transactions started, and if it can change rows.
 */
export function checkGrants(facts: ConnectionFacts, columns: readonly ColumnFact[]): DoctorCheck {
  const { role, schemaName, mayUseSchema, mayReadStats } = facts
  const contract = new Set(columnNamesAt(LATEST_REVISION))
  const expected = columns.filter((column) => contract.has(nameOf(column)))
  const unreadable = expected.filter(({ readable }) => !readable)
  const findings: DoctorFinding[] = []
  if (!mayUseSchema) {
    const schema = quoteSchema(schemaName)
    const fix = `grant usage on schema ${schema} to ${quoteName(role)};`
    findings.push({
      severity: 'error',
      code: 'missing_grant',
      message: `${role} has no privilege to use the schema ${schema}`,
      fix,
    })
  }
  for (const [table, names] of byTable(unreadable)) {
    const { severity, effect } = consequenceOf(table, names, expected)
    findings.push({
      severity,
      code: 'missing_grant',
      message: `${role} cannot read ${names.map((name) => `${table}.${name}`).join(', ')}: ${effect}`,
      fix: `grant select (${names.map(quoteName).join(', ')}) on ${quoteTable(schemaName, table)} to ${quoteName(role)};`,
    })
  }
  if (!mayReadStats) findings.push(watermarkNote(role))
  findings.push(...writeNotes(facts, expected))
  return { name: 'grants', summary: `${expected.length} columns are readable`, findings }
}

/**
 * Returns the check that the role can't read a password column. It includes all tables of the schema, and recognizes
 * the columns by their names.
 */
export function checkPasswords(facts: ConnectionFacts, columns: readonly ColumnFact[]): DoctorCheck {
  const readable = columns.filter(({ column, readable }) => readable && PASSWORD_NAME.test(column))
  return {
    name: 'passwords',
    summary: 'no password column is readable',
    findings: [...byTable(readable)].map(([table, names]) => readablePassword(facts, columns, table, names)),
  }
}

const PASSWORD_NAME = /passw|passphrase|pwd/i

function nameOf({ table, column }: ColumnFact): string {
  return `${table}.${column}`
}

function missingColumns(
  { revision, newestFound, missing }: SchemaRevision,
  columns: readonly ColumnFact[],
  facts: ConnectionFacts,
): DoctorFinding[] {
  if (missing.length === 0) return []
  const { severity, effect } = consequenceOfMissing(missing, columns)
  const names = shortList(missing)
  const what =
    revision === null ? `the store lacks ${names}` : `the store has columns of ${newestFound}, but lacks ${names}`
  return [
    {
      severity: revision === null ? 'error' : severity,
      code: 'missing_columns',
      message: `${what}: ${effect}`,
      fix: addColumnsSql(missing, columns, facts),
    },
  ]
}

function watermarkNote(role: string): DoctorFinding {
  return {
    severity: 'note',
    code: 'no_statistics',
    message: `${role} cannot see when transactions started: during a long transaction, syncs repeat rows, and after STORE_EXPORT_WATERMARK_DISTANCE_SECONDS, they can miss its changes`,
    fix: `grant pg_read_all_stats to ${quoteName(role)};`,
  }
}

/** Returns a note if the role may change rows. The service never does, but its connection URL could be stolen. */
function writeNotes(
  { role, isSuperuser, schemaName }: ConnectionFacts,
  columns: readonly ColumnFact[],
): DoctorFinding[] {
  const writable = columns.filter(({ mayWrite }) => mayWrite)
  if (writable.length === 0) return []
  const tables = [...byTable(writable).keys()]
  const revoke = `revoke insert, update, delete, truncate on ${tables.map((table) => quoteTable(schemaName, table)).join(', ')} from public, ${quoteName(role)};`
  const message = `${role} can change rows of ${shortList(tables)}, but the service only reads`
  const isOwner = isSuperuser || writable.some(({ ownsTable }) => ownsTable)
  return [{ severity: 'note', code: 'may_write', message, fix: isOwner ? anotherRole(schemaName) : revoke }]
}

/**
 * Returns the command that shows how to create another role. An owner can grant itself a revoked privilege again, and a
 * superuser needs no grants.
 */
function anotherRole(schemaName: string): string {
  return `store-export stores grants --revision ${LATEST_REVISION}${schemaOption(schemaName)} # the role owns the table: create another role for the service`
}

function readablePassword(
  facts: ConnectionFacts,
  columns: readonly ColumnFact[],
  table: string,
  names: readonly string[],
): DoctorFinding {
  const { role, isSuperuser, schemaName } = facts
  const message = `${role} can read ${names.map((name) => `${table}.${name}`).join(', ')}, which the service must not read`
  const own = isSuperuser || columns.some((column) => column.table === table && column.ownsTable)
  return {
    severity: 'error',
    code: 'readable_password',
    message,
    fix: own ? anotherRole(schemaName) : revokeStatements(facts, columns, table, names),
  }
}

/** Returns the option `--schema`, quoted for a shell; empty for the schema public. */
function schemaOption(schemaName: string): string {
  return schemaName === 'public' ? '' : ` --schema '${schemaName.replaceAll("'", `'\\''`)}'`
}

/**
 * Returns SQL that revokes the grants on the table and on the columns, because each of them makes the columns readable.
 * It revokes them from `public`, too, because each role has the grants of `public`. Then it grants the contract's
 * columns again.
 */
function revokeStatements(
  { role, schemaName }: ConnectionFacts,
  columns: readonly ColumnFact[],
  table: string,
  names: readonly string[],
): string {
  const contract = new Set(columnNamesAt(LATEST_REVISION))
  const granted = columns.filter((column) => column.table === table && contract.has(nameOf(column)))
  const target = quoteTable(schemaName, table)
  return [
    `revoke select on ${target} from public, ${quoteName(role)};`,
    `revoke select (${names.map(quoteName).join(', ')}) on ${target} from public, ${quoteName(role)};`,
    ...(granted.length === 0
      ? []
      : [
          `grant select (${granted.map(({ column }) => quoteName(column)).join(', ')}) on ${target} to ${quoteName(role)};`,
        ]),
  ].join(' ')
}

/** Returns the names of the columns by their table. */
function byTable(columns: readonly ColumnFact[]): Map<string, string[]> {
  const tables = new Map<string, string[]>()
  for (const { table, column } of columns) tables.set(table, [...(tables.get(table) ?? []), column])
  return tables
}

/** Maximum number of names in a message, so that it stays readable. */
const NAMES_SHOWN_MAX = 8

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN_MAX).join(', ')
  return names.length <= NAMES_SHOWN_MAX ? shown : `${shown} and ${names.length - NAMES_SHOWN_MAX} more`
}
