// Runs one statement and hands out its rows, in PostgreSQL's binary format, as they arrive.

import { rowReaderOf, type Sql, type TakeRow } from '@store-export/postgres'
import type { Statement } from '../query/statement.ts'

/** What becomes of the rows. */
export interface ReadOptions {
  /** Called with every row: the cell spans a message of type DataRow, without its head. */
  readonly take: TakeRow
  /** Cancels the statement: nobody waits for it any more. */
  readonly signal?: AbortSignal | undefined
}

/** What the driver, postgres.js 3.4.9, knows of a statement and does not declare. */
interface DriverQuery extends PromiseLike<unknown> {
  /** Whether the server has it. */
  readonly active: boolean
  /** Resolves when the cancel's own connection is closed; rejects where it could not be made. */
  canceller: ((query: DriverQuery) => Promise<void>) | null
  /** The error after which the driver has prepared and sent it once more, before any row of it. */
  readonly retried?: unknown
}

/**
 * Calls `take` with every row of the statement; resolves at its end, with the error that the driver mended on the way, if
 * any: a prepared statement that was gone. Rejects with the first error, that of `take` or of a cancelled statement too: not
 * before the server has heard of the cancel, so that it meets no later statement. `sql` is a pool of one connection, on
 * which nothing else runs meanwhile.
 */
export async function readRows(sql: Sql, statement: Statement, { take, signal }: ReadOptions): Promise<unknown> {
  const { text, values, isRepeated } = statement
  const reader = rowReaderOf(sql)
  // `simple` would send the text alone, and be answered in text
  const options = { prepare: isRepeated, simple: false } as { prepare: boolean }
  const query = sql.unsafe(text, [...values], options) as unknown as DriverQuery
  let cancelling: Promise<void> | undefined
  const cancel = () => {
    cancelling = cancelled(query)
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
  return query.retried
}

/**
 * Cancels a statement; never rejects. The driver's own `cancel` drops its promise, whose rejection ends the process where
 * the server takes no connection any more. What the server has not got yet is left to run: cancelled then, the driver
 * would wait for ever on a connection that it is still opening. A server that hears of no cancel ends it by its time limit.
 */
async function cancelled(query: DriverQuery): Promise<void> {
  const { active, canceller } = query
  if (!active || canceller === null) return
  query.canceller = null
  await canceller(query).catch(() => undefined)
}
