// One row, opened: its JSON as the API sends it, made readable, or as a file.

import { isUuid } from '@store-export/control'
import { StoreDatabaseError } from '@store-export/engine'
import { storeAddresses } from '../look/addresses.ts'
import type { DataRowPage } from '../pages/models.ts'
import type { DataStore } from './data-page.ts'
import { formatJson, JSON_CHARACTERS_MAX } from './json-text.ts'
import { findList, rowPath } from './lists.ts'
import { standingProblem, UNREADABLE } from './sentences.ts'
import { readRow } from './store-rows.ts'

/** The page, or why there is none: `missing` answers 404, `problem` is a sentence for the merchant. */
export type DataRowOutcome =
  | { readonly kind: 'page'; readonly page: DataRowPage }
  | { readonly kind: 'missing' }
  | { readonly kind: 'problem'; readonly text: string }

/** The row of `list` with this id. */
export async function makeDataRowPage(
  { id: storeId, standing, source }: DataStore,
  { list: name, id }: { readonly list: string; readonly id: string },
): Promise<DataRowOutcome> {
  const declaration = findList(name)
  if (declaration === null || !isUuid(id)) return { kind: 'missing' }
  if (source === null) return { kind: 'problem', text: standingProblem(standing) ?? UNREADABLE }
  try {
    const json = await readRow(source, declaration.resource, id, async (bytes) => ({
      ...formatJson(bytes, JSON_CHARACTERS_MAX),
      bytes: bytes.length,
    }))
    if (json === null) return { kind: 'missing' }
    const { list, resource } = declaration
    const jsonHref = `${storeAddresses(storeId).dataRow(list, id)}.json`
    const page = { list, label: resource.name, id, json, jsonHref, apiPath: rowPath(declaration, id) }
    return { kind: 'page', page }
  } catch (error) {
    if (!(error instanceof StoreDatabaseError)) throw error
    return { kind: 'problem', text: UNREADABLE }
  }
}
