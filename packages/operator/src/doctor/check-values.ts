// Values that the contract does not allow: what to count, the statement that counts it, and the findings. Pure.
// Counting is bounded: rows without a proper creation time are found by the index, all else in the first rows of a table.

import { childrenOf, columnsOf, type Field, RESOURCES, type Resource } from '@store-export/contract'
import { quoteName, quoteSchema, quoteTable, quoteText } from '../store-schema/sql-text.ts'
import type { ColumnFact, TableValues, ValueCount, ValueKind } from './facts.ts'
import type { DoctorCheck, DoctorFinding } from './report.ts'

/** Something that is counted in one table. */
interface ValueCheck {
  readonly column: string
  readonly kind: ValueKind
  /** SQL that is true for a row with such a value. */
  readonly condition: string
}

/** A table with what is counted in it. */
export interface TableCheck {
  readonly table: string
  readonly checks: readonly ValueCheck[]
}

/** Rows of a table that are scanned. */
const SAMPLE_ROWS = 100_000

/** What can be counted with the columns that may be read. */
export function valueChecks(columns: readonly ColumnFact[]): TableCheck[] {
  return resources().flatMap(({ table, fields, ...resource }) => {
    const readable = columns.filter((column) => column.table === table && column.readable).map(({ column }) => column)
    const checks = columnsOf({ table, fields, ...resource }).flatMap((name) => {
      const field = fields[name]
      return field === undefined || !readable.includes(name) ? [] : checksOf(name, field)
    })
    return checks.length === 0 ? [] : [{ table, checks }]
  })
}

/** The statement that counts: one row with `rows` and a column for each check, named by its position. */
export function countStatement({ table, checks }: TableCheck, schemaName: string): string {
  const from = quoteTable(schemaName, table)
  const names = [...new Set(checks.map(({ column }) => quoteName(column)))]
  const counts = checks.map(({ column, condition }, position) =>
    // the walk's index leads straight to rows without a proper creation time, wherever they are
    column === 'created_at'
      ? `(select count(*)::int from ${from} where ${condition}) as "${position}"`
      : `count(*) filter (where ${condition})::int as "${position}"`,
  )
  const sample = `(select ${names.join(', ')} from ${from} limit ${SAMPLE_ROWS}) as sample`
  return `select count(*)::int as rows, ${counts.join(', ')} from ${sample}`
}

/** The check of the values. */
export function checkValues(values: readonly TableValues[], schemaName: string): DoctorCheck {
  const rows = values.reduce((sum, each) => sum + (each.rows ?? 0), 0)
  return {
    name: 'values',
    summary: `${rows.toLocaleString('en')} rows scanned`,
    findings: values.flatMap((each) => [
      ...(each.problem === null ? [] : [notChecked(each.table, each.problem)]),
      ...each.counts.filter(({ count }) => count > 0).map((count) => findingOf(each, count, schemaName)),
    ]),
  }
}

function resources(): Resource[] {
  const all = RESOURCES.flatMap((resource) => [resource, ...childrenOf(resource)])
  return all.filter(({ table }, position) => all.findIndex((other) => other.table === table) === position)
}

function checksOf(column: string, { type, nullable }: Field): ValueCheck[] {
  const name = quoteName(column)
  switch (type.kind) {
    case 'timestamp':
      return [
        ...(nullable ? [] : [{ column, kind: 'null', condition: `${name} is null` } as const]),
        { column, kind: 'infinite', condition: `${name} in ('infinity', '-infinity')` },
      ]
    case 'money':
    case 'decimal':
      // as text, because servers before 14 know no infinite numeric
      return [{ column, kind: 'not a number', condition: `${name}::text in ('NaN', 'Infinity', '-Infinity')` }]
    case 'oneOf': {
      if (type.others !== undefined) return []
      const accepted = type.values.map(quoteText).join(', ')
      return [{ column, kind: 'outside the list', condition: `${name} not in (${accepted})` }]
    }
    default:
      return []
  }
}

function findingOf(
  { table, rows }: TableValues,
  { column, kind, count }: ValueCount,
  schemaName: string,
): DoctorFinding {
  const isPart = rows === SAMPLE_ROWS && column !== 'created_at'
  const where = isPart ? ` of the first ${SAMPLE_ROWS.toLocaleString('en')}` : ''
  const counted = `${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'}${where}`
  const { severity, says, fix } = KINDS[kind]
  // lists are in the order of creation, and nulls come last
  const place = column === 'created_at' ? ' and last in lists' : ''
  return {
    severity,
    code: `value_${kind.replaceAll(' ', '_')}`,
    message: `${table}.${column} ${says.replace('{place}', place)} in ${counted}`,
    fix: fix.replaceAll('{rows}', () => `${quoteSchema(schemaName)}.${table}`).replaceAll('{column}', column),
  }
}

/** What each kind means for whoever reads the API, and what to do about it. */
const KINDS: Readonly<
  Record<ValueKind, { readonly severity: 'warning'; readonly says: string; readonly fix: string }>
> = {
  null: {
    severity: 'warning',
    says: 'is null, served as year 0001{place},',
    fix: 'select * from {rows} where {column} is null; -- give each row its time\nalter table {rows} alter {column} set not null;',
  },
  infinite: {
    severity: 'warning',
    says: 'is infinite, served as year 0001 or 9999 or null,',
    fix: "select * from {rows} where {column} in ('infinity', '-infinity'); -- give each row its time",
  },
  'not a number': {
    severity: 'warning',
    says: 'is no finite number, served as "0.00" or null,',
    fix: "select * from {rows} where {column}::text in ('NaN', 'Infinity', '-Infinity'); -- give each row its amount",
  },
  'outside the list': {
    severity: 'warning',
    says: 'is none of the words of the contract, served as stored,',
    fix: 'select {column}, count(*) from {rows} group by {column}; -- clients may not know values outside of the list',
  },
}

function notChecked(table: string, problem: string): DoctorFinding {
  return {
    severity: 'note',
    code: 'not_checked',
    message: `the values of ${table} were not scanned: ${problem}`,
    fix: null,
  }
}
