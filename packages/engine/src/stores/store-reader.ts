// Reads the rows of a plan from a store, as JSON bytes. The API and the dashboard read stores only through
// `StoreReader`.

import type { Microseconds, Resource } from '@store-export/contract'
import { queryRows } from '@store-export/postgres'
import type { PageWriter } from '../encode/page-writer.ts'
import { SORTED_ROWS_MAX } from '../query/changed-count.ts'
import type { Plan } from '../query/plan.ts'
import type { PresentColumns } from '../query/present-columns.ts'
import { existsStatement } from '../query/sql.ts'
import type { StoreEventHandler } from '../store-event.ts'
import { Attempts, type StoreAttempt } from './attempts.ts'
import { fillPage } from './fill-page.ts'
import { NOTHING_READ, pollAndRead, type SpeculativeRead, type StoreSession } from './first-page.ts'
import { pollOpenTransactions } from './open-transactions.ts'
import { type PageRequest, Pages } from './pages.ts'
import { PlannedRead, readPlan } from './read-plan.ts'
import { requireReadable, requireServable } from './require-servable.ts'
import type { StoreColumns } from './store-columns.ts'
import { countRows, type StoreCounts } from './store-counts.ts'
import type { StoreAddress, StorePools } from './store-pools.ts'
import type { TransactionWait } from './transaction-wait.ts'

/** The pools, caches, and limits of a `StoreReader`. */
export interface StoreReaderOptions {
  readonly pools: StorePools
  readonly columns: StoreColumns
  readonly counts: StoreCounts
  readonly transactionWait: TransactionWait
  readonly emit: StoreEventHandler
  /** Time limit of all reads of a request together, from its `startedAt`. */
  readonly timeoutMs: number
  /** A page of a list ends after the row that reaches this many bytes. */
  readonly pageBytesMax: number
  /** Number of rows that one statement reads if no index serves a filter (a scan batch). */
  readonly scanBatchRows: number
  /**
   * Whether to use prepared statements. Behind a pooler in transaction mode that loses them, the reader stops using
   * them after the first error. False avoids this error.
   */
  readonly preparedStatements: boolean
}

/** A read of a plan for one request, and what can end it early. */
export interface ReadRequest extends PageRequest {
  /** ID for the log; null outside of a request. */
  readonly requestId: string | null
  /** Start of the request, on the clock of `performance.now()`. Its reads share one time limit. */
  readonly startedAt: number
  /**
   * Aborted when the client disconnects. The read then rejects with the signal's reason or an error that arrived first.
   */
  readonly signal?: AbortSignal
  /** Called after each attempt to read, for traces. */
  readonly onAttempt?: (attempt: StoreAttempt) => void
}

/**
 * Reads stores within a time limit, and retries a read once if the error allows it. `read` and `readFirst` also reject
 * if `signal` is aborted, while `exists` and `columns` finish their query. Before a method rejects with
 * `StoreDatabaseError`, it emits `store.query_failed`, unless the signal is aborted.
 */
export class StoreReader {
  private readonly options: StoreReaderOptions
  private readonly pages: Pages
  private readonly attempts: Attempts

  constructor(options: StoreReaderOptions) {
    this.options = options
    this.pages = new Pages(options)
    this.attempts = new Attempts(options)
  }

  /**
   * Reads the rows of a plan into a page, which has no rows if the store lacks the table or the row. Release the page.
   * Rejects with `StoreDatabaseError` if the store can't be read, and with `ApiError` if it lacks the column of a
   * filter or end time.
   */
  read(request: ReadRequest): Promise<PageWriter> {
    const reading = this.readPlan(request)
    // Only this kind of plan has counts. The renewal starts after this read, so that it can use the same connection.
    if (request.plan.kind === 'only') reading.then(() => this.renewCounts(request), noop)
    return reading
  }

  /**
   * Reads the first page of a list and its watermark. A later request with `updated_since=<watermark>` returns the
   * changes that this page lacks; for the exceptions, see transaction-wait.ts. If `waits` is true, the read first waits
   * for open transactions. Release the page. Rejects like `read`.
   *
   * The service sends the poll of open transactions and a speculative read in one round trip (first-page.ts). If
   * transactions were awaited, or the speculative read returned no page, another read follows.
   */
  async readFirst(request: ReadRequest & { readonly waits: boolean }): Promise<FirstPage> {
    const sized = this.pages.sized(request)
    const { storeId, databaseUrl } = request.address
    let speculative: SpeculativeRead = NOTHING_READ
    const pollAtArrival = () =>
      this.attempts.run(sized, async (connection, present) => {
        // Call `prepares` in the callback, because a retry may have to stop using prepared statements.
        const prepared = this.prepares(request.address)
        const options = { prepared, signal: request.signal, deadline: this.readDeadline(request.startedAt) }
        const { snapshot, ...rest } = await pollAndRead(this.pages, sized, { connection, present }, options)
        speculative = rest
        return snapshot
      })
    const pollAgain = () =>
      this.attempts.run(sized, (connection) => pollOpenTransactions(connection, this.prepares(request.address)))
    const onWait = () => {
      // The page is read again after the wait, because it lacks the rows of the awaited transactions.
      speculative.page?.release()
      speculative = NOTHING_READ
    }
    const { waits } = request
    const polls = { pollAtArrival, pollAgain, onWait }
    const { transactionWait } = this.options
    const watermark = await transactionWait.waitForOpenTransactions({ storeId, databaseUrl, waits, ...polls })
    const { page, changedCount } = speculative
    if (page === null) {
      const settled = withWatermark(request, watermark)
      // The speculative count ignores the end times, so it is an upper bound. A small upper bound proves that the real
      // count is small.
      const isCertain = settled === request || (changedCount !== null && changedCount <= SORTED_ROWS_MAX)
      return { watermark, page: await this.readPlan(settled, isCertain ? changedCount : null) }
    }
    this.pages.served(sized, page)
    return { watermark, page }
  }

