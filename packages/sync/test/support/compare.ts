// Whether a copy is the store, row by row and column by column; and whether one that stopped on its way is of whole pages.

import type { Destination } from './destinations.ts'
import type { RowsByTable, TextRow } from './rows-by-table.ts'
import type { StoreModel } from './store-model.ts'
import { CHILD_COUNTS } from './store-statements.ts'

/** Differences that a message shows. */
const SHOWN = 5

/** Table and column of the parent, by the child's table. */
const PARENTS: ReadonlyMap<string, { readonly table: string; readonly key: string }> = new Map(
  Object.entries(CHILD_COUNTS).map(([table, { child, key }]) => [child, { table, key }]),
)

/** What `differencesOf` says of what somebody reads at the destination. */
export async function wrongIn(destination: Destination, source: RowsByTable, model: StoreModel): Promise<string[]> {
  const copy = await destination.read()
  if (copy === null) return ['there is no copy']
  const read = destination.addsZeros === true ? withoutZeros : (tables: RowsByTable) => tables
  return differencesOf(read(source), read(copy), model)
}

/** Sentences about what differs, none where the copy is right; rows that may lag behind are left out. */
export function differencesOf(source: RowsByTable, copy: RowsByTable, model?: StoreModel): string[] {
  const differences = [...source].flatMap(([table, rows]) => {
    const parent = PARENTS.get(table)
    const lagging = model?.lagging(parent?.table ?? table) ?? new Set<string>()
    const mayLag = (row: TextRow) => lagging.has(String(parent === undefined ? row.id : row[parent.key]))
    const copied = copy.get(table) ?? new Map<string, TextRow>()
    const ids = new Set([...rows.keys(), ...copied.keys()])
    return [...ids].flatMap((id) => {
      const pair = [rows.get(id), copied.get(id)] as const
      return pair.some((row) => row !== undefined && mayLag(row)) ? [] : differenceOf(`${table} ${id}`, pair)
    })
  })
  return differences.length > SHOWN
    ? [...differences.slice(0, SHOWN), `and ${differences.length - SHOWN} more`]
    : differences
}

function differenceOf(name: string, [expected, copied]: readonly [TextRow | undefined, TextRow | undefined]): string[] {
  if (expected === undefined) return [`${name}: the store does not have it`]
  if (copied === undefined) return [`${name}: the copy does not have it`]
  const columns = Object.keys(expected).filter((column) => expected[column] !== copied[column])
  if (columns.length === 0) return []
  const [first = ''] = columns
  return [
    `${name}: ${columns.join(', ')}; ${first} is ${JSON.stringify(copied[first])}, must be ${JSON.stringify(expected[first])}`,
  ]
}

/** The same rows, without the zeros at the end of decimals that are no amounts. */
export function withoutZeros(tables: RowsByTable): RowsByTable {
  const strip = (text: string | null | undefined) => text?.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '') ?? null
  const locations = [...(tables.get('locations') ?? [])].map(([id, row]): [string, TextRow] => [
    id,
    { ...row, latitude: strip(row.latitude), longitude: strip(row.longitude) },
  ])
  return new Map([...tables, ['locations', new Map(locations)]])
}

/** Sentences about parents without all of their children, or with too many: a page was written in part. */
export function tornRowsOf(copy: RowsByTable): string[] {
  return Object.entries(CHILD_COUNTS).flatMap(([table, { column, child, key }]) => {
    const counts = Map.groupBy(copy.get(child)?.values() ?? [], (row) => row[key])
    return [...(copy.get(table) ?? [])].flatMap(([id, row]) => {
      const count = counts.get(id)?.length ?? 0
      return String(count) === row[column]
        ? []
        : [`${table} ${id} has ${count} rows of ${child}, and says ${row[column]}`]
    })
  })
}
