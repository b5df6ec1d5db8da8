// A page of a list, as data for its view: what an integrator will receive, in the order in which it will arrive.

import { isUuid, type Position, StoreDatabaseFault } from '@store-export/engine'
import { storeAddresses } from '../look/addresses.ts'
import type { DataPage, StoreStanding } from '../pages/models.ts'
import { cellText, type ExactJson, type ExactRow, parseRow } from './exact-json.ts'
import { cellsOf, findList, LISTS, type ListDeclaration, listPath, rowPath } from './lists.ts'
import { parsePosition, positionText } from './position-text.ts'
import { NO_ID, newerList, notFound, standingProblem, UNREADABLE } from './sentences.ts'
import { readColumns, readRow, readRows, readStore, type StoreSource } from './store-rows.ts'

/** The store whose data is shown. */
export interface DataStore {
  readonly id: string
  readonly standing: StoreStanding
  /** null for a store that is not served. */
  readonly source: StoreSource | null
}

/** What the address of the page asks for. */
export interface DataQuery {
  readonly list: string
  /** The place behind which the page begins; null for the first. */
  readonly cursor: string | null
  /** The id that is searched for; null or blank where none is. */
  readonly id: string | null
}

const ROWS_OF_PAGE = 50

/** The page; null where there is no such list, or the cursor is none. */
export async function makeDataPage(store: DataStore, query: DataQuery): Promise<DataPage | null> {
  const declaration = findList(query.list)
  const after = query.cursor === null ? null : parsePosition(query.cursor)
  if (declaration === null || (query.cursor !== null && after === null)) return null
  const id = query.id?.trim() ?? ''
  const empty = emptyPage(store.id, declaration, id)
  if (store.source === null) return { ...empty, problem: standingProblem(store.standing) }
  try {
    return await filledPage(empty, { store, source: store.source, declaration, after, id })
  } catch (error) {
    if (!(error instanceof StoreDatabaseFault)) throw error
    return { ...empty, problem: UNREADABLE }
  }
}

interface Filling {
  readonly store: DataStore
  readonly source: StoreSource
  readonly declaration: ListDeclaration
  readonly after: Position | null
  readonly id: string
}

async function filledPage(empty: DataPage, filling: Filling): Promise<DataPage> {
  const { source, declaration, after, id } = filling
  const { resource, label, list } = declaration
  const [own, present] = await Promise.all([readStore(source), readColumns(source)])
  const page = { ...empty, lists: tabs(own?.counts) }
  if (!present.has(resource.table) && resource.since !== 'launch')
    return { ...page, problem: newerList(label, resource.since) }
  const href = storeAddresses(filling.store.id).data(list)
  const whole = { ...page, csvHref: `${href}.csv` }
  const row = rowMaker(declaration, own)
  if (id !== '') return { ...whole, firstHref: href, ...(await search(filling, row)) }
  const { rows, next } = await readRows(source, resource, { after, limit: ROWS_OF_PAGE })
  return {
    ...whole,
    rows: rows.map(row),
    firstHref: after === null ? null : href,
    nextHref: next === null ? null : `${href}?cursor=${positionText(next)}`,
  }
}

async function search(
  { source, declaration, id }: Filling,
  row: (row: ExactRow) => DataPage['rows'][number],
): Promise<Pick<DataPage, 'rows' | 'search' | 'apiPath'>> {
  const apiPath = rowPath(declaration, encodeURIComponent(id))
  if (!isUuid(id)) return { rows: [], search: { text: id, problem: NO_ID }, apiPath: listPath(declaration) }
  const text = await readRow(source, declaration.resource, id)
  if (text === null) return { rows: [], search: { text: id, problem: notFound(declaration.resource.name) }, apiPath }
  return { rows: [row(parseRow(text))], search: { text: id, problem: null }, apiPath }
}

function rowMaker(declaration: ListDeclaration, own: ExactRow | null): (row: ExactRow) => DataPage['rows'][number] {
  const context = { storeCurrency: cellText(own?.store_currency) }
  return (row) => ({ id: cellText(row.id) ?? '', cells: cellsOf(declaration, row, context) })
}

function emptyPage(storeId: string, declaration: ListDeclaration, id: string): DataPage {
  return {
    list: declaration.list,
    lists: tabs(undefined),
    columns: declaration.columns.map(({ label, kind }) => ({ label, kind })),
    rows: [],
    firstHref: id === '' ? null : storeAddresses(storeId).data(declaration.list),
    nextHref: null,
    search: { text: id, problem: null },
    csvHref: null,
    apiPath: `${listPath(declaration)}?limit=${ROWS_OF_PAGE}`,
    problem: null,
  }
}

/** The lists, with the row counts that the store's own row has. */
function tabs(counts: ExactJson | undefined): DataPage['lists'] {
  const known = (counts ?? {}) as ExactRow
  return LISTS.map(({ list, label, resource }) => {
    const rows = cellText(known[resource.table])
    return { list, label, rows: rows === null ? null : Number(rows) }
  })
}
