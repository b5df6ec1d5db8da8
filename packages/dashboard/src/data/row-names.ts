// Reads the names of rows that other rows of the same list refer to, such as the parents of categories.

import type { ListDeclaration } from './lists.ts'
import { type RowTexts, rowTexts } from './row-texts.ts'
import { selectFields } from './select-fields.ts'
import { readRow, type StoreSource } from './store-rows.ts'

/**
 * Returns the names of `rows`, and of the rows that they refer to, by row ID, for the columns with `namedBy`. Reads
 * only rows that aren't in `rows`. A row that does not exist has no name.
 */
export async function namesOf(
  source: StoreSource,
  { columns, resource }: ListDeclaration,
  rows: readonly RowTexts[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  for (const { fields, namedBy } of columns) {
    if (namedBy === undefined) continue
    for (const row of rows) addName(names, row, namedBy)
    const part = selectFields(resource, ['id', namedBy])
    const missing = new Set(rows.map((row) => row.get(fields[0]) ?? '').filter((id) => id !== '' && !names.has(id)))
    // A page has few such rows, and one read at a time takes one connection of the store.
    for (const id of missing) {
      const found = await readRow(source, part, id, (bytes) => source.timeSlicer.run(rowTexts(bytes, 0, part)))
      if (found !== null) addName(names, found.texts, namedBy)
    }
  }
  return names
}

function addName(names: Map<string, string>, row: RowTexts, field: string): void {
  const [id, name] = [row.get('id'), row.get(field)]
  if (id != null && name != null) names.set(id, name)
}
