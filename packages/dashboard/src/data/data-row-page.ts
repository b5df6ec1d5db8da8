// Reads one row as the API sends it. The page has a summary of the row, and its formatted JSON, so that a merchant and
// a developer look at the same values.

import { isUuid } from '@store-export/control'
import { StoreDatabaseError } from '@store-export/engine'
import type { DataRowPage, RowSummary } from '../pages/models.ts'
import { storePaths } from '../ui/store-paths.ts'
import { type DataStore, storeStatusProblem } from './data-page.ts'
import { formatJson, JSON_CHARACTERS_MAX } from './format-json.ts'
import { type CellContext, cellsOf, findList, type ListDeclaration, rowPath, type TableColumn } from './lists.ts'
import { namesOf } from './row-names.ts'
import { type RowParts, rowParts } from './row-parts.ts'
import { readRow, readStoreOverview, type StoreSource } from './store-rows.ts'

/** The page, or why there is none: `missing` for an unknown list or row, `problem` if the store can't be read. */
export type DataRowResult =
  | { readonly kind: 'page'; readonly page: DataRowPage }
  | { readonly kind: 'missing' }
  | { readonly kind: 'problem'; readonly text: string }

/** Returns the data of the page about the row of `list` with this ID. */
export async function makeDataRowPage(
  { id: storeId, status, source, texts }: DataStore,
  { list: name, id }: { readonly list: string; readonly id: string },
): Promise<DataRowResult> {
  const declaration = findList(name)
  if (declaration === null || !isUuid(id)) return { kind: 'missing' }
  const { unreadable } = texts.data.problems
  if (source === null) return { kind: 'problem', text: storeStatusProblem({ status, texts }) ?? unreadable }
  try {
    const found = await readWithSummary(source, { declaration, id, texts })
    if (found === null) return { kind: 'missing' }
    const { list, resource } = declaration
    const jsonHref = `${storePaths(storeId).dataRow(list, id)}.json`
    const page = { list, label: resource.name, id, ...found, jsonHref, apiPath: rowPath(declaration, id) }
    return { kind: 'page', page }
  } catch (error) {
    if (!(error instanceof StoreDatabaseError)) throw error
    return { kind: 'problem', text: unreadable }
  }
}

interface RowQuery extends Pick<DataStore, 'texts'> {
  readonly declaration: ListDeclaration
  readonly id: string
}

/** Returns the row; null if no row has this ID. */
async function readWithSummary(
  source: StoreSource,
  { declaration, id, texts }: RowQuery,
): Promise<Pick<DataRowPage, 'json' | 'summary'> | null> {
  const [store, row] = await Promise.all([
    readStoreOverview(source),
    readRow(source, declaration.resource, id, async (bytes) => ({
      json: { ...formatJson(bytes, JSON_CHARACTERS_MAX), bytes: bytes.length },
      parts: await source.timeSlicer.run(rowParts(bytes, declaration)),
    })),
  ])
  if (row === null) return null
  const names = await namesOf(source, declaration, [row.parts.texts])
  const context = { storeCurrency: store?.currency ?? null, texts, names }
  return { json: row.json, summary: summaryOf(declaration, row.parts, context) }
}

function summaryOf(declaration: ListDeclaration, { texts, embedded }: RowParts, context: CellContext): RowSummary {
  const { columns, row } = declaration
  const facts = (of: readonly TableColumn[]) => {
    const cells = cellsOf({ columns: of }, texts, context)
    return of.flatMap(({ label }, at) => {
      const cell = cells[at]
      return cell === undefined || cell.text === null ? [] : [{ label, cell }]
    })
  }
  // A column whose field has a table or is among the amounts would repeat it.
  const shown = new Set([...row.embedded.map(({ field }) => field), ...row.amounts.map(({ fields }) => fields[0])])
  // Embedded rows have no currency of their own.
  const ofRow = { ...context, storeCurrency: texts.get('currency') ?? context.storeCurrency }
  return {
    facts: facts([...columns.filter(({ fields }) => !shown.has(fields[0])), ...row.fields]),
    amounts: facts(row.amounts),
    tables: row.embedded.map(({ field, label, columns: own }) => {
      const rows = embedded.get(field) ?? []
      const cells = rows.map((each) => cellsOf({ columns: own }, each, ofRow))
      return {
        label,
        columns: own.map(({ label, kind }) => ({ label, kind })),
        rows: cells,
        all: countIn(texts, field),
      }
    }),
  }
}

/** Returns the number of embedded rows. `rowTexts` stores it as the string of their field. */
function countIn(texts: RowParts['texts'], field: string): number {
  return Number(texts.get(field) ?? 0)
}
