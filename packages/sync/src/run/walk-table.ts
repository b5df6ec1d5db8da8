// One walk of one table: its pages are written as they come, and the state moves when all of them are there. A walk that
// was ended in the middle goes on behind the last page that was written.

import { type StoreExportClient, StoreExportError } from '@store-export/client'
import type { Copy, TableState, UnfinishedWalk } from '../copies/copy.ts'
import type { CopyTable } from '../tables.ts'
import { leavingNone, oneAhead } from './ahead.ts'
import { refuseEmptying } from './emptying.ts'
import { followPlan, type Source } from './follow-plan.ts'
import { listOf, type PageOfRows } from './lists.ts'
import { canAsk, type Mode, type PlanOptions, queryOf, type TablePlan } from './plan.ts'
import { isGoingOn } from './unfinished.ts'

/** What walks need. */
export interface WalkOptions extends PlanOptions {
  readonly client: StoreExportClient
  readonly copy: Copy
  readonly signal?: AbortSignal
  /** Whether a table whose list is empty may lose all of its rows. */
  readonly allowsEmpty?: boolean
  /** Hears of each page. */
  readonly observePage: (seen: PageSeen) => void
}

/** How far a walk is. */
export interface PageSeen {
  readonly mode: Mode
  /** Rows of the walk so far, those that an earlier run has read included. */
  readonly rows: number
  /** Rows that an earlier run has read. */
  readonly rowsBefore: number
}

/** What a walk did. */
export interface Walked {
  readonly mode: Mode
  /** Rows read, children not counted. */
  readonly rows: number
  /** Rows that an earlier run has read, which was ended in the middle: this one went on behind them. */
  readonly rowsBefore: number
  /** Rows removed, children not counted. */
  readonly removed: number
}

/** What is known of a table. */
export interface KnownTable {
  readonly state: TableState
  /** The walk of it that did not end. */
  readonly unfinished: UnfinishedWalk | null
}

/** How a table is after its walk. */
export interface UpToDate {
  readonly walked: Walked
  readonly state: TableState
  /** Whether a walk of the whole list that began in this run has met all rows: the copy has no others. */
  readonly isAllMet: boolean
}

/** Brings `table` up to date, of which `known` is known. */
export async function walkTable(options: WalkOptions, table: CopyTable, known: KnownTable): Promise<UpToDate> {
  const { state, wentOn, ...walked } = await walkOnce(options, table, known)
  if (!wentOn) return { walked, state, isAllMet: walked.mode === 'whole' }
  // rows behind the cursor may have changed before this run began: they are asked for as those of a later run are
  const later = await walkOnce({ ...options, isFull: false }, table, { state, unfinished: null })
  const both = { ...walked, rows: walked.rows + later.rows, removed: walked.removed + later.removed }
  return { walked: both, state: later.state, isAllMet: later.mode === 'whole' }
}

interface Ended extends Walked {
  /** What is known of the table from now on. */
  readonly state: TableState
  /** Whether it began in an earlier run. */
  readonly wentOn: boolean
}

function walkOnce(options: WalkOptions, table: CopyTable, known: KnownTable): Promise<Ended> {
  const { now = Date.now } = options
  const walk = new TableWalk(options, table, known.state)
  return followPlan(table, known.state, options, async (plan, source) => {
    const { unfinished } = known
    const begun = unfinished !== null && source === listOf && isGoingOn(unfinished, plan, now()) ? unfinished : null
    try {
      return await walk.follow(plan, source, begun)
    } catch (error) {
      // a cursor that the service takes no more: the list is begun again, once
      if (!(error instanceof StoreExportError && error.code === 'INVALID_CURSOR')) throw error
      return walk.follow(plan, source, null)
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

  /** Follows the plan: where a walk was begun, from where that stopped. */
  async follow(plan: TablePlan, source: Source, begun: UnfinishedWalk | null): Promise<Ended> {
    return leavingNone(this.#options.signal, (signal) => this.#walk(plan, source, begun, signal))
  }

  async #walk(plan: TablePlan, source: Source, begun: UnfinishedWalk | null, signal: AbortSignal): Promise<Ended> {
    const { copy, observePage } = this.#options
    const table = this.#table
    const isWhole = plan.mode === 'whole'
    const keeps = source === listOf && canGoOn(table, plan)
    const rowsBefore = begun?.rows ?? 0
    let walk = begun ?? this.#beginning(plan)
    let isFirst = begun === null
    for await (const page of oneAhead(this.#pages(plan, source, begun, signal))) {
      signal.throwIfAborted()
      if (isFirst) walk = { ...walk, since: instantOf(page.watermark) ?? earlier(walk.since, page.servedAt) }
      walk = { ...walk, cursor: page.cursor, rows: walk.rows + page.rows.length }
      // a list of one page is read again as soon as it is gone on with
      const unfinished = keeps && !(isFirst && page.cursor === null) ? walk : null
      await copy.write({ table, rows: page.rows, isWhole, isFirst, unfinished })
      isFirst = false
      observePage({ mode: plan.mode, rows: walk.rows, rowsBefore })
    }
    if (isWhole && walk.rows === 0) await refuseEmptying(this.#options, table.name)
    const state = this.#stateAfter(plan, walk)
    const removed = await copy.end({ table, state, isWhole })
    return { mode: plan.mode, rows: walk.rows - rowsBefore, rowsBefore, removed, state, wentOn: begun !== null }
  }

  /** The pages that are still to come. */
  #pages(
    plan: TablePlan,
    source: Source,
    begun: UnfinishedWalk | null,
    signal: AbortSignal,
  ): AsyncIterable<PageOfRows> {
    const { client } = this.#options
    if (begun === null) return source(client, this.#table, { ...queryOf(plan), signal })
    if (begun.cursor === null) return nothing()
    const query = queryOf({ ...plan, since: begun.askedSince })
    return source(client, this.#table, { ...query, cursor: begun.cursor, signal })
  }

  #beginning({ since, startsAt }: TablePlan): UnfinishedWalk {
    const { now = Date.now } = this.#options
    const startedAt = new Date(now()).toISOString()
    return { askedSince: since, since: startedAt, startsAt, startedAt, cursor: null, rows: 0 }
  }

  #stateAfter({ mode }: TablePlan, { since, startsAt, startedAt }: UnfinishedWalk): TableState {
    // what was created says nothing of what was updated: from there a later run, which can ask for updates, goes on
    if (mode === 'created') return this.#known
    return { since, wholeAt: mode === 'whole' ? startedAt : this.#known.wholeAt, startsAt }
  }
}

/**
 * Whether a walk may go on in another run: what changes behind the cursor until then has to be asked for. Those that were
 * created since are few, and asked for again.
 */
function canGoOn(table: CopyTable, { mode }: TablePlan): boolean {
  return mode !== 'created' && canAsk(table, 'updated_since')
}

async function* nothing(): AsyncGenerator<never> {}

/** A watermark that is no instant would keep every later run from asking. */
function instantOf(text: string | null): string | null {
  return text === null || Number.isNaN(Date.parse(text)) ? null : text
}

/** Our own clock may be fast, and what was written meanwhile would never be asked for. */
function earlier(own: string, servedAt: string | null): string {
  const served = servedAt === null ? Number.NaN : Date.parse(servedAt)
  return served < Date.parse(own) ? new Date(served).toISOString() : own
}
