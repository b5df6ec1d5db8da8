// Performs one walk of one table: reads its list page by page. Writes each page when it arrives, with the position of
// the walk. A walk ends in one of these ways:
//
// - The list ends: saves the new state of the table. A full walk removes the rows that it has not seen.
// - It is interrupted: the next run resumes it after the last written page (can-resume.ts), and then reads the rows
//   that have changed since the walk started.
// - The service rejects its cursor: starts the walk again, once.
// - A page was read with other fields than the copy: starts a walk that reads all rows (reread.ts).
// - A full walk finds no rows, but the copy has some: retains the rows and the old state (empty-tables.ts).

import { type StoreExportClient, StoreExportError } from '@store-export/client'
import type { Copy, TableState, UnfinishedWalk } from '../copies/copy.ts'
import type { CopyTable } from '../tables.ts'
import { canResume } from './can-resume.ts'
import { refuseToEmpty } from './empty-tables.ts'
import { followPlan, type RowSource } from './follow-plan.ts'
import { listRows, type RowPage } from './list-rows.ts'
import { hasParameter, planQuery, type TablePlan, type TablePlanOptions, type WalkMode } from './plan-table.ts'
import { abortWhenDone, readAhead } from './read-ahead.ts'
import { FieldsChangedError, mayReread, readsAllRows, rereadPlan } from './reread.ts'

/** Where a walk reads and writes, what the user wants, and how to report progress. */
export interface TableWalkOptions extends TablePlanOptions {
  readonly client: StoreExportClient
  readonly copy: Copy
  readonly signal?: AbortSignal
  /** Whether to remove all rows of a table if its list is empty. */
  readonly allowsEmpty?: boolean
  readonly onPage: (progress: WalkProgress) => void
  /** Called before all rows of the table are read again because the store serves other fields. */
  readonly onReread?: () => void
}

/** How far a walk is after a page. */
export interface WalkProgress {
  readonly mode: WalkMode
  /** Rows so far, including `rowsBefore`. */
  readonly rows: number
  /** Rows that an interrupted run has read. */
  readonly rowsBefore: number
}

/** What a walk read and removed. */
export interface WalkResult {
  readonly mode: WalkMode
  /** Rows that this run has read, without embedded rows. */
  readonly rows: number
  /** Rows that an interrupted run has read. This run continued after them. */
  readonly rowsBefore: number
  /** Rows that the copy removed, without embedded and owned rows. */
  readonly removed: number
}

/** The state of a table in the copy before a walk. */
export interface KnownTable {
  readonly state: TableState
  /** The walk that an earlier run did not finish; null if there is none. */
  readonly unfinished: UnfinishedWalk | null
}

/** The result of a walk, and the state of the table after it. */
export interface WalkedTable {
  readonly result: WalkResult
  readonly state: TableState
  /** Whether a full walk of this run has read all rows, so that the copy has no rows that the store has deleted. */
  readonly isComplete: boolean
}

/**
 * Syncs a table. After a resumed walk, reads the rows that changed since the walk started. Throws `EmptyTableError` if
 * a full walk finds no rows but the copy has some, unless `allowsEmpty` is true.
 */
export async function walkTable(options: TableWalkOptions, table: CopyTable, known: KnownTable): Promise<WalkedTable> {
  const { state, isResumed, ...result } = await walkOnce(options, table, known)
  if (!isResumed) return { result, state, isComplete: result.mode === 'full' }
  // Rows that the interrupted run has read can have changed before this run started. The second walk reads only these
  // changes, even if the user wants all rows.
  const later = await walkOnce({ ...options, isFull: false }, table, { state, unfinished: null })
  const both = { ...result, rows: result.rows + later.rows, removed: result.removed + later.removed }
  return { result: both, state: later.state, isComplete: later.mode === 'full' }
}

interface WalkOutcome extends WalkResult {
  readonly state: TableState
  /** Whether an earlier run started the walk. */
  readonly isResumed: boolean
}

/**
 * Performs one walk of the table. If the store serves other fields, reads all rows again, at most once per
 * `REREAD_INTERVAL_MS`.
 */
