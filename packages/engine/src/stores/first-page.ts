// Polls the open transactions (transaction-wait.ts) and reads the first page of a list, in one round trip. The read is
// speculative: if the request must then wait for transactions, the service discards the result, because it lacks their
// rows. What the read returns:
// - The number of changed rows, if an index can count them. For a count of 0, it also returns an empty page.
// - Otherwise the first page, unless the list has end times, needs scan batches, or has no table. End times depend on
//   the watermark, which the poll determines.
// - Nothing, if the server lacks the functions of the poll or of the check for rewritten tables.

import type { Connection } from '@store-export/postgres'
import type { PageWriter } from '../encode/page-writer.ts'
import { canCountChanges } from '../query/changed-count.ts'
import type { PresentColumns } from '../query/present-columns.ts'
import { needsScanBatches } from '../query/scan-batch.ts'
import { changedCountRequest } from './fill-page.ts'
import { lacksFunctions, type PollOptions, pollAndRun, type TransactionSnapshot } from './open-transactions.ts'
import type { PageRequest, Pages } from './pages.ts'
import { endTransaction, PlannedRead } from './read-plan.ts'
import { requireServable } from './require-servable.ts'

/** What was read right after the poll: a page, the number of changed rows, both, or nothing. */
export interface SpeculativeRead {
  /** The first page; null if it was not read. */
  readonly page: PageWriter | null
  /** Number of changed rows, up to `SORTED_ROWS_MAX + 1`; null if the rows were not counted. */
  readonly changedCount: number | null
}

/** A connection of a store, and the columns that the store has. */
export interface StoreSession {
  readonly connection: Connection
  readonly present: PresentColumns
}

/** The result if nothing was read after the poll, or if the result was discarded. */
export const NOTHING_READ: SpeculativeRead = { page: null, changedCount: null }

/**
 * Polls the open transactions, and reads right after the poll. Release the page after its use. Rejects like
 * `pollAndRun`, with the error of the read, and with `ApiError` or `StoreDatabaseError` if the store can't serve the
 * plan.
 */
export async function pollAndRead(
  pages: Pages,
  request: PageRequest,
  { connection, present }: StoreSession,
  options: PollOptions,
): Promise<SpeculativeRead & { readonly snapshot: TransactionSnapshot }> {
  const { plan } = request
  // This check rejects the request before it waits for transactions.
  requireServable(plan, present)
  if (options.prepared) await pages.plans.renew(connection)
  if (plan.kind === 'page' && canCountChanges(plan, present)) {
    const counting = changedCountRequest(plan, present, options.prepared)
    const { snapshot, ran, error } = await pollAndRun(connection, [counting.request], options)
    if (error !== null) throw error
    const changedCount = ran ? counting.count() : null
    return { snapshot, changedCount, page: changedCount === 0 ? pages.newPage(request, present) : null }
  }
  // A list with an end time is read after the poll, because the poll determines the watermark that limits it.
  const isReadWithPoll = plan.kind !== 'page' || (plan.window === undefined && !needsScanBatches(plan, present))
  if (isReadWithPoll && present.has(plan.resource.table))
    return await pollAndReadPage(pages, request, { connection, present }, options)
  const { snapshot } = await pollAndRun(connection, [], options)
  return { snapshot, ...NOTHING_READ }
}

async function pollAndReadPage(
  pages: Pages,
  request: PageRequest,
  { connection, present }: StoreSession,
  options: PollOptions,
): Promise<SpeculativeRead & { readonly snapshot: TransactionSnapshot }> {
  const page = pages.newPage(request, present)
  const read = new PlannedRead(request.plan, page, { present, prepares: options.prepared })
  try {
    const { snapshot, ran, error } = await pollAndRun(connection, read.requests, options)
    // Doesn't throw if the server only lacks functions of the rewrite check: `readPlan` then reads the page without it.
    if (error !== null && !(read.readsOtherTables && lacksFunctions(error))) throw error
    await endTransaction(connection, options)
    if (!ran) return { snapshot, ...NOTHING_READ }
    read.finish()
    return { snapshot, changedCount: null, page }
  } catch (error) {
    await endTransaction(connection, options)
    pages.failed(error, request, connection)
    throw error
  } finally {
    read.release()
  }
}
