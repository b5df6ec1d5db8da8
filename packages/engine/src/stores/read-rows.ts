// Runs one statement and hands out its rows, in PostgreSQL's binary format, as they arrive.

import { rowReaderOf, type Sql } from '../connection.ts'
import type { TakeRow } from '../connection-messages.ts'
import type { Statement } from '../query/statement.ts'

/** What becomes of the rows. */
export interface ReadOptions {
  /** Called with every row: the cell spans a message of type DataRow, without its head. */
  readonly take: TakeRow
  /** Cancels the statement: nobody waits for it any more. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Calls `take` with every row of the statement; resolves at its end. Rejects with the first error, that of `take` or of a
 * cancelled statement too: not before the server has heard of it, so that it meets no later statement. `sql` is a pool of
 * one connection, on which nothing else runs meanwhile.
 */
export async function readRows(sql: Sql, statement: Statement, { take, signal }: ReadOptions): Promise<void> {
  const { text, values, isRepeated } = statement
  const reader = rowReaderOf(sql)
  // `simple` would send the text alone, and be answered in text
  const query = sql.unsafe(text, [...values], { prepare: isRepeated, simple: false } as { prepare: boolean })
  let cancelling: unknown
  const cancel = () => {
    // typed as nothing, it is a promise; a server that cannot be reached ends the statement by its time limit
    cancelling = Promise.resolve<unknown>(query.cancel()).catch(() => undefined)
  }
  signal?.addEventListener('abort', cancel, { once: true })
  reader.begin(take)
  try {
    await query
  } finally {
    reader.stop()
    signal?.removeEventListener('abort', cancel)
    await cancelling
  }
  reader.throwFailure()
}
