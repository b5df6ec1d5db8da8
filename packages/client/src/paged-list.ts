// A list, walked page by page: nothing is asked for until somebody iterates, and each page only when it is wanted.

import type { CallOptions } from './caller.ts'
import { ConnectionError } from './errors.ts'

/** What every walk takes. */
export interface PagedListOptions extends CallOptions {
  /** Where to go on: `cursor` of a page of the same list with the same filters. Not to be kept for long. */
  readonly cursor?: string
}

/** What every list of rows takes. */
export interface ListOptions extends PagedListOptions {
  /** Rows of a page, 1 to 250; 250 unless said: fewer, larger pages are kinder to the limit. */
  readonly limit?: number
}

/** Parameters for the next run of a list. Pass them to its method unchanged. */
export interface NextSync {
  readonly updatedSince?: string
  /** In place of `updatedSince`, for customers of a store that does not track their updates. */
  readonly createdSince?: string
}

/** A page of a list. */
export interface RowsPage<Row> {
  readonly rows: readonly Row[]
  /** Leads to the next page; null on the last one. */
  readonly cursor: string | null
  /** From where a later run has to read, where the service says so; null where it does not. */
  readonly watermark: string | null
  /** Parameters for the next run, to save after you wrote the whole list; null if the next run reads the whole list. */
  readonly nextSync: NextSync | null
  /** When it was served, by the service's clock to the second, as `Date` gives it; null where the answer does not say. */
  readonly servedAt: string | null
}

/** Asks for one page, of the list's beginning or behind a cursor. */
export type FetchPage<Row> = (cursor: string | null) => Promise<RowsPage<Row>>

/** A list: iterate over its rows, or over its `pages()`. Each iteration walks it anew. */
export class PagedList<Row> implements AsyncIterable<Row> {
  readonly #fetchPage: FetchPage<Row>
  readonly #cursor: string | null

  /** Made by the client's methods. */
  constructor(read: FetchPage<Row>, cursor: string | null) {
    this.#fetchPage = read
    this.#cursor = cursor
  }

  /** Each row, oldest first. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void, undefined> {
    for await (const { rows } of this.pages()) yield* rows
  }

  /** Each page, with the cursor that leads to the next one. */
  async *pages(): AsyncGenerator<RowsPage<Row>, void, undefined> {
    let cursor = this.#cursor
    do {
      const page: RowsPage<Row> = await this.#fetchPage(cursor)
      if (page.cursor !== null && page.cursor === cursor)
        throw new ConnectionError('the list leads to the same page again: it would never end')
      yield page
      cursor = page.cursor
    } while (cursor !== null)
  }
}
