// Where the rows of each table come from: its list, its one row, or, of a service without the list of all addresses, the
// addresses of each customer.

import { type StoreExportClient, StoreExportError } from '@store-export/client'
import type { CopyRow } from '../copies/copy.ts'
import type { CopyTable } from '../tables.ts'

/** Some rows of a table. */
export interface PageOfRows {
  readonly rows: readonly CopyRow[]
  /** From when a later run must ask, where the service says so. */
  readonly watermark: string | null
}

/** What is asked of a list. */
export interface Since {
  readonly updatedSince?: Date
  readonly createdSince?: Date
}

type Options = Since & { readonly signal?: AbortSignal }
type List = (options: Options) => { pages(): AsyncIterable<PageOfRows> }

const NOT_FOUND = 404

/** The table's rows, page by page. */
export async function* listOf(
  client: StoreExportClient,
  table: CopyTable,
  options: Options,
): AsyncGenerator<PageOfRows> {
  if (table.list === null) {
    yield { rows: [asRow(await client.store.get(options))], watermark: null }
    return
  }
  try {
    yield* listNamed(client, table.list.path)(options).pages()
  } catch (error) {
    const isMissing = error instanceof StoreExportError && error.status === NOT_FOUND
    if (!isMissing || table.name !== 'customer_addresses') throw error
    yield* addressesByCustomer(client, options)
  }
}

/** Rows of the client are typed; a copy takes them as they came. */
function asRow(row: object): CopyRow {
  return row as CopyRow
}

function listNamed(client: StoreExportClient, path: string): List {
  const lists: Readonly<Record<string, List>> = {
    orders: (options) => pagesOf(client.orders.list(options)),
    customers: (options) => pagesOf(client.customers.list(options)),
    'customer-addresses': (options) => pagesOf(client.customerAddresses.list(options)),
    'customer-groups': (options) => pagesOf(client.customerGroups.list(options)),
    locations: (options) => pagesOf(client.locations.list(options)),
    products: (options) => pagesOf(client.products.list(options)),
    categories: (options) => pagesOf(client.categories.list(options)),
  }
  const list = lists[path.split('/').at(-1) ?? '']
  if (list === undefined) throw new Error(`the client has no list for ${path}`)
  return list
}

function pagesOf(walk: { pages(): AsyncIterable<{ rows: readonly object[]; watermark: string | null }> }) {
  return { pages: () => walk.pages() as AsyncIterable<PageOfRows> }
}

async function* addressesByCustomer(client: StoreExportClient, { signal }: Options): AsyncGenerator<PageOfRows> {
  const call = signal === undefined ? {} : { signal }
  for await (const { id } of client.customers.list(call)) {
    const rows = await client.customers.addresses(id, call).catch((error: unknown) => {
      // gone since the list was read
      if (error instanceof StoreExportError && error.status === NOT_FOUND) return []
      throw error
    })
    if (rows.length > 0) yield { rows: rows.map(asRow), watermark: null }
  }
}
