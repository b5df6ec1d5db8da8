// Decides which columns of a copy an assistant can read. The contract declares which fields are personal.

import { companionColumns } from '../copies/sqlite/sqlite-decimals.ts'
import { type ChildTable, type CopyTable, TABLES } from '../tables.ts'

/** The tables of a copy with the tables embedded in them, in the order of `TABLES`. */
export const ALL_TABLES: readonly (CopyTable | ChildTable)[] = TABLES.flatMap((table) => [table, ...table.children])

/** Returns the columns without personal values, by table, and without columns that another program added. */
export function visibleColumns(): Record<string, string[]> {
  return Object.fromEntries(
    ALL_TABLES.map(({ name, columns }) => {
      const visible = columns.filter(({ isPersonal }) => !isPersonal)
      return [name, visible.flatMap((column) => [column.name, ...companionColumns(column).map((each) => each.name)])]
    }),
  )
}

/** Returns the personal columns as `table.column`. */
export function personalColumns(): string[] {
  return ALL_TABLES.flatMap(({ name, columns }) =>
    columns.filter(({ isPersonal }) => isPersonal).map((column) => `${name}.${column.name}`),
  )
}
