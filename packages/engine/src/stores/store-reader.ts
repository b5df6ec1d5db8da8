// The only reader of store databases: a plan goes in, rows as JSON bytes come out. Knows nothing of HTTP; the time limit
// and the one retry are attempts.ts.

import type { Microseconds, Resource } from '@store-export/contract'
import { type Connection, queryRows, TimeLimitPassed } from '@store-export/postgres'
import { PageWriter } from '../encode/page-writer.ts'
import { isCounted } from '../query/changed-count.ts'
import type { PresentColumns } from '../query/columns-present.ts'
import type { Plan } from '../query/plan.ts'
import { existsStatement } from '../query/sql.ts'
import { needsWindows } from '../query/windows.ts'
import type { Observe } from '../store-event.ts'
import { Attempts } from './attempts.ts'
import type { Barrier } from './barrier.ts'
import type { StoreColumns } from './columns.ts'
import { countRows, type StoreCounts } from './counts.ts'
import { isTooSlow } from './database-errors.ts'
import { changedCount, fillPage } from './fill-page.ts'
import { KeptPlans } from './kept-plans.ts'
import { type Look, type LookOptions, lacksFunctions, lookAndRun, lookAtTransactions } from './open-transactions.ts'
import { PageSizes } from './page-sizes.ts'
import type { StoreAddress, StorePools } from './pools.ts'
import { endTransaction, PlannedRead, readPlan } from './read-plan.ts'
import { requireReadable, requireServable, tracksUpdates } from './refusals.ts'

/** What a reader is made of. */
export interface StoreReaderOptions {
  readonly pools: StorePools
  readonly columns: StoreColumns
  readonly counts: StoreCounts
  readonly barrier: Barrier
  readonly observe: Observe
  readonly timeoutMs: number
  readonly pageBytesMax: number
  /** Rows that are looked through at a time for a filter that no index serves. */
  readonly searchRows: number
  /** Whether connections to stores keep statements: not where a pooler shares them. */
  readonly preparedStatements: boolean
}

/** A request to read: whose, what, and the bytes that stand before the first row. */
export interface ReadRequest {
  readonly address: StoreAddress
  readonly plan: Plan
  readonly lead: string
  readonly requestId: string | null
  /** When the request began, on the clock of `performance.now()`: all that is read for it shares one time limit. */
  readonly startedAt: number
  /** Aborted when nobody waits for the answer any more: what is under way is cancelled, and its reason thrown. */
  readonly signal?: AbortSignal
}

/** Reads stores. */
export class StoreReader {
  private readonly options: StoreReaderOptions
  private readonly sizes: PageSizes
  private readonly attempts: Attempts
  private readonly plans = new KeptPlans()

  constructor(options: StoreReaderOptions) {
    this.options = options
    this.sizes = new PageSizes(options.pageBytesMax)
    this.attempts = new Attempts(options)
  }

  /**
   * The rows of the plan. Throws `ApiError` where the store cannot filter as asked, and `StoreDatabaseFault`, already
   * observed, where it cannot be read.
   */
  read(request: ReadRequest): Promise<PageWriter> {
    const reading = this.readPlan(request)
    // behind it: its connection can be the one that counts
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
    const sized = { ...request, plan: this.sized(request) }
    const { storeId, databaseUrl } = request.address
    let ahead: ReadAhead = NOTHING_AHEAD
    const look = () =>
      this.attempts.run(sized, async (connection, present) => {
        const { look, ...rest } = await this.lookAndReadAhead(sized, { connection, present })
        ahead = rest
        return look
      })
    const poll = () => {
      // the page is read again after the wait
      ahead.page?.release()
      ahead = NOTHING_AHEAD
      return this.attempts.run(sized, (connection) => lookAtTransactions(connection, this.prepares(request.address)))
    }
    const { waits } = request
    const { watermark, hasWaited } = await this.options.barrier.pass({ storeId, databaseUrl, waits, look, poll })
    const { page, changed } = hasWaited ? NOTHING_AHEAD : ahead
    if (page === null) return { watermark, page: await this.readPlan(request, changed) }
    this.served(sized, page)
    return { watermark, page }
  }

  /** Looks at open transactions and reads as much of the request as one flush can. */
  private async lookAndReadAhead(request: ReadRequest, session: StoreSession): Promise<ReadAhead & { look: Look }> {
    const { plan, address, signal, startedAt } = request
    const { connection, present } = session
    // a request that the store can't serve is refused without waiting for transactions
    requireServable(plan, present)
    const options = { prepared: this.prepares(address), signal, deadline: this.readDeadline(startedAt) }
    if (options.prepared) await this.plans.renew(connection)
    if (plan.kind === 'page' && isCounted(plan, present)) {
      const counting = changedCount(plan, present, options.prepared)
      const { look, ran, error } = await lookAndRun(connection, [counting.request], options)
      if (error !== null) throw error
      const changed = ran ? counting.count() : null
      return { look, changed, page: changed === 0 ? this.newPage(request, present) : null }
    }
    const isOneStatement = plan.kind !== 'page' || !needsWindows(plan, present)
    if (!isOneStatement || !present.has(plan.resource.table)) {
      const { look } = await lookAndRun(connection, [], options)
      return { look, ...NOTHING_AHEAD }
    }
    return await this.lookAndReadPage(request, session, options)
  }

