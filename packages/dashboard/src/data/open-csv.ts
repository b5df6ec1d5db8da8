// Streams a whole list as CSV, with one page of rows in memory. If a read fails, the download fails, so that an
// incomplete file does not look complete.

import type { Position } from '@store-export/engine'
import type { CsvDialect } from './csv-dialect.ts'
import type { CsvFile } from './csv-files.ts'
import { type CsvRowFormat, csvHead, type WriteText, writeCsvRow } from './csv-row.ts'
import { eachElement, membersOf, type Steps } from './json-bytes.ts'
import { readPage, type StoreSource } from './store-rows.ts'

/** The file to create, and the store to read. */
export interface CsvOptions {
  readonly source: Omit<StoreSource, 'startedAt'>
  readonly file: CsvFile
  readonly dialect: CsvDialect
  /** The clock of `performance.now()`. Each page has its own time limit. */
  readonly now: () => number
  /** Aborted when the client has closed its connection. The stream then fails. */
  readonly signal: AbortSignal
}

const ROWS_OF_PAGE = 50
const CHUNK_CHARACTERS = 65_536

/**
 * Returns the file as UTF-8 with a byte order mark, a header and CRLF. A nested value is JSON, as the API sends it,
 * unless its parts have columns of their own.
 *
 * Reads the first page before it resolves. If that read fails, it rejects with `StoreDatabaseError`, so that the caller
 * can send an error page. If `signal` is aborted, it rejects with the signal's reason. A later error fails the stream.
 * The stream reads the next rows when the client has read the previous chunk.
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
    // By default, the stream would produce a chunk before the client reads.
    { highWaterMark: 0 },
  )
}

/**
 * Yields chunks of at least `CHUNK_CHARACTERS`, and at the end of each page the rest of its text. So the next page is
 * read only when the client has read this one.
 */
async function* csvChunks({ source, file, dialect, now, signal }: CsvOptions): AsyncGenerator<Uint8Array, void> {
  const text = new ChunkText()
  text.put(
    csvHead(
      file.columns.map(({ header }) => header),
      dialect,
    ),
  )
  for (let after: Position | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
    signal.throwIfAborted()
    const range = { after, limit: ROWS_OF_PAGE }
    const page = await readPage({ ...source, startedAt: now() }, { resource: file.resource, range })
    try {
      const job = csvRows(text.put, page.bytes, { ...file, dialect })
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

/** Writes the rows of a page as records of the file. */
function* csvRows(
  put: WriteText,
  bytes: Uint8Array,
  { embedded, ...format }: Pick<CsvFile, 'embedded'> & CsvRowFormat,
): Steps<void> {
  yield* eachElement(bytes, 0, function* (start) {
    if (embedded === null) return yield* writeCsvRow(put, bytes, start, format)
    const { members, end } = yield* membersOf(bytes, start)
    const inner = members.get(embedded)
    if (inner !== undefined) yield* eachElement(bytes, inner.start, (at) => writeCsvRow(put, bytes, at, format))
    return end
  })
}

/** Collects the text of the next chunk. */
class ChunkText {
  #pieces: string[] = []
  length = 0

  readonly put = (piece: string): void => {
    this.#pieces.push(piece)
    this.length += piece.length
  }

  /** Returns the text as UTF-8, and starts the next chunk. */
  take(): Uint8Array {
    const bytes = Buffer.from(this.#pieces.join(''))
    this.#pieces = []
    this.length = 0
    return bytes
  }
}
