// Where the rows of each table come from: its list, its one row, or, of a service without the list of all addresses, the
// addresses of each customer.

import { type StoreExportClient, StoreExportError } from '@store-export/client'
import type { CopyRow } from '../copies/copy.ts'
import type { CopyTable } from '../tables.ts'

/** Some rows of a table. */
export interface PageOfRows {
  readonly rows: readonly CopyRow[]
  /** Leads to the next page; null on the last one. */
  readonly cursor: string | null
  /** From when a later run must ask, where the service says so. */
  readonly watermark: string | null
  /** When the page was served, by the service's clock. */
  readonly servedAt: string | null
}

/** What is asked of a list. */
export interface ListQuery {
  readonly updatedSince?: string
  readonly createdSince?: string
  /** Where to go on: `cursor` of a page of the same list. */
  readonly cursor?: string
  readonly signal?: AbortSignal
}

type List = (query: ListQuery) => { pages(): AsyncIterable<PageOfRows> }

const NOT_FOUND = 404

/** The service has no such list: it is older than the contract. */
export class ListMissing extends Error {
  override readonly name = 'ListMissing'
}

/** The table's rows, page by page. Throws `ListMissing` for addresses of a service that has no list of all. */
export async function* listOf(
  client: StoreExportClient,
  table: CopyTable,
  query: ListQuery,
): AsyncGenerator<PageOfRows> {
  if (table.list === null) {
    yield alone([asRow(await client.store.get(callOf(query)))])
    return
  }
  try {
    yield* listNamed(client, table.list.path)(query).pages()
  } catch (cause) {
    const isMissing = cause instanceof StoreExportError && cause.status === NOT_FOUND
    if (isMissing && table.name === ADDRESSES) throw new ListMissing(cause.message, { cause })
    throw cause
  }
}

const ADDRESSES = 'customer_addresses'

/** All addresses, customer by customer: no change of a customer says that of an address, so that all are asked for. */
async function* addressesByCustomer(client: StoreExportClient, query: ListQuery): AsyncGenerator<PageOfRows> {
  const call = callOf(query)
  for await (const { id } of client.customers.list(call)) {
    const rows = await client.customers.addresses(id, call).catch((error: unknown) => {
      // gone since the list was read
      if (error instanceof StoreExportError && error.status === NOT_FOUND) return []
      throw error
    })
    if (rows.length > 0) yield alone(rows.map(asRow))
  }
}

/** All of a table's rows, whatever the age of the service. */
export async function* wholeList(
  client: StoreExportClient,
  table: CopyTable,
  query: ListQuery,
): AsyncGenerator<PageOfRows> {
  try {
    yield* listOf(client, table, query)
  } catch (error) {
    if (!(error instanceof ListMissing)) throw error
    yield* addressesByCustomer(client, query)
  }
}

/** Rows of the client are typed; a copy takes them as they came. */
function asRow(row: object): CopyRow {
  return row as CopyRow
}

function alone(rows: readonly CopyRow[]): PageOfRows {
  return { rows, cursor: null, watermark: null, servedAt: null }
}

function callOf({ signal }: ListQuery): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}

function listNamed(client: StoreExportClient, path: string): List {
  const lists: Readonly<Record<string, List>> = {
    orders: (query) => pagesOf(client.orders.list(query)),
    customers: (query) => pagesOf(client.customers.list(query)),
    'customer-addresses': (query) => pagesOf(client.customerAddresses.list(query)),
    'customer-groups': (query) => pagesOf(client.customerGroups.list(query)),
    locations: (query) => pagesOf(client.locations.list(query)),
    products: (query) => pagesOf(client.products.list(query)),
    categories: (query) => pagesOf(client.categories.list(query)),
  }
  const list = lists[path.split('/').at(-1) ?? '']
  if (list === undefined) throw new Error(`the client has no list for ${path}`)
  return list
}

type PageOfObjects = Omit<PageOfRows, 'rows'> & { readonly rows: readonly object[] }

function pagesOf(walk: { pages(): AsyncIterable<PageOfObjects> }) {
  return { pages: () => walk.pages() as AsyncIterable<PageOfRows> }
}
