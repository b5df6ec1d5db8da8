// Counts the values that violate the contract: provides the conditions, the SQL, and the findings. The work is bounded:
// indexes find invalid creation times and future timestamps, and other values are counted only in the first
// `SAMPLE_ROWS` rows of each table.

import { childrenOf, columnsOf, ENDPOINTS, type Field, RESOURCES, type Resource } from '@store-export/contract'
import { quoteName, quoteSchema, quoteTable, quoteText } from '../store-schema/sql-text.ts'
import type { ColumnFact, TableValues, ValueCount, ValueKind } from './facts.ts'
import type { DoctorCheck, DoctorFinding } from './report.ts'

/** A kind of invalid value in a column. */
interface ValueCheck {
  readonly column: string
  readonly kind: ValueKind
  /** SQL condition that is true for a row with such a value. */
  readonly condition: string
}

/** The checks of a table, which one statement makes together. */
export interface TableCheck {
  readonly table: string
  readonly checks: readonly ValueCheck[]
}

/** Maximum number of rows of a table in which values without an index are counted. */
const SAMPLE_ROWS = 100_000

/** Returns the checks for the readable columns. A table without checks is left out. */
export function valueChecks(columns: readonly ColumnFact[]): TableCheck[] {
  const ofWindows = columnsOfWindows()
  return resources().flatMap(({ table, fields, ...resource }) => {
    const readable = columns.filter((column) => column.table === table && column.readable).map(({ column }) => column)
    const checks = columnsOf({ table, fields, ...resource }).flatMap((name) => {
      const field = fields[name]
      if (field === undefined || !readable.includes(name)) return []
      return [...checksOf(name, field), ...(ofWindows.has(`${table}.${name}`) ? [futureCheck(name)] : [])]
    })
    return checks.length === 0 ? [] : [{ table, checks }]
  })
}

/**
 * Returns a query with one row: the column `rows` (the number of rows in the sample), and a column for each check,
 * named by its position.
 */
export function countStatement({ table, checks }: TableCheck, schemaName: string): string {
  const from = quoteTable(schemaName, table)
  const names = [...new Set(checks.map(({ column }) => quoteName(column)))]
  const counts = checks.map(({ column, kind, condition }, position) =>
    // Indexes find invalid creation times and future timestamps in the whole table.
    isOfWholeTable({ column, kind })
      ? `(select count(*)::int from ${from} where ${condition}) as "${position}"`
      : `count(*) filter (where ${condition})::int as "${position}"`,
  )
  const sample = `(select ${names.join(', ')} from ${from} limit ${SAMPLE_ROWS}) as sample`
  return `select count(*)::int as rows, ${counts.join(', ')} from ${sample}`
}

/** Returns the check with a finding for each kind of invalid value in a column, and a note for each unscanned table. */
export function checkValues(values: readonly TableValues[], schemaName: string): DoctorCheck {
  const rows = values.reduce((sum, each) => sum + (each.rows ?? 0), 0)
  return {
    name: 'values',
    summary: `${rows.toLocaleString('en')} rows scanned`,
    findings: values.flatMap((each) => [
      ...(each.problem === null ? [] : [notScanned(each.table, each.problem)]),
      ...each.counts.filter(({ count }) => count > 0).map((count) => findingOf(each, count, schemaName)),
    ]),
  }
}

/** Returns all resources, also the embedded ones. If several resources share a table, returns the first of them. */
function resources(): Resource[] {
  const all = RESOURCES.flatMap((resource) => [resource, ...childrenOf(resource)])
  return all.filter(({ table }, position) => all.findIndex((other) => other.table === table) === position)
}

/** Returns the columns that `updated_until` and `created_until` limit, as `table.column`. */
function columnsOfWindows(): ReadonlySet<string> {
  return new Set(
    ENDPOINTS.flatMap(({ resource: { table }, parameters }) => [
      ...(parameters.includes('updated_until') ? [`${table}.updated_at`] : []),
      ...(parameters.includes('created_until') ? [`${table}.created_at`] : []),
    ]),
  )
}

/**
 * Returns the check for future timestamps. Clocks of applications differ, so a few minutes are normal. The kind
 * `infinite` already counts `infinity`.
 */
function futureCheck(column: string): ValueCheck {
  const name = quoteName(column)
  const condition = `${name} > now() + interval '5 minutes' and ${name} <> 'infinity'`
  return { column, kind: 'in the future', condition }
}

/** Whether values are counted in the whole table, because an index finds them. */
function isOfWholeTable({ column, kind }: Pick<ValueCheck, 'column' | 'kind'>): boolean {
  return column === 'created_at' || kind === 'in the future'
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
      // The value is compared as text, because PostgreSQL before 14 rejects an infinite numeric.
      return [{ column, kind: 'not a number', condition: `${name}::text in ('NaN', 'Infinity', '-Infinity')` }]
    case 'oneOf': {
      // The contract accepts other values, too.
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
  const isPart = rows === SAMPLE_ROWS && !isOfWholeTable({ column, kind })
  const where = isPart ? ` of the first ${SAMPLE_ROWS.toLocaleString('en')}` : ''
  const counted = `${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'}${where}`
  const { severity, problem, effect, fix } = KINDS[kind]
  // Lists are in the order of creation, and nulls come last.
  const position = column === 'created_at' && kind === 'null' ? ', and the rows come last in lists' : ''
  return {
    severity,
    code: `value_${kind.replaceAll(' ', '_')}`,
    message: `${table}.${column} ${problem} in ${counted}: ${effect}${position}`,
    // The function prevents that `replaceAll` interprets a `$` in the name of the schema.
    fix: fix.replaceAll('{rows}', () => `${quoteSchema(schemaName)}.${table}`).replaceAll('{column}', column),
  }
}

/** The effect of each kind of value on responses, and the fix. */
const KINDS: Readonly<
  Record<
    ValueKind,
    { readonly severity: 'warning'; readonly problem: string; readonly effect: string; readonly fix: string }
  >
> = {
  null: {
    severity: 'warning',
    problem: 'is null',
    effect: 'the API returns the year 0001',
    fix: 'select * from {rows} where {column} is null; -- set the timestamp of each row\nalter table {rows} alter {column} set not null;',
  },
  infinite: {
    severity: 'warning',
    problem: 'is infinite',
    effect: 'the API returns the year 0001 or 9999, or null, and lists with a time filter leave the rows out',
    fix: "select * from {rows} where {column} in ('infinity', '-infinity'); -- set the timestamp of each row",
  },
  'in the future': {
    severity: 'warning',
    problem: 'is more than 5 minutes in the future',
    effect: 'lists with updated_until or created_until leave the rows out until that time',
    fix: "select * from {rows} where {column} > now() + interval '5 minutes'; -- set the timestamp of each row",
  },
  'not a number': {
    severity: 'warning',
    problem: 'is not a finite number',
    effect: 'the API returns "0.00" or null',
    fix: "select * from {rows} where {column}::text in ('NaN', 'Infinity', '-Infinity'); -- set the amount of each row",
  },
  'outside the list': {
    severity: 'warning',
    problem: 'is not in the list of the contract',
    effect: 'the API returns the stored value',
    fix: 'select {column}, count(*) from {rows} group by {column}; -- clients may not know these values',
  },
}

function notScanned(table: string, problem: string): DoctorFinding {
  return {
    severity: 'note',
    code: 'not_checked',
    message: `the values of ${table} were not scanned: ${problem}`,
    fix: null,
  }
}
