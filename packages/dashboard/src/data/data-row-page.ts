// One row, opened: its JSON as the API sends it, made readable.

import { isUuid, StoreDatabaseFault } from '@store-export/engine'
import type { DataRowPage } from '../pages/models.ts'
import type { DataStore } from './data-page.ts'
import { formatJson } from './json-text.ts'
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
  { standing, source }: DataStore,
  { list, id }: { readonly list: string; readonly id: string },
): Promise<DataRowOutcome> {
  const declaration = findList(list)
  if (declaration === null || !isUuid(id)) return { kind: 'missing' }
  if (source === null) return { kind: 'problem', text: standingProblem(standing) ?? UNREADABLE }
  try {
    const text = await readRow(source, declaration.resource, id)
    if (text === null) return { kind: 'missing' }
    const { name } = declaration.resource
    const json = formatJson(text)
    return { kind: 'page', page: { list: declaration.list, label: name, id, json, apiPath: rowPath(declaration, id) } }
  } catch (error) {
    if (!(error instanceof StoreDatabaseFault)) throw error
    return { kind: 'problem', text: UNREADABLE }
  }
}
