// Where the rows of each table come from: its list, its only row, or the rows of each owner if the service is older than
// the list.

import { type StoreExportClient, StoreExportError } from '@store-export/client'
import type { CopyRow } from '../copies/copy.ts'
import type { CopyTable } from '../tables.ts'
import { callEndpoint } from './client-method.ts'

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

const NOT_FOUND = 404

/** The service has no such list: it is older than the contract. */
export class ListMissing extends Error {
  override readonly name = 'ListMissing'
}

/**
 * The table's rows, page by page. Throws `ListMissing` if the service lacks this list and serves the rows only per
 * owner.
 */
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
    yield* callEndpoint<Pages>(client, table.list, query).pages()
  } catch (cause) {
    const isMissing = cause instanceof StoreExportError && cause.status === NOT_FOUND
    if (isMissing && table.byOwner !== null) throw new ListMissing(cause.message, { cause })
    throw cause
  }
}

interface Pages {
  pages(): AsyncIterable<PageOfRows>
}

/** All rows, owner by owner. An owner does not change with its rows, so the rows of every owner are requested. */
async function* rowsByOwner(
  client: StoreExportClient,
  { owners, rows }: NonNullable<CopyTable['byOwner']>,
  query: ListQuery,
): AsyncGenerator<PageOfRows> {
  const call = callOf(query)
  for await (const { id } of callEndpoint<AsyncIterable<{ readonly id: string }>>(client, owners, call)) {
    const owned = await callEndpoint<Promise<CopyRow[]>>(client, rows, id, call).catch((error: unknown) => {
      // the owner was deleted after the list was read
      if (error instanceof StoreExportError && error.status === NOT_FOUND) return []
      throw error
    })
    if (owned.length > 0) yield alone(owned)
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
    if (!(error instanceof ListMissing) || table.byOwner === null) throw error
    yield* rowsByOwner(client, table.byOwner, query)
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
