// A whole list as CSV, page by page: never more of it in memory than one page, and a download that cannot be completed
// fails instead of ending early, so that a short file is never taken for the whole list.

import type { Field, Resource } from '@store-export/contract'
import type { Position } from '@store-export/engine'
import { stringify } from 'csv-stringify/sync'
import { cellText, parseRows } from './exact-json.ts'
import { readRowsText, type StoreSource } from './store-rows.ts'

/** What is downloaded. */
export interface CsvOptions {
  readonly source: Omit<StoreSource, 'startedAt'>
  readonly resource: Resource
  /** The clock of `performance.now()`: each page has a time limit of its own. */
  readonly now: () => number
  /** Runs what holds the process up, when it may. */
  readonly turn: <T>(work: () => T) => Promise<T>
  /** Aborted when nobody wants the rest any more. */
  readonly signal: AbortSignal
}

/** Few: while their text is made, nothing else in the process runs. */
const ROWS_OF_PAGE = 50

/**
 * The list as CSV in UTF-8: byte order mark, field names of the contract, CRLF; scalars as text, nested values as JSON
 * text. The first page is read before this resolves, so that a store that cannot be read is refused in time: rejects with
 * `StoreDatabaseFault`. A later fault errors the stream. The next page is read only when the one before was taken.
 */
export async function openCsv(options: CsvOptions): Promise<ReadableStream<Uint8Array>> {
  const pages = csvPages(options)
  let ready: IteratorResult<Uint8Array, void> | null = await pages.next()
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = ready ?? (await pages.next())
        ready = null
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await pages.return()
      },
    },
    { highWaterMark: 0 },
  )
}

async function* csvPages({ source, resource, now, turn, signal }: CsvOptions): AsyncGenerator<Uint8Array, void> {
  for (let after: Position | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
    signal.throwIfAborted()
    const place = { after, limit: ROWS_OF_PAGE }
    const page: Awaited<ReturnType<typeof readRowsText>> = await readRowsText(
      { ...source, startedAt: now() },
      resource,
      place,
    )
    const isHead = isFirst
    yield await turn(() => Buffer.from(csvText(resource, page.text, isHead)))
    after = page.next
  }
}

function csvText({ fields }: Resource, text: string, isFirst: boolean): string {
  const names = Object.keys(fields)
  const kinds = Object.values(fields).map(({ type }) => type.kind)
  return stringify(
    parseRows(text).map((row) => names.map((name) => cellText(row[name]))),
    {
      bom: isFirst,
      header: isFirst,
      columns: names,
      record_delimiter: 'windows',
      quote_record_delimiter: true,
      escape_formulas: true,
      cast: { string: (text, { index, header }) => (header ? text : csvCell(text, kinds[index])) },
    },
  )
}

/** A negative number begins like a formula and is none: it stays a number, or coordinates would break. */
function csvCell(text: string, kind: Field['type']['kind'] | undefined) {
  const isNumber = kind === 'money' || kind === 'decimal' || kind === 'integer'
  const asItIs = { value: text, escape_formulas: false }
  return isNumber && text.startsWith('-') ? asItIs : text
}
