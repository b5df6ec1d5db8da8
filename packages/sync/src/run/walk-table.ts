// One walk of one table: its pages are written as they come, and the state moves when all of them are there.

import { type StoreExportClient, StoreExportError } from '@store-export/client'
import type { Copy, TableState } from '../copies/copy.ts'
import type { CopyTable } from '../tables.ts'
import { oneAhead } from './ahead.ts'
import { followPlan, type Source } from './follow-plan.ts'
import { type Mode, type PlanOptions, queryOf, type TablePlan } from './plan.ts'

/** What walks need. */
export interface WalkOptions extends PlanOptions {
  readonly client: StoreExportClient
  readonly copy: Copy
  readonly signal?: AbortSignal
  /** Hears of each page. */
  readonly observePage: (rows: number, mode: Mode) => void
}

/** What a walk did. */
export interface Walked {
  readonly mode: Mode
  /** Rows read, children not counted. */
  readonly rows: number
  /** Rows removed, children not counted. */
  readonly removed: number
}

/** Brings `table` up to date, of which `known` is known. */
export function walkTable(options: WalkOptions, table: CopyTable, known: TableState): Promise<Walked> {
  const walk = new TableWalk(options, table, known)
  return followPlan({ options, table, known }, async (plan, source) => {
    try {
      return await walk.follow(plan, source)
    } catch (error) {
      // a cursor that the service takes no more: the list is begun again, once
      if (!(error instanceof StoreExportError && error.code === 'INVALID_CURSOR')) throw error
      return walk.follow(plan, source)
    }
  })
}

class TableWalk {
  readonly #options: WalkOptions
  readonly #table: CopyTable
  readonly #known: TableState

  constructor(options: WalkOptions, table: CopyTable, known: TableState) {
    this.#options = options
    this.#table = table
    this.#known = known
  }

  async follow(plan: TablePlan, source: Source): Promise<Walked> {
    // a walk that has failed leaves no request on its way
    const gone = new AbortController()
    const { signal } = this.#options
    try {
      return await this.#walk(plan, source, signal === undefined ? gone.signal : AbortSignal.any([signal, gone.signal]))
    } finally {
      gone.abort()
    }
  }

  async #walk(plan: TablePlan, source: Source, signal: AbortSignal): Promise<Walked> {
    const { client, copy, observePage, now = Date.now } = this.#options
    const { mode } = plan
    const isWhole = mode === 'whole'
    const table = this.#table
    let since = new Date(now()).toISOString()
    const startedAt = since
    let rows = 0
    let isFirst = true
    for await (const page of oneAhead(source(client, table, { ...queryOf(plan), signal }))) {
      signal.throwIfAborted()
      // of the first page: what was written since the walk began is asked for again
      if (isFirst) since = instantOf(page.watermark) ?? earlier(since, page.servedAt)
      isFirst = false
      await copy.write({ table, rows: page.rows, isWhole })
      rows += page.rows.length
      observePage(rows, mode)
    }
    // what was created says nothing of what was updated: from there a later run, which can ask for updates, goes on
    const state =
      mode === 'created'
        ? this.#known
        : { since, wholeAt: isWhole ? startedAt : this.#known.wholeAt, startsAt: plan.startsAt }
    return { mode, rows, removed: await copy.end({ table, state, isWhole }) }
  }
}

/** A watermark that is no instant would keep every later run from asking. */
function instantOf(text: string | null): string | null {
  return text === null || Number.isNaN(Date.parse(text)) ? null : text
}

/** Our own clock may be fast, and what was written meanwhile would never be asked for. */
function earlier(own: string, servedAt: string | null): string {
  const served = servedAt === null ? Number.NaN : Date.parse(servedAt)
  return served < Date.parse(own) ? new Date(served).toISOString() : own
}
