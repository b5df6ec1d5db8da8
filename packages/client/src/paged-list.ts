// A list that requests its pages during the iteration.

import type { CallOptions } from './caller.ts'
import { ConnectionError } from './errors.ts'

/** Options of every list. */
export interface PagedListOptions extends CallOptions {
  /** Continues after a page: its `cursor`. Use the same list and the same filters, and do not store the cursor for long. */
  readonly cursor?: string
}

/** Options of every list of rows. */
export interface ListOptions extends PagedListOptions {
  /** Maximum rows per page, 1 to 250; defaults to 250. Large pages need fewer requests of the rate limit. */
  readonly limit?: number
}

/** Options for the next sync of a list. Pass them to the method of the list unchanged. */
export interface NextSync {
  readonly updatedSince?: string
  /** Replaces `updatedSince` for customers of a store that does not track customer updates. */
  readonly createdSince?: string
}

/** A page of a list. */
export interface RowsPage<Row> {
  readonly rows: readonly Row[]
  /** Cursor of the next page; null on the last page. */
  readonly cursor: string | null
  /** Timestamp for the next sync, from the header `x-sync-watermark`; null without the header. */
  readonly watermark: string | null
  /** Options for the next sync. Save them after you have written the whole list. null: the next sync reads the whole list. */
  readonly nextSync: NextSync | null
  /** Time of the response on the clock of the service, from the header `Date` (seconds); null without the header. */
  readonly servedAt: string | null
}

/** Requests one page. null as the cursor requests the first page. */
export type FetchPage<Row> = (cursor: string | null) => Promise<RowsPage<Row>>

/** A list. Iterate over its rows, or over its `pages()`. Each iteration requests the pages again. */
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

  /** Iterates over the pages. */
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
