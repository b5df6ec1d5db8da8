// Creates the pages of requests, and estimates page sizes from earlier pages. After a page, the next page of the list
// reads about as many rows as fit. After a page that took too long, the next page reads a quarter of the rows, with new
// query plans.

import { type Connection, TimeLimitPassed } from '@store-export/postgres'
import { PageWriter } from '../encode/page-writer.ts'
import type { Plan } from '../query/plan.ts'
import type { PresentColumns } from '../query/present-columns.ts'
import { describeSchema } from '../query/schema-description.ts'
import type { StoreEventHandler } from '../store-event.ts'
import { CachedPlans } from './cached-plans.ts'
import { isCanceled } from './database-errors.ts'
import { PageSizes } from './page-sizes.ts'
import { tracksUpdates } from './require-servable.ts'
import type { StoreAddress } from './store-pool.ts'

/** The rows to read, the store, and the JSON before the rows. */
export interface PageRequest {
  readonly address: StoreAddress
  readonly plan: Plan
  /** JSON text before the first row. */
  readonly prefix: string
}

/** Creates the pages of all stores, and adjusts their size after each page. */
export class Pages {
  readonly plans = new CachedPlans()
  private readonly bytesMax: number
  private readonly emit: StoreEventHandler
  private readonly sizes: PageSizes

  constructor({ pageBytesMax, emit }: { readonly pageBytesMax: number; readonly emit: StoreEventHandler }) {
    this.bytesMax = pageBytesMax
    this.emit = emit
    this.sizes = new PageSizes(pageBytesMax)
  }

  /** Returns the request, with `limit` reduced to the number of rows that will probably fit on a page. */
  sized<T extends PageRequest>(request: T): T {
    const { address, plan } = request
    if (plan.kind !== 'page') return request
    return { ...request, plan: { ...plan, limit: this.sizes.rowsFor(listOf(address, plan), plan.limit) } }
  }

  /** Returns an empty page for the rows of the plan. */
  newPage({ plan, prefix }: PageRequest, present: PresentColumns): PageWriter {
    // Only a list has several pages. An `allOf` plan returns all of its rows at once.
    const single = plan.kind === 'one' || plan.kind === 'only'
    const rowsMax = plan.kind === 'page' ? plan.limit : single ? 1 : Number.MAX_SAFE_INTEGER
    const bytesMax = plan.kind === 'page' ? this.bytesMax : Number.MAX_SAFE_INTEGER
    const page = new PageWriter(plan.resource, { rowsMax, bytesMax }, prefix)
    page.tracksUpdates = tracksUpdates(plan.resource, present)
    page.schema = describeSchema(plan.resource, present)
    return page
  }

  /**
   * Records a failed read. If it was too slow, the connection's next read makes new plans, and the next page of a list
   * reads a quarter of the rows. Ignores other errors.
   */
  failed(error: unknown, { address, plan }: Omit<PageRequest, 'prefix'>, connection: Connection): void {
    if (!isCanceled(error) && !(error instanceof TimeLimitPassed)) return
    this.plans.expire(connection)
    // A scan batch takes as long for one row as for many, so a smaller page would not be faster.
    if (plan.kind === 'page' && plan.scanBatch === undefined) this.sizes.tooSlow(listOf(address, plan), plan.limit)
  }

  /**
   * Records a page that was read: updates the estimated size of pages, and emits `store.contract_violated` for each
   * field and kind of violation. Call it once for each page.
   */
  served({ address, plan }: PageRequest, page: PageWriter): void {
    if (plan.kind === 'page') this.sizes.served(listOf(address, plan), { rows: page.rows, bytes: page.out.length })
    for (const [what, count] of page.out.contractViolations) {
      const [field = what, ...kind] = what.split(' ')
      const source = { storeId: address.storeId, resource: plan.resource.name, field }
      this.emit({ event: 'store.contract_violated', ...source, kind: kind.join(' '), count })
    }
  }
}

function listOf({ storeId }: StoreAddress, { resource }: Plan): string {
  return `${storeId} ${resource.list}`
}
