// Compares a copy with the store, row by row and column by column, and checks an unfinished copy for incomplete pages.

import type { HistoryDestination } from './destinations.ts'
import type { RowsByTable, TextRow } from './rows-by-table.ts'
import type { StoreModel } from './store-model.ts'
import { CHILD_COUNTS } from './store-statements.ts'

const SHOWN_MAX = 5

/** Table and column of the parent, by the child's table. */
const PARENTS: ReadonlyMap<string, { readonly table: string; readonly key: string }> = new Map(
  Object.entries(CHILD_COUNTS).map(([table, { child, key }]) => [child, { table, key }]),
)

/** Returns messages about at most five differences between the store and the destination, and their number. */
export async function compareDestination(
  destination: HistoryDestination,
  source: RowsByTable,
  model: StoreModel,
): Promise<string[]> {
  const copy = await destination.read()
  if (copy === null) return ['there is no copy']
  const read = destination.addsZeros === true ? withoutTrailingZeros : (tables: RowsByTable) => tables
  return findDifferences(read(source), read(copy), model)
}

/** Returns messages about at most five differences, without rows that may be stale in `model`, and their number. */
export function findDifferences(source: RowsByTable, copy: RowsByTable, model?: StoreModel): string[] {
  const differences = [...source].flatMap(([table, rows]) => {
    const parent = PARENTS.get(table)
    const stale = model?.staleIds(parent?.table ?? table) ?? new Set<string>()
    const mayBeStale = (row: TextRow) => stale.has(String(parent === undefined ? row.id : row[parent.key]))
    const copied = copy.get(table) ?? new Map<string, TextRow>()
    const ids = new Set([...rows.keys(), ...copied.keys()])
    return [...ids].flatMap((id) => {
      const pair = [rows.get(id), copied.get(id)] as const
      return pair.some((row) => row !== undefined && mayBeStale(row)) ? [] : describeDifference(`${table} ${id}`, pair)
    })
  })
  return differences.length > SHOWN_MAX
    ? [...differences.slice(0, SHOWN_MAX), `and ${differences.length - SHOWN_MAX} more`]
    : differences
}

function describeDifference(
  name: string,
  [expected, copied]: readonly [TextRow | undefined, TextRow | undefined],
): string[] {
  if (expected === undefined) return [`${name}: not in the store`]
  if (copied === undefined) return [`${name}: not in the copy`]
  const columns = Object.keys(expected).filter((column) => expected[column] !== copied[column])
  if (columns.length === 0) return []
  const [first = ''] = columns
  return [
    `${name}: ${columns.join(', ')}; ${first} is ${JSON.stringify(copied[first])}, must be ${JSON.stringify(expected[first])}`,
  ]
}

/** Returns the rows without zeros at the end of coordinates. */
export function withoutTrailingZeros(tables: RowsByTable): RowsByTable {
  const strip = (text: string | null | undefined) => text?.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '') ?? null
  const locations = [...(tables.get('locations') ?? [])].map(([id, row]): [string, TextRow] => [
    id,
    { ...row, latitude: strip(row.latitude), longitude: strip(row.longitude) },
  ])
  return new Map([...tables, ['locations', new Map(locations)]])
}

/** Returns messages about parents with missing or extra embedded rows: their page was written incompletely. */
export function findTornRows(copy: RowsByTable): string[] {
  return Object.entries(CHILD_COUNTS).flatMap(([table, { column, child, key }]) => {
    const counts = Map.groupBy(copy.get(child)?.values() ?? [], (row) => row[key])
    return [...(copy.get(table) ?? [])].flatMap(([id, row]) => {
      const count = counts.get(id)?.length ?? 0
      return String(count) === row[column]
        ? []
        : [`${table} ${id} has ${count} rows of ${child}, expected ${row[column]}`]
    })
  })
}
