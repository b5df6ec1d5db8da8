// Where the ids of a table come from, without its rows: a fortieth of the requests.

import { type StoreExportClient, StoreExportError } from '@store-export/client'
import type { CopyTable } from '../tables.ts'
import { ListMissing } from './lists.ts'

/** A row by its id and the instant of its last change alone. */
export interface MetRow {
  readonly id: string
  /** null where the store has none. */
  readonly updated_at: string | null
}

type Ids = (query: { readonly signal: AbortSignal }) => { pages(): AsyncIterable<{ readonly rows: readonly MetRow[] }> }

const NOT_FOUND = 404

/** The table's ids, page by page, oldest rows first. Throws `ListMissing` where the service has no such list. */
export async function* idsOf(
  client: StoreExportClient,
  table: CopyTable,
  signal: AbortSignal,
): AsyncGenerator<readonly MetRow[]> {
  try {
    for await (const { rows } of idsNamed(client, table.ids?.path ?? '')({ signal }).pages()) yield rows
  } catch (cause) {
    const isMissing = cause instanceof StoreExportError && cause.status === NOT_FOUND
    throw isMissing ? new ListMissing(cause.message, { cause }) : cause
  }
}

function idsNamed(client: StoreExportClient, path: string): Ids {
  const lists: Readonly<Record<string, Ids>> = {
    orders: (query) => client.orders.ids(query),
    customers: (query) => client.customers.ids(query),
    'customer-groups': (query) => client.customerGroups.ids(query),
    locations: (query) => client.locations.ids(query),
    products: (query) => client.products.ids(query),
    categories: (query) => client.categories.ids(query),
  }
  const list = lists[path.split('/').at(-1) ?? '']
  if (list === undefined) throw new Error(`the client has no list of ids for ${path}`)
  return list
}
