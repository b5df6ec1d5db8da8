// The only reader of store databases: turns a plan into rows as JSON bytes. It knows no HTTP. `attempts.ts` has the time limit
// and the retry.

import type { Microseconds, Resource } from '@store-export/contract'
import { queryRows } from '@store-export/postgres'
import type { PageWriter } from '../encode/page-writer.ts'
import type { PresentColumns } from '../query/columns-present.ts'
import type { Plan } from '../query/plan.ts'
import { existsStatement } from '../query/sql.ts'
import type { StoreEventHandler } from '../store-event.ts'
import { Attempts } from './attempts.ts'
import type { StoreColumns } from './columns.ts'
import { countRows, type StoreCounts } from './counts.ts'
import { fillPage } from './fill-page.ts'
import { NOTHING_AHEAD, pollAndReadAhead, type ReadAhead, type StoreSession } from './first-page.ts'
import { pollOpenTransactions } from './open-transactions.ts'
import { type PageRequest, Pages } from './pages.ts'
import type { StoreAddress, StorePools } from './pools.ts'
import { PlannedRead, readPlan } from './read-plan.ts'
import { requireReadable, requireServable } from './refusals.ts'
import type { TransactionWait } from './transaction-wait.ts'

export interface StoreReaderOptions {
  readonly pools: StorePools
  readonly columns: StoreColumns
  readonly counts: StoreCounts
  readonly transactionWait: TransactionWait
  readonly emit: StoreEventHandler
  readonly timeoutMs: number
  readonly pageBytesMax: number
  /** Rows of a scan batch, for a filter without an index. */
  readonly scanBatchRows: number
  /** Off if a pooler shares connections. */
  readonly preparedStatements: boolean
}

/** A request to read. */
export interface ReadRequest extends PageRequest {
  readonly requestId: string | null
  /** Start of the request, by `performance.now()`. All its reads share one time limit. */
  readonly startedAt: number
  /** Cancels the statement under way when the client has left. The read rejects with its reason. */
  readonly signal?: AbortSignal
}