function walkOnce(
  options: TableWalkOptions,
  table: CopyTable,
  { state, unfinished }: KnownTable,
): Promise<WalkOutcome> {
  // An interrupted walk can have written rows with other fields, so the digest of the state is not that of all rows.
  const isMixed = unfinished !== null && unfinished.storeFields !== state.storeFields
  const walk = new TableWalk(options, table, isMixed ? { ...state, storeFields: null } : state, state.storeFields)
  return followPlan(table, state, options, async (plan, source) => {
    try {
      return await walk.follow(plan, source, unfinished)
    } catch (error) {
      if (!(error instanceof FieldsChangedError)) throw error
      options.onReread?.()
      // An interrupted reread continues. A walk that read its pages with other fields starts again.
      const isSame = unfinished?.storeFields === error.storeFields
      return walk.reread(rereadPlan(plan), source, isSame ? unfinished : null)
    }
  })
}

class TableWalk {
  readonly #options: TableWalkOptions
  readonly #table: CopyTable
  readonly #state: TableState
  /** Digest in the saved state of the copy; null if it is unknown, or if rows have different digests. */
  #savedFields: string | null
  #mayReread: boolean
  #rereadAt: string | null

  constructor(options: TableWalkOptions, table: CopyTable, state: TableState, savedFields: string | null) {
    this.#options = options
    this.#table = table
    this.#state = state
    this.#savedFields = savedFields
    this.#mayReread = mayReread(state, options)
    this.#rereadAt = state.rereadAt
  }

