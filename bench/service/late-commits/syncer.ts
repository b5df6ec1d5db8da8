// Copies the orders by one of four rules. A sync starts exactly where its rule says, without an overlap, and no full
// sync adds missing orders. So the copies show what each rule alone loses.

/**
 * Start of the changes of a sync:
 * - `own clock`: the clock at the start of the previous sync, as the specification says.
 * - `watermark`: the header `x-sync-watermark` of the previous sync.
 * - `greatest updated_at`: the greatest `updated_at` in the copy, as many tools do.
 * - `settled window`: like `greatest updated_at`, and each sync sends `updated_until=now`.
 */
export type Rule = 'own clock' | 'watermark' | 'greatest updated_at' | 'settled window'

/** Source and rule of a copy. */
export interface SyncerOptions {
  readonly url: string
  readonly key: string
  readonly rule: Rule
  /** Milliseconds by which this machine's clock is ahead of the store's; negative if it is behind. */
  readonly clockAheadMs: number
}

interface Page {
  readonly data: readonly {
    readonly id: string
    readonly tracking_number: string | null
    readonly updated_at: string
  }[]
  readonly meta: { readonly next_cursor: string | null }
}

/** A copy of the orders: their tracking numbers by ID. */
export class Syncer {
  readonly copy = new Map<string, string | null>()
  runs = 0
  private since: string | null = null
  private greatest: string | null = null
  private readonly options: SyncerOptions

  constructor(options: SyncerOptions) {
    this.options = options
  }

  /** Syncs the copy once. Rejects if a page fails. */
  async run(): Promise<void> {
    let next = new Date(Date.now() + this.options.clockAheadMs).toISOString()
    let cursor: string | null = null
    do {
      const { page, watermark } = await this.page(cursor)
      if (this.options.rule === 'watermark') next = watermark
      for (const { id, tracking_number, updated_at } of page.data) {
        this.copy.set(id, tracking_number)
        if (this.greatest === null || updated_at > this.greatest) this.greatest = updated_at
      }
      cursor = page.meta.next_cursor
    } while (cursor !== null)
    this.since = this.options.rule === 'own clock' || this.options.rule === 'watermark' ? next : this.greatest
    this.runs++
  }

  private async page(cursor: string | null): Promise<{ page: Page; watermark: string }> {
    const { url, key } = this.options
    const query = new URLSearchParams({ limit: '250' })
    if (this.since !== null) query.set('updated_since', this.since)
    if (this.options.rule === 'settled window') query.set('updated_until', 'now')
    if (cursor !== null) query.set('cursor', cursor)
    const response = await fetch(`${url}/api/v1/orders?${query}`, { headers: { 'x-api-key': key } })
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
    const watermark = response.headers.get('x-sync-watermark')
    if (watermark === null) throw new Error('a list without x-sync-watermark')
    return { page: (await response.json()) as Page, watermark }
  }
}
