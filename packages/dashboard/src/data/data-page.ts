// A page of a list, as data for its view: the newest rows or the oldest ones, or the rows that a search found.

import { isUuid } from '@store-export/control'
import { type Position, type Search, StoreDatabaseError } from '@store-export/engine'
import { storeAddresses } from '../look/addresses.ts'
import type { DataOrder, DataPage, StoreStanding } from '../pages/models.ts'
import { CSV_FILES } from './csv-files.ts'
import { cellsOf, findList, LISTS, type ListDeclaration, rowPath, searchedFields } from './lists.ts'
import { instantOf, parsePosition, positionText } from './position-text.ts'
import { type RowTexts, rowTexts } from './row-texts.ts'
import { newerList, notFound, notSearchable, standingProblem, UNREADABLE } from './sentences.ts'
import { readColumns, readRow, readRows, readStoreHead, type StoreSource } from './store-rows.ts'

/** The store whose data is shown. */
export interface DataStore {
  readonly id: string
  readonly standing: StoreStanding
  /** null for a store that is not served. */
  readonly source: StoreSource | null
}

/** Parameters in the address of the page. */
export interface DataQuery {
  readonly list: string
  readonly order: DataOrder
  /** The position after which the page begins; null for the first. */
  readonly cursor: string | null
  /** The text that is searched for; null or blank for none. */
  readonly text: string | null
}

const ROWS_OF_PAGE = 50
/** After this time a page starts no further scan batch: it says how far it searched, and links to the rest. */
const SEARCH_MS = 1500
const SEARCH_CHARACTERS_MAX = 100

/** The page; null if the list or the cursor is unknown. */
export async function makeDataPage(store: DataStore, query: DataQuery): Promise<DataPage | null> {
  const declaration = findList(query.list)
  const after = query.cursor === null ? null : parsePosition(query.cursor)
  if (declaration === null || (query.cursor !== null && after === null)) return null
  const text = searchText(query.text)
  const options = { declaration, text, order: query.order }
  const empty = emptyPage(store.id, options)
  if (store.source === null) return { ...empty, problem: standingProblem(store.standing) }
  try {
    return await filledPage(empty, { ...options, source: store.source, storeId: store.id, after })
  } catch (error) {
    if (!(error instanceof StoreDatabaseError)) throw error
    return { ...empty, problem: UNREADABLE }
  }
}

/** PostgreSQL accepts no zero characters and no unpaired surrogates. */
function searchText(typed: string | null): string {
  return (typed ?? '').slice(0, SEARCH_CHARACTERS_MAX).toWellFormed().replaceAll('\0', '').trim()
}

interface PageOptions {
  readonly declaration: ListDeclaration
  readonly text: string
  readonly order: DataOrder
}

interface ReadOptions extends PageOptions {
  readonly storeId: string
  readonly source: StoreSource
  readonly after: Position | null
}

async function filledPage(empty: DataPage, options: ReadOptions): Promise<DataPage> {
  const { source, declaration, text, storeId } = options
  const { resource, label, list } = declaration
  const [own, present] = await Promise.all([readStoreHead(source), readColumns(source)])
  const page = { ...empty, lists: tabs(own?.counts) }
  if (!present.has(resource.table) && resource.since !== 'launch')
    return { ...page, problem: newerList(label, resource.since) }
  const found = await (text === '' ? plainRows(options) : isUuid(text) ? rowById(options) : searchedRows(options))
  const { rows, next = null, ...rest } = found
  const context = { storeCurrency: own?.currency ?? null }
  return {
    ...page,
    ...rest,
    files: filesOf(storeId, list),
    firstHref: options.after === null && text === '' ? null : addressOf(storeId, { ...options, text: '' }, null),
    nextHref: next === null ? null : addressOf(storeId, options, next),
    rows: rows.map((row) => ({ id: row.get('id') ?? '', cells: cellsOf(declaration, row, context) })),
  }
}

interface Found extends Partial<Pick<DataPage, 'search' | 'apiPath'>> {
  readonly rows: readonly RowTexts[]
  readonly next?: Position | null
}

