// Which revision a store is at, by its columns, and what it lacks. Pure.

import { includesRevision, LATEST_REVISION, REVISIONS, type RevisionId } from '@store-export/contract'
import { RECORD_TABLE } from '../store-schema/recorded-revision.ts'
import { quoteName } from '../store-schema/sql-text.ts'
import { storeTables } from '../store-schema/tables.ts'
import { consequenceOf, consequenceOfMissing, lackingRemoval } from './consequences.ts'
import type { ColumnFact, ConnectionFacts } from './facts.ts'
import type { Check, Finding } from './report.ts'

/** What the columns tell. */
export interface Schema {
  /** The highest revision whose columns are all there; null when even those of launch are not. */
  readonly revision: RevisionId | null
  /** Columns that are not there although a later one is, as `table.column`. */
  readonly missing: readonly string[]
  /** The revision up to which something is there. */
  readonly begun: RevisionId
}

/** The schema that has these columns. */
export function detectSchema(columns: readonly ColumnFact[]): Schema {
  const present = new Set(columns.map(nameOf))
  const isComplete = (id: RevisionId) => namesAt(id).every((name) => present.has(name))
  const revision = REVISIONS.findLast(({ id }) => isComplete(id))?.id ?? null
  const begun = REVISIONS.findLast(({ id }) => newAt(id).some((name) => present.has(name)))?.id ?? 'launch'
  return { revision, begun, missing: namesAt(begun).filter((name) => !present.has(name)) }
}

/** The check of the schema. */
export function checkSchema(storeId: string, schema: Schema, columns: readonly ColumnFact[]): Check {
  const { revision } = schema
  const summary = revision === null ? 'no known revision' : `${revision}, all columns are there`
  // only a database that we made has the record, and only there our migrations fit
  const isOurs = columns.some(({ table }) => table === RECORD_TABLE)
  const fix = isOurs ? `store-export stores upgrade ${storeId} --to ${schema.begun}` : OWN_MIGRATION
  return { name: 'schema', summary, findings: [...missingColumns(schema, columns, fix), ...lackingRemoval(columns)] }
}

const OWN_MIGRATION =
  "add them in the platform's own migration and let the reader select them: they are then served by themselves"

/** The check of what the role may read. */
export function checkGrants(
  { role, mayUseSchema, mayReadStats }: ConnectionFacts,
  columns: readonly ColumnFact[],
): Check {
  const contract = new Set(namesAt(LATEST_REVISION))
  const expected = columns.filter((column) => contract.has(nameOf(column)))
  const unreadable = expected.filter(({ readable }) => !readable)
  const findings: Finding[] = []
  if (!mayUseSchema) {
    const fix = `grant usage on schema public to ${quoteName(role)};`
    findings.push({ severity: 'error', code: 'missing_grant', message: `${role} may not use schema public`, fix })
  }
  for (const [table, names] of byTable(unreadable)) {
    const { severity, says } = consequenceOf(table, names, columns)
    findings.push({
      severity,
      code: 'missing_grant',
      message: `${role} may not read ${names.map((name) => `${table}.${name}`).join(', ')}: ${says}`,
      fix: `grant select (${names.map(quoteName).join(', ')}) on public.${quoteName(table)} to ${quoteName(role)};`,
    })
  }
  if (!mayReadStats) findings.push(watermarkNote(role))
  return { name: 'grants', summary: `${expected.length} columns can be read`, findings }
}

/** The check that no password can be read, whatever is granted. */
export function checkPasswords(facts: ConnectionFacts, columns: readonly ColumnFact[]): Check {
  const readable = columns.filter(({ column, readable }) => readable && PASSWORD_NAME.test(column))
  return {
    name: 'passwords',
    summary: 'no password column can be read',
    findings: [...byTable(readable)].map(([table, names]) => readablePassword(facts, columns, { table, names })),
  }
}

const PASSWORD_NAME = /passw|passphrase|pwd/i

function nameOf({ table, column }: ColumnFact): string {
  return `${table}.${column}`
}

function namesAt(revision: RevisionId): string[] {
  return storeTables(revision).flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`))
}

/** Columns that this revision brought. */
function newAt(revision: RevisionId): string[] {
  const before = REVISIONS.findLast(({ id }) => id !== revision && includesRevision(revision, id))?.id
  const known = new Set(before === undefined ? [] : namesAt(before))
  return namesAt(revision).filter((name) => !known.has(name))
}

function missingColumns({ revision, begun, missing }: Schema, columns: readonly ColumnFact[], fix: string): Finding[] {
  if (missing.length === 0) return []
  const { severity, says } = consequenceOfMissing(missing, columns)
  const why = revision === null ? 'the store has not even the columns of launch' : `the store has columns of ${begun}`
  return [
    {
      severity: revision === null ? 'error' : severity,
      code: 'missing_columns',
      message: `${why} and lacks ${shortList(missing)}: ${says}`,
      fix,
    },
  ]
}

function watermarkNote(role: string): Finding {
  return {
    severity: 'note',
    code: 'no_statistics',
    message: `${role} does not see how old open transactions are, so x-sync-watermark keeps a distance of minutes`,
    fix: `grant pg_read_all_stats to ${quoteName(role)};`,
  }
}

function readablePassword(
  { role, isSuperuser }: ConnectionFacts,
  columns: readonly ColumnFact[],
  { table, names }: { readonly table: string; readonly names: readonly string[] },
): Finding {
  const message = `${role} can read ${names.map((name) => `${table}.${name}`).join(', ')}; the service never does`
  const own = isSuperuser || columns.some((column) => column.table === table && column.ownsTable)
  return {
    severity: 'error',
    code: 'readable_password',
    message,
    fix: own
      ? 'the role owns the table: make a reader with "store-export stores grants" and give its URL to "stores set"'
      : revokeStatements(role, columns, { table, names }),
  }
}

/** A right on the whole table covers the column, too: both are taken away, then the contract's columns are granted. */
function revokeStatements(
  role: string,
  columns: readonly ColumnFact[],
  { table, names }: { readonly table: string; readonly names: readonly string[] },
): string {
  const contract = new Set(namesAt(LATEST_REVISION))
  const kept = columns.filter((column) => column.table === table && contract.has(nameOf(column)))
  const target = `public.${quoteName(table)}`
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