  private readPlan(request: ReadRequest, changedCount: number | null = null): Promise<PageWriter> {
    const sized = this.pages.sized(request)
    const { plan, signal } = sized
    return this.attempts.run(sized, async (connection, present) => {
      requireServable(plan, present)
      const page = this.pages.newPage(sized, present)
      const fill = (plan: Plan) => this.fill({ ...sized, plan }, page, { connection, present })
      if (plan.kind === 'page') {
        const { scanBatchRows, timeoutMs } = this.options
        const until = sized.startedAt + timeoutMs * SCAN_SHARE
        const deadline = this.readDeadline(sized.startedAt)
        const options = { page, connection, present, prepares: this.prepares(sized.address), changedCount, fill }
        await fillPage(plan, { ...options, scanBatchRows, until, deadline, signal })
      } else await fill(plan)
      this.pages.served(sized, page)
      return page
    })
  }

  /** Whether to use prepared statements for the store. */
  private prepares(address: StoreAddress): boolean {
    return this.options.preparedStatements && !this.attempts.losesPreparedStatements(address)
  }

  /** Reads the rows of the plan into the page. Reads nothing if the store lacks the table. */
  private async fill(request: ReadRequest, page: PageWriter, { connection, present }: StoreSession): Promise<void> {
    const { address, signal, startedAt } = request
    if (!present.has(request.plan.resource.table)) return
    const plan = await this.withCounts(request, { connection, present })
    const prepares = this.prepares(address)
    // A plan from the time when a table was small can be slow (cached-plans.ts).
    if (prepares) await this.pages.plans.renew(connection)
    try {
      const read = new PlannedRead(plan, page, { present, prepares })
      await readPlan(connection, read, { signal, deadline: this.readDeadline(startedAt) })
    } catch (error) {
      this.pages.failed(error, { address, plan }, connection)
      throw error
    }
  }

  private readDeadline(startedAt: number): number {
    return startedAt + this.options.timeoutMs * READ_SHARE
  }

  /**
   * Whether the store has a row of `resource` with this ID that is not removed; false if the store lacks the table.
   * `id` is a UUID in lower case. Rejects with `StoreDatabaseError` if the store can't be read.
   */
  exists(request: Omit<ReadRequest, 'prefix' | 'plan'> & { resource: Resource; id: string }): Promise<boolean> {
    return this.attempts.run(request, async (connection, present) => {
      requireReadable(request.resource, present)
      if (!present.has(request.resource.table)) return false
      const statement = { text: existsStatement(request.resource, request.id, present), values: [] }
      const rows = await queryRows(connection, statement)
      return rows.length > 0
    })
  }

  /**
   * Returns the columns of the store that the service can read, like `StoreColumns.of`. Needs a connection even if the
   * columns are cached. Rejects with `StoreDatabaseError` if the store can't be read.
   */
  columns(request: Omit<ReadRequest, 'prefix' | 'plan'>): Promise<PresentColumns> {
    return this.attempts.run(request, async (_, present) => present)
  }

  private async withCounts({ address, plan }: ReadRequest, on: StoreSession): Promise<Plan> {
    if (plan.kind !== 'only') return plan
    const counts = await this.options.counts.of(countsKey(address), () => countRows(countedTables(plan), on))
    return { ...plan, counts }
  }

  /**
   * Renews the counts for later requests if they are due. The renewal uses the deadline of this request, because
   * `StorePools.use` regards the address with the latest deadline as the newest one.
   */
  private renewCounts({ address, plan, startedAt }: ReadRequest): Promise<void> {
    const { counts, pools, timeoutMs } = this.options
    const signal = pools.closing
    return counts.renew(countsKey(address), (count) =>
      this.attempts.once(
        address,
        (connection, present) => count(() => countRows(countedTables(plan), { connection, present, signal })),
        startedAt + timeoutMs,
      ),
    )
  }
}

/** The first page of a list, and the watermark of the list. */
export interface FirstPage {
  readonly page: PageWriter
  readonly watermark: Microseconds
}

/**
 * Returns the request with the watermark as the end time of each field that has one. If the client gave an earlier end,
 * the plan also has it as a filter, so the earlier end applies.
 */
function withWatermark(request: ReadRequest, watermark: Microseconds): ReadRequest {
  const { plan } = request
  if (plan.kind !== 'page' || plan.window === undefined) return request
  return { ...request, plan: { ...plan, window: plan.window.map((end) => ({ ...end, before: watermark })) } }
}

/**
 * Share of the time limit after which the client cancels a read, because `statement_timeout` limits only each
 * statement. At the whole limit, `Attempts` would discard the store's pool.
 */
const READ_SHARE = 0.95

/** Share of the time limit for scan batches. The rest is for a slow last batch and for the response. */
const SCAN_SHARE = 0.8

function countedTables({ resource }: Plan): string[] {
  return Object.values(resource.fields).flatMap(({ type }) => (type.kind === 'counts' ? type.tables : []))
}

const noop = () => undefined

/** Returns a key that contains the address, so that a store that has moved gets new counts. */
function countsKey({ storeId, databaseUrl, schemaName }: StoreAddress): string {
  return JSON.stringify([storeId, databaseUrl, schemaName])
}