  private async lookAndReadPage(
    request: ReadRequest,
    { connection, present }: StoreSession,
    options: LookOptions,
  ): Promise<ReadAhead & { look: Look }> {
    const page = this.newPage(request, present)
    const read = new PlannedRead(request.plan, page, { present, prepares: options.prepared })
    try {
      const { look, ran, error } = await lookAndRun(connection, read.requests, options)
      // a server without the functions of the check: `readPlan` reads without it
      if (error !== null && !(read.isLayered && lacksFunctions(error))) throw error
      await endTransaction(connection, options)
      if (!ran) return { look, ...NOTHING_AHEAD }
      read.finish()
      return { look, changed: null, page }
    } catch (error) {
      await endTransaction(connection, options)
      this.noteSlow(error, request, connection)
      throw error
    } finally {
      read.release()
    }
  }

  private readPlan(request: ReadRequest, changed: number | null = null): Promise<PageWriter> {
    const sized = { ...request, plan: this.sized(request) }
    const { plan, signal } = sized
    return this.attempts.run(sized, async (connection, present) => {
      requireServable(plan, present)
      const page = this.newPage(sized, present)
      const fill = (plan: Plan) => this.fill({ ...sized, plan }, page, { connection, present })
      if (plan.kind === 'page') {
        const { searchRows: windowRows, timeoutMs } = this.options
        const until = sized.startedAt + timeoutMs * SEARCH_SHARE
        const deadline = this.readDeadline(sized.startedAt)
        const search = { page, connection, present, prepares: this.prepares(sized.address), changed, fill }
        await fillPage(plan, { ...search, windowRows, until, deadline, signal })
      } else await fill(plan)
      this.served(sized, page)
      return page
    })
  }

  private sized({ address, plan }: ReadRequest): Plan {
    return plan.kind === 'page' ? { ...plan, limit: this.sizes.rowsFor(listOf(address, plan), plan.limit) } : plan
  }

  /** Whether connections to the store keep statements prepared. */
  private prepares(address: StoreAddress): boolean {
    return this.options.preparedStatements && !this.attempts.mixesStatements(address)
  }

  /** Reads the rows of the plan into the page; none where the store lacks the table. */
  private async fill(request: ReadRequest, page: PageWriter, { connection, present }: StoreSession): Promise<void> {
    const { address, signal, startedAt } = request
    if (!present.has(request.plan.resource.table)) return
    const plan = await this.withCounts(request, { connection, present })
    const prepares = this.prepares(address)
    if (prepares) await this.plans.renew(connection)
    try {
      const read = new PlannedRead(plan, page, { present, prepares })
      await readPlan(connection, read, { signal, deadline: this.readDeadline(startedAt) })
    } catch (error) {
      this.noteSlow(error, { address, plan }, connection)
      throw error
    }
  }

  private noteSlow(
    error: unknown,
    { address, plan }: Pick<ReadRequest, 'address' | 'plan'>,
    connection: Connection,
  ): void {
    if (!isTooSlow(error) && !(error instanceof TimeLimitPassed)) return
    this.plans.distrust(connection)
    // a scan batch takes as long for one row as for many
    if (plan.kind === 'page' && plan.window === undefined) this.sizes.tooSlow(listOf(address, plan), plan.limit)
  }

  private readDeadline(startedAt: number): number {
    return startedAt + this.options.timeoutMs * READ_SHARE
  }

  /** Whether the store has a row of `resource` with this id. */
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

  private newPage({ plan, lead }: ReadRequest, present: PresentColumns): PageWriter {
    const single = plan.kind === 'one' || plan.kind === 'only'
    const rowsMax = plan.kind === 'page' ? plan.limit : single ? 1 : Number.MAX_SAFE_INTEGER
    const bytesMax = plan.kind === 'page' ? this.options.pageBytesMax : Number.MAX_SAFE_INTEGER
    const page = new PageWriter(plan.resource, { rowsMax, bytesMax }, lead)
    page.tracksUpdates = tracksUpdates(plan.resource, present)
    return page
  }

  private async withCounts({ address, plan }: ReadRequest, on: StoreSession): Promise<Plan> {
    if (plan.kind !== 'only') return plan
    const counts = await this.options.counts.of(placeOf(address), () => countRows(countedTables(plan), on))
    return { ...plan, counts }
  }

  /** For the requests behind this one, in its time: begun later, its address would pass for newer than one that came since. */
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

  /** Learns from a page, and reports values that break the contract. */
  private served({ address, plan }: ReadRequest, page: PageWriter): void {
    if (plan.kind === 'page') this.sizes.served(listOf(address, plan), { rows: page.rows, bytes: page.out.length })
    for (const [what, count] of page.out.surprises) {
      const [field = what, ...kind] = what.split(' ')
      const resource = plan.resource.name
      this.options.observe({
        event: 'value surprise',
        storeId: address.storeId,
        resource,
        field,
        kind: kind.join(' '),
        count,
      })
    }
  }
}

/** First page of a list. */
export interface FirstPage {
  readonly page: PageWriter
  readonly watermark: Microseconds
}

/** What was read right after the look at open transactions. */
interface ReadAhead {
  readonly page: PageWriter | null
  /** Changed rows, up to `SORTED_MAX + 1`; null if they were not counted. */
  readonly changed: number | null
}

const NOTHING_AHEAD: ReadAhead = { page: null, changed: null }

interface StoreSession {
  readonly connection: Connection
  readonly present: PresentColumns
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

function listOf({ storeId }: StoreAddress, { resource }: Plan): string {
  return `${storeId} ${resource.list}`
}
