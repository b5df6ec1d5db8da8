// Polls the open transactions, and reads the first page of a list, or the count of changed rows, in the same flush.

import type { Connection } from '@store-export/postgres'
import type { PageWriter } from '../encode/page-writer.ts'
import { isCounted } from '../query/changed-count.ts'
import type { PresentColumns } from '../query/columns-present.ts'
import { needsWindows } from '../query/windows.ts'
import { changedCount } from './fill-page.ts'
import { lacksFunctions, type PollOptions, pollAndRun, type TransactionSnapshot } from './open-transactions.ts'
import type { PageRequest, Pages } from './pages.ts'
import { endTransaction, PlannedRead } from './read-plan.ts'
import { requireServable } from './refusals.ts'

/** What was read right after the poll. */
export interface ReadAhead {
  readonly page: PageWriter | null
  /** Changed rows, up to `SORTED_MAX + 1`; null if they were not counted. */
  readonly changed: number | null
}

/** A connection of a store, and the columns that the store has. */
export interface StoreSession {
  readonly connection: Connection
  readonly present: PresentColumns
}

/** Nothing was read with the poll. */
export const NOTHING_AHEAD: ReadAhead = { page: null, changed: null }

/** Sends the poll together with the page's statements, or with the count of changed rows. Rejects as `pollAndRun` does, and with `ApiError`. */
export async function pollAndReadAhead(
  pages: Pages,
  request: PageRequest,
  { connection, present }: StoreSession,
  options: PollOptions,
): Promise<ReadAhead & { readonly look: TransactionSnapshot }> {
  const { plan } = request
  // a request that the store can't serve is refused without waiting for transactions
  requireServable(plan, present)
  if (options.prepared) await pages.plans.renew(connection)
  if (plan.kind === 'page' && isCounted(plan, present)) {
    const counting = changedCount(plan, present, options.prepared)
    const { look, ran, error } = await pollAndRun(connection, [counting.request], options)
    if (error !== null) throw error
    const changed = ran ? counting.count() : null
    return { look, changed, page: changed === 0 ? pages.newPage(request, present) : null }
  }
  const isOneStatement = plan.kind !== 'page' || !needsWindows(plan, present)
  if (isOneStatement && present.has(plan.resource.table))
    return await lookAndReadPage(pages, request, { connection, present }, options)
  const { look } = await pollAndRun(connection, [], options)
  return { look, ...NOTHING_AHEAD }
}

async function lookAndReadPage(
  pages: Pages,
  request: PageRequest,
  { connection, present }: StoreSession,
  options: PollOptions,
): Promise<ReadAhead & { readonly look: TransactionSnapshot }> {
  const page = pages.newPage(request, present)
  const read = new PlannedRead(request.plan, page, { present, prepares: options.prepared })
  try {
    const { look, ran, error } = await pollAndRun(connection, read.requests, options)
    // a server without the functions of the check: `readPlan` reads without it
    if (error !== null && !(read.isLayered && lacksFunctions(error))) throw error
    await endTransaction(connection, options)
    if (!ran) return { look, ...NOTHING_AHEAD }
    read.finish()
    return { look, changed: null, page }
  } catch (error) {
    await endTransaction(connection, options)
    pages.failed(error, request, connection)
    throw error
  } finally {
    read.release()
  }
}
