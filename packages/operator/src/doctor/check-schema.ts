// What the doctor says of a store's columns: those that are missing, those that may not be read, and passwords that may.
// Pure.

import { LATEST_REVISION } from '@store-export/contract'
import { columnNamesAt, type SchemaRevision, schemaRevision } from '@store-export/engine'
import { quoteName, quoteSchema, quoteTable } from '../store-schema/sql-text.ts'
import { addColumnsSql } from './add-columns-sql.ts'
import { consequenceOf, consequenceOfMissing, missingRemovalColumns } from './consequences.ts'
import type { ColumnFact, ConnectionFacts } from './facts.ts'
import type { DoctorCheck, DoctorFinding } from './report.ts'

/** What the schema that has these columns tells. */
export function detectSchema(columns: readonly ColumnFact[]): SchemaRevision {
  return schemaRevision(new Set(columns.map(nameOf)))
}

/** The check of the schema, as the role of the connection sees it. */
export function checkSchema(
  schema: SchemaRevision,
  columns: readonly ColumnFact[],
  facts: ConnectionFacts,
): DoctorCheck {
  const { revision } = schema
  const summary = revision === null ? 'no known revision' : `${revision}, all columns are there`
  return {
    name: 'schema',
    summary,
    findings: [...missingColumns(schema, columns, facts), ...missingRemovalColumns(columns, facts.schemaName)],
  }
}

/** The check of a store whose schema does not exist. */
export function schemaMissing({ schemaName }: ConnectionFacts, storeId: string): DoctorCheck {
  const finding: DoctorFinding = {
    severity: 'error',
    code: 'missing_schema',
    message: `the database has no schema ${quoteSchema(schemaName)}: requests answer 502`,
    fix: `select relnamespace::regnamespace::text as schema from pg_class where relname = 'orders'; -- then: store-export stores set ${storeId} --schema …`,
  }
  return { name: 'schema', summary: null, findings: [finding] }
}

/** The check of what the role may read. */
export function checkGrants(
  { role, schemaName, mayUseSchema, mayReadStats }: ConnectionFacts,
  columns: readonly ColumnFact[],
): DoctorCheck {
  const contract = new Set(columnNamesAt(LATEST_REVISION))
  const expected = columns.filter((column) => contract.has(nameOf(column)))
  const unreadable = expected.filter(({ readable }) => !readable)
  const findings: DoctorFinding[] = []
  if (!mayUseSchema) {
    const schema = quoteSchema(schemaName)
    const fix = `grant usage on schema ${schema} to ${quoteName(role)};`
    findings.push({ severity: 'error', code: 'missing_grant', message: `${role} may not use schema ${schema}`, fix })
  }
  for (const [table, names] of byTable(unreadable)) {
    const { severity, effect } = consequenceOf(table, names, expected)
    findings.push({
      severity,
      code: 'missing_grant',
      message: `${role} may not read ${names.map((name) => `${table}.${name}`).join(', ')}: ${effect}`,
      fix: `grant select (${names.map(quoteName).join(', ')}) on ${quoteTable(schemaName, table)} to ${quoteName(role)};`,
    })
  }
  if (!mayReadStats) findings.push(watermarkNote(role))
  return { name: 'grants', summary: `${expected.length} columns can be read`, findings }
}

/** The check that no password can be read, whatever is granted. */
export function checkPasswords(facts: ConnectionFacts, columns: readonly ColumnFact[]): DoctorCheck {
  const readable = columns.filter(({ column, readable }) => readable && PASSWORD_NAME.test(column))
  return {
    name: 'passwords',
    summary: 'no password column can be read',
    findings: [...byTable(readable)].map(([table, names]) => readablePassword(facts, columns, table, names)),
  }
}

const PASSWORD_NAME = /passw|passphrase|pwd/i

function nameOf({ table, column }: ColumnFact): string {
  return `${table}.${column}`
}

function missingColumns(
  { revision, begun, missing }: SchemaRevision,
  columns: readonly ColumnFact[],
  facts: ConnectionFacts,
): DoctorFinding[] {
  if (missing.length === 0) return []
  const { severity, effect } = consequenceOfMissing(missing, columns)
  const why = revision === null ? 'the store has not even the columns of launch' : `the store has columns of ${begun}`
  return [
    {
      severity: revision === null ? 'error' : severity,
      code: 'missing_columns',
      message: `${why} and lacks ${shortList(missing)}: ${effect}`,
      fix: addColumnsSql(missing, columns, facts),
    },
  ]
}

function watermarkNote(role: string): DoctorFinding {
  return {
    severity: 'note',
    code: 'no_statistics',
    message: `${role} does not see how old open transactions are, so x-sync-watermark keeps a distance of minutes`,
    fix: `grant pg_read_all_stats to ${quoteName(role)};`,
  }
}

function readablePassword(
  facts: ConnectionFacts,
  columns: readonly ColumnFact[],
  table: string,
  names: readonly string[],
): DoctorFinding {
  const { role, isSuperuser, schemaName } = facts
  const message = `${role} can read ${names.map((name) => `${table}.${name}`).join(', ')}; the service never does`
  const own = isSuperuser || columns.some((column) => column.table === table && column.ownsTable)
  return {
    severity: 'error',
    code: 'readable_password',
    message,
    fix: own
      ? `store-export stores grants --revision ${LATEST_REVISION}${schemaOption(schemaName)} # the role owns the table: give the store a reader of its own`
      : revokeStatements(facts, columns, table, names),
  }
}

/** The option for a shell. */
function schemaOption(schemaName: string): string {
  return schemaName === 'public' ? '' : ` --schema '${schemaName.replaceAll("'", `'\\''`)}'`
}

/** A right on the whole table covers the column, too: both are taken away, then the contract's columns are granted. */
function revokeStatements(
  { role, schemaName }: ConnectionFacts,
  columns: readonly ColumnFact[],
  table: string,
  names: readonly string[],
): string {
  const contract = new Set(columnNamesAt(LATEST_REVISION))
  const kept = columns.filter((column) => column.table === table && contract.has(nameOf(column)))
  const target = quoteTable(schemaName, table)
  return [
    `revoke select on ${target} from public, ${quoteName(role)};`,
    `revoke select (${names.map(quoteName).join(', ')}) on ${target} from public, ${quoteName(role)};`,
    ...(kept.length === 0
      ? []
      : [
          `grant select (${kept.map(({ column }) => quoteName(column)).join(', ')}) on ${target} to ${quoteName(role)};`,
        ]),
  ].join(' ')
}

function byTable(columns: readonly ColumnFact[]): Map<string, string[]> {
  const tables = new Map<string, string[]>()
  for (const { table, column } of columns) tables.set(table, [...(tables.get(table) ?? []), column])
  return tables
}

const NAMES_SHOWN_MAX = 8

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN_MAX).join(', ')
  return names.length <= NAMES_SHOWN_MAX ? shown : `${shown} and ${names.length - NAMES_SHOWN_MAX} more`
}
