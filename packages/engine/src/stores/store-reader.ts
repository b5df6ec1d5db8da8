// The only reader of store databases: a plan goes in, rows as JSON bytes come out. Knows nothing of HTTP; the time limit
// and the one retry are attempts.ts.

import type { Microseconds, Resource } from '@store-export/contract'
import { type Connection, queryRows, TimeLimitPassed } from '@store-export/postgres'
import { PageWriter } from '../encode/page-writer.ts'
import type { PresentColumns } from '../query/columns-present.ts'
import type { PagePlan, Plan } from '../query/plan.ts'
import { existsStatement } from '../query/sql.ts'
import type { Observe } from '../store-event.ts'
import { Attempts } from './attempts.ts'
import type { Barrier } from './barrier.ts'
import { ChangedRows } from './changed-rows.ts'
import type { StoreColumns } from './columns.ts'
import { countRows, type StoreCounts } from './counts.ts'
import { isTooSlow } from './database-errors.ts'
import { fillPage } from './fill-page.ts'
import { KeptPlans } from './kept-plans.ts'
import { lookAtTransactions } from './open-transactions.ts'
import { PageSizes } from './page-sizes.ts'
import type { StoreAddress, StorePools } from './pools.ts'
import { readPlan } from './read-plan.ts'
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
  private readonly changed = new ChangedRows()

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

  private readPlan(request: ReadRequest): Promise<PageWriter> {
    const sized = { ...request, plan: this.sized(request) }
    const { plan, address } = sized
    return this.attempts.run(sized, async (connection, present) => {
      const page = this.newPage(sized)
      requireServable(plan, present)
      page.tracksUpdates = tracksUpdates(plan.resource, present)
      const fill = (plan: Plan) => this.fill({ ...sized, plan }, page, { connection, present })
      if (plan.kind === 'page') {
        const { searchRows: windowRows, timeoutMs } = this.options
        const until = sized.startedAt + timeoutMs * SEARCH_SHARE
        const { signal } = sized
        const wayToChanged = (plan: PagePlan) =>
          this.changed.wayTo(listOf(address, plan), plan, { connection, present, signal })
        await fillPage(plan, { page, connection, present, windowRows, until, signal, wayToChanged, fill })
        this.sizes.served(listOf(address, plan), { rows: page.rows, bytes: page.out.length })
      } else await fill(plan)
      this.report(sized, page)
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
      const deadline = startedAt + this.options.timeoutMs * READ_SHARE
      await readPlan(connection, plan, page, { present, prepares, signal, deadline })
    } catch (error) {
      const isSlow = isTooSlow(error) || error instanceof TimeLimitPassed
      if (isSlow) this.plans.distrust(connection)
      // a window takes as long for one row as for many
      if (plan.kind === 'page' && plan.window === undefined && isSlow)
        this.sizes.tooSlow(listOf(address, plan), plan.limit)
      throw error
    }
  }

  /**
   * From when the next run may ask without missing what is read after this, on the database's clock; waits for open
   * transactions where `waits` says so. Throws as `read` does for the same plan.
   */
  watermark({ waits, plan, ...request }: Omit<ReadRequest, 'lead'> & { waits: boolean }): Promise<Microseconds> {
    const look = () =>
      this.attempts.run(request, (connection, present) => {
        // what will be refused is not waited for
        requireServable(plan, present)
        return lookAtTransactions(connection, this.prepares(request.address))
      })
    const { storeId, databaseUrl } = request.address
    return this.options.barrier.pass({ storeId, databaseUrl, waits, look })
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

  private newPage({ plan, lead }: ReadRequest): PageWriter {
    const single = plan.kind === 'one' || plan.kind === 'only'
    const rowsMax = plan.kind === 'page' ? plan.limit : single ? 1 : Number.MAX_SAFE_INTEGER
    const bytesMax = plan.kind === 'page' ? this.options.pageBytesMax : Number.MAX_SAFE_INTEGER
    return new PageWriter(plan.resource, { rowsMax, bytesMax }, lead)
  }

  private async withCounts({ address, plan }: ReadRequest, on: StoreSession): Promise<Plan> {
    if (plan.kind !== 'only') return plan
    const counts = await this.options.counts.of(address.storeId, () => countRows(countedTables(plan), on))
    return { ...plan, counts }
  }

  /** For the requests behind this one, in its time: begun later, its address would pass for newer than one that came since. */
  private countAhead({ address, plan, startedAt }: ReadRequest): Promise<void> {
    const { counts, pools, timeoutMs } = this.options
    const signal = pools.closing
    return counts.ahead(address.storeId, (counting) =>
      this.attempts.once(
        address,
        (connection, present) => counting(() => countRows(countedTables(plan), { connection, present, signal })),
        startedAt + timeoutMs,
      ),
    )
  }

  private report({ address, plan }: ReadRequest, page: PageWriter): void {
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

function listOf({ storeId }: StoreAddress, { resource }: Plan): string {
  return `${storeId} ${resource.list}`
}
