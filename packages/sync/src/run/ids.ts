// Where the ids of a table come from, without its rows: a fortieth of the requests.

import { type StoreExportClient, StoreExportError } from '@store-export/client'
import type { CopyTable } from '../tables.ts'
import { callEndpoint } from './client-method.ts'
import { ListMissing } from './lists.ts'

/** A row by its id and the instant of its last change alone. */
export interface MetRow {
  readonly id: string
  /** null where the store has none. */
  readonly updated_at: string | null
}

interface PagesOfIds {
  pages(): AsyncIterable<{ readonly rows: readonly MetRow[] }>
}

const NOT_FOUND = 404

/** The table's ids, page by page, oldest rows first. Throws `ListMissing` where the service has no such list. */
export async function* idsOf(
  client: StoreExportClient,
  table: CopyTable,
  signal: AbortSignal,
): AsyncGenerator<readonly MetRow[]> {
  if (table.ids === null) throw new Error(`${table.name} has no list of ids`)
  try {
    for await (const { rows } of callEndpoint<PagesOfIds>(client, table.ids, { signal }).pages()) yield rows
  } catch (cause) {
    const isMissing = cause instanceof StoreExportError && cause.status === NOT_FOUND
    throw isMissing ? new ListMissing(cause.message, { cause }) : cause
  }
}
