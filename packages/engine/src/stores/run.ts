// The only reader of store databases: a plan goes in, rows as JSON bytes come out. In charge of the time limit, of one
// retry, and of nothing that HTTP knows.

import { ApiError, type Microseconds, type Resource } from '@store-export/contract'
import type { Sql } from '../connection.ts'
import type { TakeRow } from '../connection-messages.ts'
import type { Cell } from '../encode/cell.ts'
import { PageWriter, rowId } from '../encode/page-writer.ts'
import type { Observe } from '../observe.ts'
import type { PresentColumns } from '../query/columns-present.ts'
import type { Plan } from '../query/plan.ts'
import { countStatement, existsStatement, statementOf } from '../query/sql.ts'
import { within } from '../within.ts'
import type { Barrier } from './barrier.ts'
import type { StoreColumns } from './columns.ts'
import type { Counts, StoreCounts } from './counts.ts'
import { isTooSlow, remedyFor } from './database-errors.ts'
import { KeptPlans } from './kept-plans.ts'
import { lookAtTransactions } from './open-transactions.ts'
import { PageSizes } from './page-sizes.ts'
import type { StoreAddress, StorePools } from './pools.ts'
import { readRows } from './read-rows.ts'
import { refuseUntracked, requireLaunchTables } from './refusals.ts'
import { allGone, type RowRequest, RowsById } from './rows-by-id.ts'
import { StoreDatabaseFault } from './store-fault.ts'

/** What a reader is made of. */
export interface StoreReaderParts {
  readonly pools: StorePools
  readonly columns: StoreColumns
  readonly counts: StoreCounts
  readonly barrier: Barrier
  readonly observe: Observe
  readonly timeoutMs: number
  readonly pageBytesMax: number
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
  private readonly parts: StoreReaderParts
  private readonly sizes: PageSizes
  /** Addresses behind which a pooler has mixed up prepared statements. */
  private readonly unprepared = new Set<string>()
  private readonly plans = new KeptPlans()
  private readonly rowsById: RowsById

  constructor(parts: StoreReaderParts) {
    this.parts = parts
    this.rowsById = new RowsById({
      alone: (request) => this.readAlone(request),
      together: (requests) => this.readTogether(requests),
    })
    this.sizes = new PageSizes(parts.pageBytesMax)
  }

  /**
   * The rows of the plan. Throws `ApiError` where the store cannot filter as asked, and `StoreDatabaseFault`, already
   * observed, where it cannot be read.
   */
  read(request: ReadRequest): Promise<PageWriter> {
    const { plan } = request
    return plan.kind === 'one' ? this.rowsById.read({ ...request, plan }) : this.readAlone(request)
  }

  private readAlone(request: ReadRequest): Promise<PageWriter> {
    const sized = { ...request, plan: this.sized(request) }
    const { plan, address } = sized
    return this.withRetry(sized, async (sql, present) => {
      const page = this.newPage(sized)
      refuseUntracked(plan, present)
      await this.fill(sized, { sql, present, take: (row) => page.take(row) })
      if (plan.kind === 'page') this.sizes.served(listOf(address, plan), { rows: page.rows, bytes: page.out.length })
      this.report(sized, page)
      return page
    })
  }

  private readTogether(requests: readonly RowRequest[]): Promise<PageWriter[]> {
    const [first] = requests
    if (first === undefined) return Promise.resolve([])
    const { resource } = first.plan
    const plan: Plan = { kind: 'some', resource, ids: [...new Set(requests.map(({ plan }) => plan.id))] }
    const merged = { ...first, plan, signal: allGone(requests) }
    return this.withRetry(merged, async (sql, present) => {
      const pages = requests.map((request) => this.newPage(request))
      const take = (row: Cell) => {
        const id = rowId(resource, row)
        for (const [index, { plan }] of requests.entries()) if (plan.id === id) pages[index]?.take(row)
      }
      await this.fill(merged, { sql, present, take })
      for (const page of pages) this.report(merged, page)
      return pages
    })
  }

  private sized({ address, plan }: ReadRequest): Plan {
    return plan.kind === 'page' ? { ...plan, limit: this.sizes.rowsFor(listOf(address, plan), plan.limit) } : plan
  }

  /** Hands out the rows of the plan; none where the store lacks the table. */
  private async fill(
    { address, plan: asked, signal }: ReadRequest,
    { sql, present, take }: OnConnection & { take: TakeRow },
  ): Promise<void> {
    requireLaunchTables(asked.resource, present)
    if (!present.has(asked.resource.table)) return
    const plan = await this.withCounts(address, asked, { sql, present })
    const prepares = this.parts.preparedStatements && !this.unprepared.has(address.databaseUrl)
    const statement = statementOf(plan, present, { prepares })
    signal?.throwIfAborted()
    if (statement.isRepeated) await this.plans.renew(sql)
    try {
      const mended = await readRows(sql, statement, { take, signal })
      if (remedyFor(mended) === 'prepare nothing') this.unprepared.add(address.databaseUrl)
    } catch (error) {
      signal?.throwIfAborted()
      if (isTooSlow(error)) this.plans.distrust(sql)
      if (plan.kind === 'page' && isTooSlow(error)) this.sizes.tooSlow(listOf(address, plan), plan.limit)
      throw error
    }
  }

  /**
   * From when the next run may ask without missing what is read after this, on the database's clock; waits for open
   * transactions where `waits` says so. Throws as `read` does for the same plan.
   */
  watermark({ waits, plan, ...request }: Omit<ReadRequest, 'lead'> & { waits: boolean }): Promise<Microseconds> {
    const look = () =>
      this.withRetry(request, (sql, present) => {
        // what will be refused is not waited for
        refuseUntracked(plan, present)
        return lookAtTransactions(sql)
      })
    const { storeId, databaseUrl } = request.address
    return this.parts.barrier.pass({ storeId, databaseUrl, waits, look })
  }

