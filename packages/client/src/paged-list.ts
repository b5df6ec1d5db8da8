// Reads a list page by page while the caller iterates. A page is requested when the iteration needs it, so a loop that
// stops early requests no further pages.

import type { CallOptions } from './caller.ts'
import { ConnectionError } from './errors.ts'

/** Options of every method that returns a `PagedList`. */
export interface PagedListOptions extends CallOptions {
  /**
   * The `cursor` of a page, to continue after that page with the same list and filters. Store it only to resume an
   * interrupted run: an updated service can reject it with `INVALID_CURSOR`.
   */
  readonly cursor?: string
}

/** Options of every `list` method. */
export interface ListOptions extends PagedListOptions {
  /**
   * Maximum rows per page, 1 to 250; defaults to 250. Larger pages use fewer requests, and so less of the rate limit.
   */
  readonly limit?: number
}

/** The filter for the next sync of a list. It has one of the members. Pass it to the method of the list unchanged. */
export interface NextSync {
  readonly updatedSince?: string
  /** Replaces `updatedSince` for customers of a store that does not track customer updates. */
  readonly createdSince?: string
}

/** A page of a list, with its cursor and its headers. */
export interface RowsPage<Row> {
  /** Can be empty, even if further pages follow. */
  readonly rows: readonly Row[]
  /** Cursor of the next page; null on the last page. */
  readonly cursor: string | null
  /** Timestamp for the next sync, from the header `x-sync-watermark`; null without the header. */
  readonly watermark: string | null
  /**
   * Filter for the next sync; null if that sync reads the whole list. Save the filter after you have written all pages.
   */
  readonly nextSync: NextSync | null
  /**
   * Digest of the columns that the page was read from, from the header `x-store-fields`; null without the header. If it
   * differs from the digest of your last sync, the store has gained or lost columns. Your rows may lack values: read
   * the whole list again.
   */
  readonly storeFields: string | null
  /**
   * Time of the response on the clock of the service: an HTTP date with a precision of one second, from the header
   * `Date`. Null without the header.
   */
  readonly servedAt: string | null
}

/** Requests the page after `cursor`; the first page for null. */
export type FetchPage<Row> = (cursor: string | null) => Promise<RowsPage<Row>>

/**
 * A list. Iterate over its rows, or over its `pages()`. Each iteration requests the pages again. It throws the errors
 * that other methods of the client reject with, and `IgnoredParameterError` if the service ignored a parameter.
 */
export class PagedList<Row> implements AsyncIterable<Row> {
  readonly #fetchPage: FetchPage<Row>
  readonly #cursor: string | null

  /** The methods of the client create it. @internal */
  constructor(fetchPage: FetchPage<Row>, cursor: string | null) {
    this.#fetchPage = fetchPage
    this.#cursor = cursor
  }

  /** Iterates over the rows, oldest first. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void, undefined> {
    for await (const { rows } of this.pages()) yield* rows
  }

  /**
   * Iterates over the pages. Throws `ConnectionError` if a page's next cursor is its own, because the list would never
   * end.
   */
  async *pages(): AsyncGenerator<RowsPage<Row>, void, undefined> {
    let cursor = this.#cursor
    do {
      const page: RowsPage<Row> = await this.#fetchPage(cursor)
      if (page.cursor !== null && page.cursor === cursor)
        throw new ConnectionError('unexpected response: the cursor of the next page is the cursor of this page')
      yield page
      cursor = page.cursor
    } while (cursor !== null)
  }
}