function plainRows({ source, declaration, after, order }: ReadOptions): Promise<Found> {
  return readRows(source, declaration.shown, { after, limit: ROWS_OF_PAGE, ...directionOf(order) })
}

async function rowById({ source, declaration, text }: ReadOptions): Promise<Found> {
  const { shown, resource, search } = declaration
  const row = await readRow(source, shown, text, (bytes) => source.turns.run(rowTexts(bytes, 0, shown)))
  const problem = row === null ? notFound(resource, 'ID') : null
  return {
    rows: row === null ? [] : [row.texts],
    apiPath: rowPath(declaration, encodeURIComponent(text)),
    search: { text, by: search.by, problem, reached: null },
  }
}

async function searchedRows({ source, declaration, after, order, text }: ReadOptions): Promise<Found> {
  const { shown, resource, search } = declaration
  const fields = searchedFields(search, text)
  const said = (problem: string | null, reached: Date | null = null) => ({
    apiPath: null,
    search: { text, by: search.by, problem, reached },
  })
  if (fields === null) return { rows: [], ...said(notSearchable(resource, search.by)) }
  const { rows, next } = await searchOn(source, { shown, search: { text, ...fields }, order, after })
  const isFound = rows.length > 0 || after !== null || next !== null
  return { rows, next, ...said(isFound ? null : notFound(resource, search.by), next && instantOf(next)) }
}

interface SearchOptions extends Pick<ReadOptions, 'order' | 'after'> {
  readonly shown: ListDeclaration['shown']
  readonly search: Search
}

/** Each read is bounded: the engine searches a part of the list and returns the rows that it found there. */
async function searchOn(source: StoreSource, { shown, search, order, after }: SearchOptions) {
  const rows: RowTexts[] = []
  const until = performance.now() + SEARCH_MS
  for (let from = after; ; ) {
    const place = { after: from, limit: ROWS_OF_PAGE - rows.length, search, ...directionOf(order) }
    const { rows: some, next } = await readRows(source, shown, place)
    rows.push(...some)
    if (next === null || rows.length >= ROWS_OF_PAGE || performance.now() >= until) return { rows, next }
    from = next
  }
}

function directionOf(order: DataOrder): { readonly isNewestFirst?: true } {
  return order === 'newest' ? { isNewestFirst: true } : {}
}

function emptyPage(storeId: string, options: PageOptions): DataPage {
  const { declaration, text, order } = options
  return {
    list: declaration.list,
    lists: tabs(undefined),
    columns: declaration.columns.map(({ label, kind }) => ({ label, kind })),
    rows: [],
    order,
    otherOrderHref: addressOf(storeId, { ...options, order: order === 'newest' ? 'oldest' : 'newest' }, null),
    firstHref: text === '' ? addressOf(storeId, options, null) : null,
    nextHref: null,
    search: { text, by: declaration.search.by, problem: null, reached: null },
    files: [],
    apiPath: `${declaration.path}?limit=${ROWS_OF_PAGE}`,
    problem: null,
  }
}

function addressOf(storeId: string, { declaration, text, order }: PageOptions, after: Position | null): string {
  const query = new URLSearchParams({
    ...(order === 'newest' ? {} : { order }),
    ...(text === '' ? {} : { find: text }),
    ...(after === null ? {} : { cursor: positionText(after) }),
  })
  return storeAddresses(storeId).data(declaration.list) + (query.size === 0 ? '' : `?${query}`)
}

function filesOf(storeId: string, list: string): DataPage['files'] {
  return CSV_FILES.filter((file) => file.list === list).map(({ name, label }) => ({
    label,
    href: `${storeAddresses(storeId).data(name)}.csv`,
  }))
}

/** The lists, with the row counts that the store's own row has. */
function tabs(counts: ReadonlyMap<string, number> | undefined): DataPage['lists'] {
  return LISTS.map(({ list, label, resource }) => ({ list, label, rows: counts?.get(resource.table) ?? null }))
}
