// Makes the pages of requests, and learns from them how many rows to read and which plans of the server to distrust.

import { type Connection, TimeLimitPassed } from '@store-export/postgres'
import { PageWriter } from '../encode/page-writer.ts'
import type { PresentColumns } from '../query/columns-present.ts'
import type { Plan } from '../query/plan.ts'
import type { StoreEventHandler } from '../store-event.ts'
import { isTooSlow } from './database-errors.ts'
import { KeptPlans } from './kept-plans.ts'
import { PageSizes } from './page-sizes.ts'
import { tracksUpdates } from './refusals.ts'
import type { StoreAddress } from './store-pool.ts'

/** Rows of a store to read, and the bytes before the first row. */
export interface PageRequest {
  readonly address: StoreAddress
  readonly plan: Plan
  readonly lead: string
}

export class Pages {
  /** Plans that connections keep. */
  readonly plans = new KeptPlans()
  private readonly bytesMax: number
  private readonly emit: StoreEventHandler
  private readonly sizes: PageSizes

  constructor({ pageBytesMax, emit }: { readonly pageBytesMax: number; readonly emit: StoreEventHandler }) {
    this.bytesMax = pageBytesMax
    this.emit = emit
    this.sizes = new PageSizes(pageBytesMax)
  }

  /** The request with as many rows as probably fit on its page. */
  sized<T extends PageRequest>(request: T): T {
    const { address, plan } = request
    if (plan.kind !== 'page') return request
    return { ...request, plan: { ...plan, limit: this.sizes.rowsFor(listOf(address, plan), plan.limit) } }
  }

  newPage({ plan, lead }: PageRequest, present: PresentColumns): PageWriter {
    const single = plan.kind === 'one' || plan.kind === 'only'
    const rowsMax = plan.kind === 'page' ? plan.limit : single ? 1 : Number.MAX_SAFE_INTEGER
    const bytesMax = plan.kind === 'page' ? this.bytesMax : Number.MAX_SAFE_INTEGER
    const page = new PageWriter(plan.resource, { rowsMax, bytesMax }, lead)
    page.tracksUpdates = tracksUpdates(plan.resource, present)
    return page
  }

  /** Learns from an error of a read if the read was too slow. */
  failed(error: unknown, { address, plan }: Omit<PageRequest, 'lead'>, connection: Connection): void {
    if (!isTooSlow(error) && !(error instanceof TimeLimitPassed)) return
    this.plans.distrust(connection)
    // a scan batch takes as long for one row as for many
    if (plan.kind === 'page' && plan.window === undefined) this.sizes.tooSlow(listOf(address, plan), plan.limit)
  }

  /** Learns from a page, and reports values that break the contract. */
  served({ address, plan }: PageRequest, page: PageWriter): void {
    if (plan.kind === 'page') this.sizes.served(listOf(address, plan), { rows: page.rows, bytes: page.out.length })
    for (const [what, count] of page.out.contractViolations) {
      const [field = what, ...kind] = what.split(' ')
      const place = { storeId: address.storeId, resource: plan.resource.name, field }
      this.emit({ event: 'store.contract_violated', ...place, kind: kind.join(' '), count })
    }
  }
}

function listOf({ storeId }: StoreAddress, { resource }: Plan): string {
  return `${storeId} ${resource.list}`
}
