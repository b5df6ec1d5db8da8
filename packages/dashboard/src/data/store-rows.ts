// Reads the rows of one store, with their values as the API serves them. In charge of giving each page's memory back.

import { type Resource, store as storeResource } from '@store-export/contract'
import type {
  PageWriter,
  Plan,
  Position,
  PresentColumns,
  RegisteredStore,
  StoreAddress,
  StoreReader,
} from '@store-export/engine'
import type { StoreStanding } from '../pages/models.ts'
import { type ExactRow, parseRow, parseRows } from './exact-json.ts'

/** A store to read: whose, through what, and since when the reader of the page waits. */
export interface StoreSource {
  readonly reader: Pick<StoreReader, 'read' | 'columns' | 'exists'>
  readonly address: StoreAddress
  /** For the log. */
  readonly requestId: string | null
  /** On the clock of `performance.now()`: all that is read for one page shares one time limit. */
  readonly startedAt: number
}

/** Some rows of a list, oldest first. */
export interface StoreRowsPage {
  readonly rows: readonly ExactRow[]
  /** Where the next rows begin; null on the last page. */
  readonly next: Position | null
}

/** How the store stands. */
export function standingOf({ origin, state, databaseUrl }: RegisteredStore): StoreStanding {
  if (origin === 'imported') return 'imported'
  return state === 'generating' || databaseUrl === null ? 'generating' : 'ready'
}

/** Where the store's rows are; null for a store that is not served. */
export function addressOf(store: RegisteredStore): StoreAddress | null {
  const { id, databaseUrl, sealedPassword } = store
  if (standingOf(store) !== 'ready' || databaseUrl === null) return null
  return { storeId: id, databaseUrl, sealedPassword }
}

/** At most `limit` rows of `resource` behind `after`. Rejects with `StoreDatabaseFault`. */
export async function readRows(source: StoreSource, resource: Resource, place: Place): Promise<StoreRowsPage> {
  const { text, next } = await readRowsText(source, resource, place)
  return { rows: parseRows(text), next }
}

/** The same rows as the text of a JSON array, still to be parsed. */
export function readRowsText(
  source: StoreSource,
  resource: Resource,
  { after, limit }: Place,
): Promise<{ readonly text: string; readonly next: Position | null }> {
  const plan: Plan = { kind: 'page', resource, limit, after, filters: [] }
  return withPage(source, { plan, lead: '[' }, (page) => {
    page.out.putAscii(']')
    return { text: textOf(page), next: page.hasMore ? page.position() : null }
  })
}

/** Where a page begins, and how long it may be. */
interface Place {
  readonly after: Position | null
  readonly limit: number
}

/** The row with this id as JSON text; null where there is none. Rejects with `StoreDatabaseFault`. */
export function readRow(source: StoreSource, resource: Resource, id: string): Promise<string | null> {
  const plan: Plan = { kind: 'one', resource, id: id.toLowerCase() }
  return withPage(source, { plan, lead: '' }, (page) => (page.rows === 0 ? null : textOf(page)))
}

/** The store's own row as JSON text; null where its table is empty. Rejects with `StoreDatabaseFault`. */
export function readStoreRow(source: StoreSource): Promise<string | null> {
  const plan: Plan = { kind: 'only', resource: storeResource, counts: new Map() }
  return withPage(source, { plan, lead: '' }, (page) => (page.rows === 0 ? null : textOf(page)))
}

/** The store's own row, parsed; null where its table is empty. Rejects with `StoreDatabaseFault`. */
export async function readStore(source: StoreSource): Promise<ExactRow | null> {
  const text = await readStoreRow(source)
  return text === null ? null : parseRow(text)
}

/** The columns that the store has. Rejects with `StoreDatabaseFault`. */
export function readColumns({ reader, address, requestId, startedAt }: StoreSource): Promise<PresentColumns> {
  return reader.columns({ address, requestId, startedAt })
}

async function withPage<T>(
  { reader, address, requestId, startedAt }: StoreSource,
  request: { readonly plan: Plan; readonly lead: string },
  use: (page: PageWriter) => T,
): Promise<T> {
  const page = await reader.read({ ...request, address, requestId, startedAt })
  try {
    return use(page)
  } finally {
    page.release()
  }
}

/** A copy: the page's own bytes belong to another page as soon as it is released. */
function textOf(page: PageWriter): string {
  return page.out.result().toString('utf8')
}
