// Reads the rows of one store with the values that the API serves, and releases the memory of each page after use. All
// reads reject with `StoreDatabaseError` if the database fails, or does not respond within the time limit of a request.

import { type Resource, store as storeResource } from '@store-export/contract'
import type { RegisteredStore } from '@store-export/control'
import type {
  PagePlan,
  PageWriter,
  Plan,
  Position,
  PresentColumns,
  StoreAddress,
  StoreReader,
} from '@store-export/engine'
import type { StoreStatus } from '../pages/models.ts'
import { eachElement, type Steps } from './json-bytes.ts'
import { type RowTexts, rowTexts } from './row-texts.ts'
import { selectFields } from './select-fields.ts'
import type { TimeSlicer } from './time-slicer.ts'

/** How a page of the dashboard reads its store. */
export interface StoreSource {
  readonly reader: Pick<StoreReader, 'read' | 'columns' | 'exists'>
  readonly address: StoreAddress
  /** Shared by all pages and downloads. */
  readonly timeSlicer: TimeSlicer
  /** ID for the log; null outside of a request. */
  readonly requestId: string | null
  /** Start, on the clock of `performance.now()`. All reads for one page share one time limit. */
  readonly startedAt: number
}

/** Some rows of a list, with their values as short strings for a table. */
export interface StoreRowsPage {
  readonly rows: readonly RowTexts[]
  /** Position of the next page; null on the last page. */
  readonly next: Position | null
}

/** The fields of the row in `/store` that pages of the dashboard need. */
export interface StoreOverview {
  /** ISO 4217 code; null if the store has none. */
  readonly currency: string | null
  /** IANA name; null if the store has none. */
  readonly timeZone: string | null
  /** Rows by table. */
  readonly counts: ReadonlyMap<string, number>
}

/** Returns the status of the store. A store without a database URL is still being created. */
export function storeStatus({ origin, state, databaseUrl }: RegisteredStore): StoreStatus {
  if (origin === 'imported') return 'imported'
  return state === 'generating' || databaseUrl === null ? 'generating' : 'ready'
}

/** Returns the address of the store's database; null unless the store is ready. */
export function addressOf(store: RegisteredStore): StoreAddress | null {
  const { id, databaseUrl, schemaName, encryptedPassword } = store
  if (storeStatus(store) !== 'ready' || databaseUrl === null) return null
  return { storeId: id, databaseUrl, schemaName, encryptedPassword }
}

/** The rows of a list to read: at most `limit` rows after a position. */
export interface RowRange extends Pick<PagePlan, 'search' | 'isNewestFirst'> {
  /** Position after which the rows start; null for the start of the list. */
  readonly after: Position | null
  readonly limit: number
}

/** Returns the rows as strings, and releases their JSON. */
export async function readRows(source: StoreSource, resource: Resource, range: RowRange): Promise<StoreRowsPage> {
  const page = await readPage(source, { resource, range })
  try {
    return { rows: await source.timeSlicer.run(textsOfRows(page.bytes, resource)), next: page.next }
  } finally {
    page.release()
  }
}

function* textsOfRows(bytes: Uint8Array, resource: Resource): Steps<RowTexts[]> {
  const rows: RowTexts[] = []
  yield* eachElement(bytes, 0, function* (at) {
    const { texts, end } = yield* rowTexts(bytes, at, resource)
    rows.push(texts)
    return end
  })
  return rows
}

/** Some rows of a list, as JSON in memory of the engine. */
export interface JsonPage {
  /** A JSON array, valid until `release`. */
  readonly bytes: Uint8Array
  /** Position of the next page; null on the last page. */
  readonly next: Position | null
  /** Releases the memory of `bytes`. */
  readonly release: () => void
}

/** Returns the rows as JSON. The caller releases the page. */
export async function readPage(
  { reader, address, requestId, startedAt }: StoreSource,
  { resource, range }: { readonly resource: Resource; readonly range: RowRange },
): Promise<JsonPage> {
  const plan: Plan = { kind: 'page', resource, filters: [], ...range }
  const page = await reader.read({ plan, prefix: '[', address, requestId, startedAt })
  page.out.putAscii(']')
  return {
    bytes: page.out.result(),
    next: page.hasMore ? page.position() : null,
    release: () => page.release(),
  }
}

/**
 * Calls `use` with the row's JSON, which is valid until the promise of `use` settles, and returns its result; null if
 * no row has this ID, in upper or lower case.
 */
export function readRow<T>(
  source: StoreSource,
  resource: Resource,
  id: string,
  use: (bytes: Uint8Array) => Promise<T>,
): Promise<T | null> {
  const plan: Plan = { kind: 'one', resource, id: id.toLowerCase() }
  return withPage(source, { plan, prefix: '' }, async (page) => (page.rows === 0 ? null : use(page.out.result())))
}

/** Like `readRow`, for the store's own row; null if its table is empty. */
export function readStoreRow<T>(source: StoreSource, use: (bytes: Uint8Array) => Promise<T>): Promise<T | null> {
  return readOnlyRow(source, storeResource, use)
}

/** Returns the currency, the time zone, and the row counts in the store's own row; null if its table is empty. */
export function readStoreOverview(source: StoreSource): Promise<StoreOverview | null> {
  return readOnlyRow(source, STORE_OVERVIEW, async (bytes) => {
    const { texts } = await source.timeSlicer.run(rowTexts(bytes, 0, STORE_OVERVIEW))
    return {
      currency: texts.get('store_currency') ?? null,
      timeZone: texts.get('store_timezone') ?? null,
      counts: countsOf(texts),
    }
  })
}

const STORE_OVERVIEW = selectFields(storeResource, ['id', 'store_currency', 'store_timezone', 'counts'])

/**
 * Returns row counts by table, from the strings of the store's own row. `rowTexts` cuts long strings, but the JSON of
 * the four counts is shorter.
 */
export function countsOf(texts: RowTexts): ReadonlyMap<string, number> {
  const counts = JSON.parse(texts.get('counts') ?? '{}') as Readonly<Record<string, number>>
  return new Map(Object.entries(counts))
}

/** Returns the tables and columns that the store has and the service can read. */
export function readColumns({ reader, address, requestId, startedAt }: StoreSource): Promise<PresentColumns> {
  return reader.columns({ address, requestId, startedAt })
}

function readOnlyRow<T>(
  source: StoreSource,
  resource: Resource,
  use: (bytes: Uint8Array) => Promise<T>,
): Promise<T | null> {
  const plan: Plan = { kind: 'only', resource, counts: new Map() }
  return withPage(source, { plan, prefix: '' }, async (page) => (page.rows === 0 ? null : use(page.out.result())))
}

async function withPage<T>(
  { reader, address, requestId, startedAt }: StoreSource,
  request: { readonly plan: Plan; readonly prefix: string },
  use: (page: PageWriter) => Promise<T>,
): Promise<T> {
  const page = await reader.read({ ...request, address, requestId, startedAt })
  try {
    return await use(page)
  } finally {
    page.release()
  }
}
