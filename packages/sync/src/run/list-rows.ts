// Reads the rows of a table from its list. The table `store` has no list: its only row is the store object. If the
// service is older than the list, reads the rows of each owner instead, such as the addresses of each customer.

import { type StoreExportClient, StoreExportError } from '@store-export/client'
import type { CopyRow } from '../copies/copy.ts'
import type { CopyTable } from '../tables.ts'
import { callEndpoint } from './call-endpoint.ts'

/** A page of rows, and what the service says about it. */
export interface RowPage {
  readonly rows: readonly CopyRow[]
  /** Cursor of the next page; null on the last page. */
  readonly cursor: string | null
  /** Value of `updated_since` for the next incremental sync; null if the service sends no watermark. */
  readonly watermark: string | null
  /** Digest of the columns that the page was read from; null if the service sends none. */
  readonly storeFields: string | null
  /** Time of the response on the clock of the service; null if the response has no time. */
  readonly servedAt: string | null
}

/** Filters and position of a request for a list. Times are RFC 3339. */
export interface ListQuery {
  readonly updatedSince?: string
  readonly createdSince?: string
  /** Cursor of the page to start with, from `RowPage.cursor`; the first page without it. */
  readonly cursor?: string
  readonly signal?: AbortSignal
}

const NOT_FOUND = 404

/**
 * Whether the path or the row is missing. False if the key lacks the required scope, although the service returns 404
 * for that too.
 */
export function isMissing(error: unknown): error is StoreExportError {
  return error instanceof StoreExportError && error.status === NOT_FOUND && error.requiredScope === null
}

/** Thrown if the service is older than the list. */
export class ListMissingError extends Error {
  override readonly name = 'ListMissingError'
}

/**
 * Yields the rows page by page. If the service doesn't have the list, throws `ListMissingError` for a table with
 * `byOwner`. Throws other errors of the client unchanged.
 */
export async function* listRows(
  client: StoreExportClient,
  table: CopyTable,
  query: ListQuery,
): AsyncGenerator<RowPage> {
  if (table.list === null) {
    yield singlePage([asRow(await client.store.get(signalOption(query)))])
    return
  }
  try {
    yield* callEndpoint<RowPages>(client, table.list, query).pages()
  } catch (cause) {
    if (isMissing(cause) && table.byOwner !== null) throw new ListMissingError(cause.message, { cause })
    throw cause
  }
}

interface RowPages {
  pages(): AsyncIterable<RowPage>
}

/**
 * Yields the rows of a table. If the service is older than the list, requests all rows of each owner, without the
 * filters of `query`. Throws the client's error if the table has no list by owner, and for every other failure.
 */
export async function* listAllRows(
  client: StoreExportClient,
  table: CopyTable,
  query: ListQuery,
): AsyncGenerator<RowPage> {
  try {
    yield* listRows(client, table, query)
  } catch (error) {
    if (!(error instanceof ListMissingError) || table.byOwner === null) throw error
    yield* listRowsByOwner(client, table.byOwner, query)
  }
}

/** Requests the rows of every owner, because a change to a row does not change the owner's `updated_at`. */
async function* listRowsByOwner(
  client: StoreExportClient,
  { owners, rows }: NonNullable<CopyTable['byOwner']>,
  query: ListQuery,
): AsyncGenerator<RowPage> {
  const option = signalOption(query)
  for await (const { id } of callEndpoint<AsyncIterable<{ readonly id: string }>>(client, owners, option)) {
    const owned = await callEndpoint<Promise<CopyRow[]>>(client, rows, id, option).catch((error: unknown) => {
      // The store deleted the owner after its page was read, or the service has no such path.
      if (isMissing(error)) return []
      throw error
    })
    if (owned.length > 0) yield singlePage(owned)
  }
}

/** Returns the row unchanged, as the type that a copy accepts. */
function asRow(row: object): CopyRow {
  return row as CopyRow
}

function singlePage(rows: readonly CopyRow[]): RowPage {
  return { rows, cursor: null, watermark: null, storeFields: null, servedAt: null }
}

function signalOption({ signal }: ListQuery): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}