/** Reads stores. */
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
   * The rows of the plan. Rejects with `ApiError` if the store lacks a filter's column, and with `StoreDatabaseError`, which is
   * reported already, if it cannot be read.
   */
  read(request: ReadRequest): Promise<PageWriter> {
    const reading = this.readPlan(request)
    // after the response, on the same connection if it is still idle
    if (request.plan.kind === 'only') reading.then(() => this.countAhead(request), noop)
    return reading
  }

  /**
   * Reads the first page of a list. A request with `updated_since` set to the watermark returns every change that this page
   * lacks. Waits for open transactions if `waits` is set. Rejects as `read` does.
   *
   * The look at open transactions leaves in one flush with the page, or with the count of changed rows. After a wait the page
   * is read again.
   */
  async readFirst(request: ReadRequest & { readonly waits: boolean }): Promise<FirstPage> {
    const sized = this.pages.sized(request)
    const { storeId, databaseUrl } = request.address
    let ahead: ReadAhead = NOTHING_AHEAD
    const look = () =>
      this.attempts.run(sized, async (connection, present) => {
        // a retry may read without prepared statements
        const prepared = this.prepares(request.address)
        const options = { prepared, signal: request.signal, deadline: this.readDeadline(request.startedAt) }
        const { look, ...rest } = await pollAndReadAhead(this.pages, sized, { connection, present }, options)
        ahead = rest
        return look
      })
    const poll = () => {
      // the page is read again after the wait
      ahead.page?.release()
      ahead = NOTHING_AHEAD
      return this.attempts.run(sized, (connection) => pollOpenTransactions(connection, this.prepares(request.address)))
    }
    const { waits } = request
    const { watermark, hasWaited } = await this.options.transactionWait.waitForOpenTransactions({
      storeId,
      databaseUrl,
      waits,
      look,
      poll,
    })
    const { page, changed } = hasWaited ? NOTHING_AHEAD : ahead
    if (page === null) return { watermark, page: await this.readPlan(request, changed) }
    this.pages.served(sized, page)
    return { watermark, page }
  }

  private readPlan(request: ReadRequest, changed: number | null = null): Promise<PageWriter> {
    const sized = this.pages.sized(request)
    const { plan, signal } = sized
    return this.attempts.run(sized, async (connection, present) => {
      requireServable(plan, present)
      const page = this.pages.newPage(sized, present)
      const fill = (plan: Plan) => this.fill({ ...sized, plan }, page, { connection, present })
      if (plan.kind === 'page') {
        const { scanBatchRows, timeoutMs } = this.options
        const until = sized.startedAt + timeoutMs * SEARCH_SHARE
        const deadline = this.readDeadline(sized.startedAt)
        const search = { page, connection, present, prepares: this.prepares(sized.address), changed, fill }
        await fillPage(plan, { ...search, scanBatchRows, until, deadline, signal })
      } else await fill(plan)
      this.pages.served(sized, page)
      return page
    })
  }

  /** Whether connections to the store keep statements prepared. */
  private prepares(address: StoreAddress): boolean {
    return this.options.preparedStatements && !this.attempts.mixesStatements(address)
  }

  /** Reads the rows of the plan into the page: none if the store lacks the table. */
  private async fill(request: ReadRequest, page: PageWriter, { connection, present }: StoreSession): Promise<void> {
    const { address, signal, startedAt } = request
    if (!present.has(request.plan.resource.table)) return
    const plan = await this.withCounts(request, { connection, present })
    const prepares = this.prepares(address)
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

  /** Whether the store has a row of `resource` with this ID. */
  exists(request: Omit<ReadRequest, 'lead' | 'plan'> & { resource: Resource; id: string }): Promise<boolean> {
    return this.attempts.run(request, async (connection, present) => {
      requireReadable(request.resource, present)
      if (!present.has(request.resource.table)) return false
      const statement = { text: existsStatement(request.resource, request.id, present), values: [] }
      const rows = await queryRows(connection, statement)
      return rows.length > 0
    })
  }

  /** The columns that the store has and the reader may select, at most as old as the settings say. */
  columns(request: Omit<ReadRequest, 'lead' | 'plan'>): Promise<PresentColumns> {
    return this.attempts.run(request, async (_, present) => present)
  }

  private async withCounts({ address, plan }: ReadRequest, on: StoreSession): Promise<Plan> {
    if (plan.kind !== 'only') return plan
    const counts = await this.options.counts.of(placeOf(address), () => countRows(countedTables(plan), on))
    return { ...plan, counts }
  }

  /**
   * Counts for later requests, within the time limit of this one: with a later deadline, its address would count as newer than
   * one that arrived since.
   */
  private countAhead({ address, plan, startedAt }: ReadRequest): Promise<void> {
    const { counts, pools, timeoutMs } = this.options
    const signal = pools.closing
    return counts.ahead(placeOf(address), (counting) =>
      this.attempts.once(
        address,
        (connection, present) => counting(() => countRows(countedTables(plan), { connection, present, signal })),
        startedAt + timeoutMs,
      ),
    )
  }
}

/** First page of a list. */
export interface FirstPage {
  readonly page: PageWriter
  readonly watermark: Microseconds
}

/** Share of the time limit after which a page counts as too slow: its statements have a limit each, and not together. */
const READ_SHARE = 0.95

/** Share of the time limit for a search without an index. */
const SEARCH_SHARE = 0.8

function countedTables({ resource }: Plan): string[] {
  return Object.values(resource.fields).flatMap(({ type }) => (type.kind === 'counts' ? type.tables : []))
}

const noop = () => undefined

/** After a move, the counts of the old database or schema are not those of the store. */
function placeOf({ storeId, databaseUrl, schemaName }: StoreAddress): string {
  return JSON.stringify([storeId, databaseUrl, schemaName])
}
