// Reads up to 50 rows of a list for a page of the dashboard. The order is newest or oldest first. A search for an ID
// reads one row. Another search reads the list in parts, and no further part after 1.5 s. The page then says how far it
// searched, and links to the rest.

import { isUuid } from '@store-export/control'
import { type Position, type Search, StoreDatabaseError } from '@store-export/engine'
import type { DataOrder, DataPage, StoreStatus } from '../pages/models.ts'
import type { Texts } from '../texts/en/english.ts'
import { storePaths } from '../ui/store-paths.ts'
import { CSV_FILES } from './csv-files.ts'
import { creationTime, decodePosition, encodePosition } from './encode-position.ts'
import { cellsOf, findList, LISTS, type ListDeclaration, rowPath, searchedFields } from './lists.ts'
import { namesOf } from './row-names.ts'
import { type RowTexts, rowTexts } from './row-texts.ts'
import { readColumns, readRow, readRows, readStoreOverview, type StoreSource } from './store-rows.ts'

/** The store whose data a page shows. */
export interface DataStore {
  readonly id: string
  readonly status: StoreStatus
  /** The source of the store's rows; null if the store is imported or not ready. */
  readonly source: StoreSource | null
  /** The texts in the merchant's language. */
  readonly texts: Pick<Texts, 'data' | 'general' | 'contract'>
}

/** Returns the reason why a store has no data to show; null for a store that is ready. */
export function storeStatusProblem({ status, texts }: Pick<DataStore, 'status' | 'texts'>): string | null {
  return status === 'ready' ? null : texts.data.problems[status]
}

/** The part of a list that the URL of the page selects. */
export interface DataQuery {
  readonly list: string
  readonly order: DataOrder
  /** Encoded position after which the page begins; null for the first page. */
  readonly cursor: string | null
  /** Search text; null or empty without a search. */
  readonly text: string | null
}

const ROWS_OF_PAGE = 50
/** Time after which a search reads no further part of the list. */
const SEARCH_MS = 1500
const SEARCH_CHARACTERS_MAX = 100

/**
 * Returns the data of the page; null if the list does not exist or the cursor is invalid. Uses the first 100 characters
 * of the search text. If the store can't be read, or is older than the list, the page has no rows and `problem` says
 * why.
 */
export async function makeDataPage(store: DataStore, query: DataQuery): Promise<DataPage | null> {
  const declaration = findList(query.list)
  const after = query.cursor === null ? null : decodePosition(query.cursor)
  if (declaration === null || (query.cursor !== null && after === null)) return null
  const text = cleanSearchText(query.text)
  const options = { declaration, text, order: query.order }
  const empty = emptyPage(store.id, options)
  if (store.source === null) return { ...empty, problem: storeStatusProblem(store) }
  try {
    return await filledPage(empty, { ...options, source: store.source, storeId: store.id, texts: store.texts, after })
  } catch (error) {
    if (!(error instanceof StoreDatabaseError)) throw error
    return { ...empty, problem: store.texts.data.problems.unreadable }
  }
}

/**
 * Returns the trimmed start of the text. Removes zero characters and replaces unpaired surrogates, because PostgreSQL
 * accepts neither.
 */
function cleanSearchText(typed: string | null): string {
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
  readonly texts: DataStore['texts']
  readonly after: Position | null
}

async function filledPage(empty: DataPage, options: ReadOptions): Promise<DataPage> {
  const { source, declaration, text, storeId, texts } = options
  const { resource, label, list } = declaration
  const [own, present] = await Promise.all([readStoreOverview(source), readColumns(source)])
  const page = { ...empty, lists: listTabs(own?.counts) }
  // Every store has the lists of the launch. If such a table is missing, the read below fails, and the log says why.
  if (!present.has(resource.table) && resource.since !== 'launch')
    return { ...page, problem: texts.data.problems.newerList(texts.contract.name(label), resource.since) }
  const found = await (text === '' ? plainRows(options) : isUuid(text) ? rowById(options) : searchedRows(options))
  const { rows, next = null, ...rest } = found
  const names = await namesOf(source, declaration, rows)
  const context = { storeCurrency: own?.currency ?? null, texts, names }
  return {
    ...page,
    ...rest,
    files: csvFilesOf(storeId, list),
    // Leads from a later page or from a search to the start of the whole list.
    firstHref: options.after === null && text === '' ? null : pageHref(storeId, { ...options, text: '' }, null),
    nextHref: next === null ? null : pageHref(storeId, options, next),
    rows: rows.map((row) => ({ id: row.get('id') ?? '', cells: cellsOf(declaration, row, context) })),
  }
}

interface FoundRows extends Partial<Pick<DataPage, 'search' | 'apiPath'>> {
  readonly rows: readonly RowTexts[]
  readonly next?: Position | null
}