  /**
   * Reads and writes all pages of the plan, or those after `unfinished` if the plan can resume it. Restarts once if the
   * service rejects the cursor. Throws `FieldsChangedError` if the table must be read again.
   */
  async follow(plan: TablePlan, source: RowSource, unfinished: UnfinishedWalk | null): Promise<WalkOutcome> {
    const { now = Date.now, signal } = this.#options
    // A walk by owner (`listAllRows`) has no cursor to continue after.
    const isResumed = unfinished !== null && source === listRows && canResume(unfinished, plan, now())
    const walk = (from: UnfinishedWalk | null) =>
      abortWhenDone(signal, (aborted) => this.#walk(plan, source, from, aborted))
    try {
      return await walk(isResumed ? unfinished : null)
    } catch (error) {
      if (!(error instanceof StoreExportError && error.code === 'INVALID_CURSOR')) throw error
      return walk(null)
    }
  }

  /**
   * Like `follow`, but the fields of its pages can differ. The state records this, and a later run reads them again.
   */
  reread(plan: TablePlan, source: RowSource, unfinished: UnfinishedWalk | null): Promise<WalkOutcome> {
    this.#mayReread = false
    this.#rereadAt = this.#time()
    return this.follow(plan, source, unfinished)
  }

  async #walk(
    plan: TablePlan,
    source: RowSource,
    unfinished: UnfinishedWalk | null,
    signal: AbortSignal,
  ): Promise<WalkOutcome> {
    const { copy, onPage } = this.#options
    const table = this.#table
    const isFull = plan.mode === 'full'
    const isSaved = source === listRows && isResumable(table, plan)
    const rowsBefore = unfinished?.rows ?? 0
    let walk = unfinished ?? this.#newWalk(plan)
    let isFirst = unfinished === null
    for await (const page of readAhead(this.#pages(plan, source, unfinished, signal))) {
      signal.throwIfAborted()
      if (isFirst) walk = this.#startedWalk(plan, walk, page)
      const storeFields = this.#checkedFields(walk.storeFields, page.storeFields)
      walk = { ...walk, storeFields, cursor: page.cursor, rows: walk.rows + page.rows.length }
      // After its first page, a full walk has saved its digest in `unfinished`, which the next run compares.
      if (isFirst || !isFull) await this.#saveDoubt(page.storeFields)
      // Resuming a list of one page would save no request.
      const saved = isSaved && !(isFirst && page.cursor === null) ? walk : null
      await copy.write({ table, rows: page.rows, isFull, isFirst, unfinished: saved })
      isFirst = false
      onPage({ mode: plan.mode, rows: walk.rows, rowsBefore })
    }
    if (isFull && walk.rows === 0) await refuseToEmpty(this.#options, table.name)
    const state = this.#stateAfter(plan, walk)
    const removed = await copy.end({ table, state, isFull })
    return { mode: plan.mode, rows: walk.rows - rowsBefore, rowsBefore, removed, state, isResumed: unfinished !== null }
  }

  /**
   * Saves, before a page is written, that the rows of the copy have several digests. Otherwise, a run that is
   * interrupted after the page would leave the old digest. If the store then served the old fields again, no later run
   * would repair the rows. `end` also deletes the unfinished walk and its marks, so a full walk calls this only before
   * its first page.
   */
  async #saveDoubt(found: string | null): Promise<void> {
    const saved = this.#savedFields
    if (saved === null || (found === saved && this.#state.storeFields === saved)) return
    this.#savedFields = null
    await this.#options.copy.end({ table: this.#table, state: { ...this.#state, storeFields: null }, isFull: false })
  }

  #pages(
    plan: TablePlan,
    source: RowSource,
    unfinished: UnfinishedWalk | null,
    signal: AbortSignal,
  ): AsyncIterable<RowPage> {
    const { client } = this.#options
    if (unfinished === null) return source(client, this.#table, { ...planQuery(plan), signal })
    if (unfinished.cursor === null) return noPages()
    const query = planQuery({ ...plan, since: unfinished.requestedSince })
    return source(client, this.#table, { ...query, cursor: unfinished.cursor, signal })
  }

  #newWalk({ since, startsAt }: TablePlan): UnfinishedWalk {
    const startedAt = this.#time()
    const { storeFields } = this.#state
    return { requestedSince: since, since: startedAt, startsAt, storeFields, startedAt, cursor: null, rows: 0 }
  }

  #startedWalk(plan: TablePlan, walk: UnfinishedWalk, page: RowPage): UnfinishedWalk {
    const since = timestampOrNull(page.watermark) ?? earlier(walk.since, page.servedAt)
    return { ...walk, since, storeFields: readsAllRows(plan) ? page.storeFields : walk.storeFields }
  }

  /**
   * Returns the digest of all rows after a page with the digest `found`; null if they differ. Throws
   * `FieldsChangedError` if the table must be read again.
   */
  #checkedFields(expected: string | null, found: string | null): string | null {
    if (found === expected) return expected
    if (found !== null && this.#mayReread) throw new FieldsChangedError(found)
    return null
  }

  #stateAfter({ mode }: TablePlan, { since, startsAt, storeFields, startedAt }: UnfinishedWalk): TableState {
    const fields = { storeFields, rereadAt: this.#rereadAt }
    // Created rows don't show updates. The first run that can request updates starts from the old state.
    if (mode === 'created') return { ...this.#state, ...fields }
    return { since, fullAt: mode === 'full' ? startedAt : this.#state.fullAt, startsAt, ...fields }
  }

  #time(): string {
    const { now = Date.now } = this.#options
    return new Date(now()).toISOString()
  }
}

/**
 * Whether another run can resume the walk. Rows before the cursor can change until then, so the list must be able to
 * filter by update. A walk of created rows is short, so the next run starts it again.
 */
function isResumable(table: CopyTable, { mode }: TablePlan): boolean {
  return mode !== 'created' && hasParameter(table, 'updated_since')
}

async function* noPages(): AsyncGenerator<never> {}

/** Returns null for an invalid time, because an invalid watermark in the state would make every later run fail. */
function timestampOrNull(text: string | null): string | null {
  return text === null || Number.isNaN(Date.parse(text)) ? null : text
}

/** Returns the earlier time. If the local clock is fast, the next run would otherwise miss writes. */
function earlier(own: string, servedAt: string | null): string {
  const served = servedAt === null ? Number.NaN : Date.parse(servedAt)
  return served < Date.parse(own) ? new Date(served).toISOString() : own
}
