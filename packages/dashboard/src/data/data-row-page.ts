// Reads one row as the API sends it, and formats it, so that a merchant and a developer look at the same values.

import { isUuid } from '@store-export/control'
import { StoreDatabaseError } from '@store-export/engine'
import type { DataRowPage } from '../pages/models.ts'
import { storePaths } from '../ui/store-paths.ts'
import { type DataStore, storeStatusProblem } from './data-page.ts'
import { formatJson, JSON_CHARACTERS_MAX } from './format-json.ts'
import { findList, rowPath } from './lists.ts'
import { readRow } from './store-rows.ts'

/** The page, or the reason why there is none: `missing` for an unknown list or row, `problem` with a message. */
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
    const json = await readRow(source, declaration.resource, id, async (bytes) => ({
      ...formatJson(bytes, JSON_CHARACTERS_MAX),
      bytes: bytes.length,
    }))
    if (json === null) return { kind: 'missing' }
    const { list, resource } = declaration
    const jsonHref = `${storePaths(storeId).dataRow(list, id)}.json`
    const page = { list, label: resource.name, id, json, jsonHref, apiPath: rowPath(declaration, id) }
    return { kind: 'page', page }
  } catch (error) {
    if (!(error instanceof StoreDatabaseError)) throw error
    return { kind: 'problem', text: unreadable }
  }
}
