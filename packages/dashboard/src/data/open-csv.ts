// A whole list as CSV, page by page: never more of it in memory than one page, and a download that cannot be completed
// fails instead of ending early, so that a short file never passes for the whole list.

import type { Position } from '@store-export/engine'
import type { CsvFile } from './csv-files.ts'
import { csvRecord, type WriteText, writeCsvRow } from './csv-row.ts'
import { eachElement, membersOf, type Steps } from './json-bytes.ts'
import { readPage, type StoreSource } from './store-rows.ts'

/** What is downloaded. */
export interface CsvOptions {
  readonly source: Omit<StoreSource, 'startedAt'>
  readonly file: CsvFile
  /** The clock of `performance.now()`: each page has a time limit of its own. */
  readonly now: () => number
  /** Aborted when nobody wants the rest any more. */
  readonly signal: AbortSignal
}

const ROWS_OF_PAGE = 50
const CHUNK_CHARACTERS = 65_536

/**
 * The file as CSV in UTF-8: byte order mark, header, CRLF; nested values as JSON, as the API sends them. The first rows are
 * read before this resolves, so that a store that cannot be read is refused in time: rejects with `StoreDatabaseError`. A
 * later fault errors the stream. Rows are read and written when the client took the chunk before.
 */
export async function openCsv(options: CsvOptions): Promise<ReadableStream<Uint8Array>> {
  const chunks = csvChunks(options)
  let ready: IteratorResult<Uint8Array, void> | null = await chunks.next()
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = ready ?? (await chunks.next())
        ready = null
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await chunks.return()
      },
    },
    { highWaterMark: 0 },
  )
}

async function* csvChunks({ source, file, now, signal }: CsvOptions): AsyncGenerator<Uint8Array, void> {
  const text = new ChunkText()
  text.put(`\uFEFF${csvRecord(file.columns.map(({ header }) => header))}`)
  for (let after: Position | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
    signal.throwIfAborted()
    const place = { after, limit: ROWS_OF_PAGE }
    const page = await readPage({ ...source, startedAt: now() }, { resource: file.resource, place })
    try {
      const job = csvRows(text.put, page.bytes, file)
      for (let isDone: boolean | undefined = false; !isDone; ) {
        isDone = (await source.timeSlicer.runSlice(job, () => text.length >= CHUNK_CHARACTERS)).done
        signal.throwIfAborted()
        if (isDone || text.length >= CHUNK_CHARACTERS) yield text.take()
      }
      after = page.next
    } finally {
      page.release()
    }
  }
}

/** Every row of a page as records of the file. */
function* csvRows(put: WriteText, bytes: Uint8Array, { embedded, columns }: CsvFile): Steps<void> {
  yield* eachElement(bytes, 0, function* (start) {
    if (embedded === null) return yield* writeCsvRow(put, bytes, start, columns)
    const { members, end } = yield* membersOf(bytes, start)
    const inner = members.get(embedded)
    if (inner !== undefined) yield* eachElement(bytes, inner.start, (at) => writeCsvRow(put, bytes, at, columns))
    return end
  })
}

/** Text to send. */
class ChunkText {
  #pieces: string[] = []
  length = 0

  readonly put = (piece: string): void => {
    this.#pieces.push(piece)
    this.length += piece.length
  }

  take(): Uint8Array {
    const bytes = Buffer.from(this.#pieces.join(''))
    this.#pieces = []
    this.length = 0
    return bytes
  }
}