function plainRows({ source, declaration, after, order }: ReadOptions): Promise<FoundRows> {
  return readRows(source, declaration.tableResource, { after, limit: ROWS_OF_PAGE, ...directionOf(order) })
}

/** Returns the row whose ID is the search text, or no row and a `problem`. */
async function rowById({ source, declaration, text, texts }: ReadOptions): Promise<FoundRows> {
  const { tableResource, resource, search } = declaration
  const row = await readRow(source, tableResource, text, (bytes) =>
    source.timeSlicer.run(rowTexts(bytes, 0, tableResource)),
  )
  const problem = row === null ? texts.data.problems.notFound(texts.contract.name(resource.name), 'ID') : null
  return {
    rows: row === null ? [] : [row.texts],
    apiPath: rowPath(declaration, encodeURIComponent(text)),
    search: { text, by: search.by, problem, reached: null },
  }
}

/**
 * Returns rows in which a searched field equals or contains the text. `problem` says that no field can have the text,
 * or that a search of the whole list found nothing. `reached` is the creation time of the last searched row if more
 * rows remain; null otherwise.
 */
async function searchedRows({ source, declaration, after, order, text, texts }: ReadOptions): Promise<FoundRows> {
  const { tableResource, resource, search } = declaration
  const fields = searchedFields(search, text)
  const { problems } = texts.data
  const names = [texts.contract.name(resource.name), texts.contract.searchedFields(search.by)] as const
  const searchState = (problem: string | null, reached: Date | null = null) => ({
    apiPath: null,
    search: { text, by: search.by, problem, reached },
  })
  if (fields === null) return { rows: [], ...searchState(problems.notSearchable(...names)) }
  const { rows, next } = await searchPages(source, { tableResource, search: { text, ...fields }, order, after })
  const isFound = rows.length > 0 || after !== null || next !== null
  return {
    rows,
    next,
    ...searchState(isFound ? null : problems.notFound(...names), next && creationTime(next)),
  }
}

interface SearchOptions extends Pick<ReadOptions, 'order' | 'after'> {
  readonly tableResource: ListDeclaration['tableResource']
  readonly search: Search
}

/**
 * Reads parts of the list until the page is full, the list ends, or `SEARCH_MS` has passed. The engine searches a
 * bounded part with each read.
 */
async function searchPages(source: StoreSource, { tableResource, search, order, after }: SearchOptions) {
  const rows: RowTexts[] = []
  const until = performance.now() + SEARCH_MS
  for (let from = after; ; ) {
    const range = { after: from, limit: ROWS_OF_PAGE - rows.length, search, ...directionOf(order) }
    const { rows: some, next } = await readRows(source, tableResource, range)
    rows.push(...some)
    if (next === null || rows.length >= ROWS_OF_PAGE || performance.now() >= until) return { rows, next }
    from = next
  }
}

function directionOf(order: DataOrder): { readonly isNewestFirst?: true } {
  return order === 'newest' ? { isNewestFirst: true } : {}
}

/** Returns the page without rows, which is also the start of a page with rows. */
function emptyPage(storeId: string, options: PageOptions): DataPage {
  const { declaration, text, order } = options
  return {
    list: declaration.list,
    lists: listTabs(undefined),
    columns: declaration.columns.map(({ label, kind }) => ({ label, kind })),
    rows: [],
    order,
    otherOrderHref: pageHref(storeId, { ...options, order: order === 'newest' ? 'oldest' : 'newest' }, null),
    firstHref: text === '' ? pageHref(storeId, options, null) : null,
    nextHref: null,
    search: { text, by: declaration.search.by, problem: null, reached: null },
    files: [],
    apiPath: `${declaration.path}?limit=${ROWS_OF_PAGE}`,
    problem: null,
  }
}

function pageHref(storeId: string, { declaration, text, order }: PageOptions, after: Position | null): string {
  const query = new URLSearchParams({
    ...(order === 'newest' ? {} : { order }),
    ...(text === '' ? {} : { find: text }),
    ...(after === null ? {} : { cursor: encodePosition(after) }),
  })
  return storePaths(storeId).data(declaration.list) + (query.size === 0 ? '' : `?${query}`)
}

function csvFilesOf(storeId: string, list: string): DataPage['files'] {
  return CSV_FILES.filter((file) => file.list === list).map(({ name, label }) => ({
    label,
    href: `${storePaths(storeId).data(name)}.csv`,
  }))
}

/** Returns the tabs with the row counts that the store reports; without counts, `rows` is null. */
function listTabs(counts: ReadonlyMap<string, number> | undefined): DataPage['lists'] {
  return LISTS.map(({ list, label, resource }) => ({ list, label, rows: counts?.get(resource.table) ?? null }))
}