  /** Whether the store has a row of `resource` with this id. */
  exists(request: Omit<ReadRequest, 'lead' | 'plan'> & { resource: Resource; id: string }): Promise<boolean> {
    return this.withRetry(request, async (sql, present) => {
      if (!present.has(request.resource.table)) return false
      const rows = await sql.unsafe(existsStatement(request.resource, request.id, present))
      return rows.length > 0
    })
  }

  /** The columns that the store has and the reader may select, at most as old as the settings say. */
  columns(request: Omit<ReadRequest, 'lead' | 'plan'>): Promise<PresentColumns> {
    return this.withRetry(request, async (_sql, present) => present)
  }

  private newPage({ plan, lead }: ReadRequest): PageWriter {
    const single = plan.kind === 'one' || plan.kind === 'only'
    const rowsMax = plan.kind === 'page' ? plan.limit : single ? 1 : Number.MAX_SAFE_INTEGER
    const bytesMax = plan.kind === 'page' ? this.parts.pageBytesMax : Number.MAX_SAFE_INTEGER
    return new PageWriter(plan.resource, { rowsMax, bytesMax }, lead)
  }

  private async withCounts(address: StoreAddress, plan: Plan, { sql, present }: OnConnection): Promise<Plan> {
    if (plan.kind !== 'only') return plan
    const tables = Object.values(plan.resource.fields).flatMap(({ type }) =>
      type.kind === 'counts' ? type.tables : [],
    )
    return { ...plan, counts: await this.parts.counts.of(address.storeId, () => count({ sql, present }, tables)) }
  }

  /** One more try where the error says that it is worth it, never past the time limit. */
  private async withRetry<T>(request: Started, work: Work<T>): Promise<T> {
    const { startedAt, address, signal } = request
    const deadline = startedAt + this.parts.timeoutMs
    const isFinal = (cause: unknown) => cause instanceof ApiError || signal?.aborted === true
    try {
      return await this.attempt(address, work, deadline)
    } catch (cause) {
      if (isFinal(cause)) throw cause
      const retried = this.prepareRetry(address, cause) || this.isStrayCancel(cause, startedAt)
      this.parts.observe(storeFault(request, cause, retried))
      if (!retried) throw asFault(cause)
    }
    try {
      return await this.attempt(address, work, deadline)
    } catch (cause) {
      if (isFinal(cause)) throw cause
      this.prepareRetry(address, cause)
      this.parts.observe(storeFault(request, cause, false))
      throw asFault(cause)
    }
  }

  /** Long before its time limit a statement is ended only by a cancel that was meant for the one before it. */
  private isStrayCancel(cause: unknown, startedAt: number): boolean {
    return isTooSlow(cause) && performance.now() - startedAt < this.parts.timeoutMs * HUNG_SHARE
  }

  private prepareRetry({ storeId, databaseUrl }: StoreAddress, cause: unknown): boolean {
    const remedy = remedyFor(cause)
    if (remedy === 'reconnect' || remedy === 'read schema again') this.parts.columns.forget(storeId)
    if (remedy === 'prepare nothing') this.unprepared.add(databaseUrl)
    return remedy !== 'none'
  }

  private async attempt<T>(address: StoreAddress, work: Work<T>, deadline: number): Promise<T> {
    const reading = async (sql: Sql) => {
      const begunAt = performance.now()
      const running = this.parts.columns.of(address, sql).then((present) => work(sql, present))
      const discard = (reason: string, graceSeconds: number) =>
        this.parts.pools.discard(address.storeId, reason, { sql, graceSeconds })
      try {
        return await within(deadline - performance.now(), running, () => {
          // Late because it waited long for its turn is not hung: what runs on the other connections may end.
          const isHung = performance.now() - begunAt > this.parts.timeoutMs * HUNG_SHARE
          discard('no answer in time', isHung ? 0 : GRACE_SECONDS)
        })
      } catch (cause) {
        if (remedyFor(cause) === 'reconnect') discard('connection lost', GRACE_SECONDS)
        throw cause
      }
    }
    return await this.parts.pools.use(address, reading, deadline)
  }

  private report({ address, plan }: ReadRequest, page: PageWriter): void {
    for (const [what, count] of page.out.surprises) {
      const [field = what, ...kind] = what.split(' ')
      const resource = plan.resource.name
      this.parts.observe({
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

interface OnConnection {
  readonly sql: Sql
  readonly present: PresentColumns
}

type Started = Pick<ReadRequest, 'address' | 'requestId' | 'startedAt' | 'signal'>

type Work<T> = (sql: Sql, present: PresentColumns) => Promise<T>

const GRACE_SECONDS = 5
/** Of the time limit, how long a statement runs before its connections are taken for dead. */
const HUNG_SHARE = 0.5

function storeFault({ address, requestId }: Started, cause: unknown, retried: boolean) {
  return { event: 'store fault', storeId: address.storeId, requestId, cause, retried } as const
}

function asFault(cause: unknown): StoreDatabaseFault {
  return cause instanceof StoreDatabaseFault ? cause : new StoreDatabaseFault('the store could not be read', { cause })
}

async function count({ sql, present }: OnConnection, tables: readonly string[]): Promise<Counts> {
  const [row = []] = await sql.unsafe(countStatement(tables, present)).values()
  return new Map(tables.map((table, index) => [table, BigInt(String(row[index]))]))
}

function listOf({ storeId }: StoreAddress, { resource }: Plan): string {
  return `${storeId} ${resource.list}`
}
