// Decides what a run requests for a table, and sends no request. The first case that applies:
//
// 1. All rows, if the user wants them or the list cannot filter by update.
// 2. All rows, if the list hides removed rows and the last full walk is too old. No update shows their removal.
// 3. The updates since the last walk, if the copy has all rows that the user wants. The request starts `overlapMs`
//    earlier, for writes that became visible late.
// 4. All rows, if the user does not set `since`.
// 5. The updates since the user's `since`.

import type { TableState } from '../copies/copy.ts'
import type { CopyTable } from '../tables.ts'

/** Which rows a walk reads: all, those updated since a time, or those created since a time. */
export type WalkMode = 'full' | 'updated' | 'created'

/** The rows to request from the list of a table. */
export interface TablePlan {
  readonly mode: WalkMode
  /** Start of the requested changes, RFC 3339; null for all rows. */
  readonly since: string | null
  /**
   * After the walk, the copy has all rows that were last changed at this time or later, RFC 3339; null if it has all
   * rows of the store.
   */
  readonly startsAt: string | null
}

/** The choices of the user for what a run requests. */
export interface TablePlanOptions {
  /** Whether to read all rows again, and to remove rows that the store no longer has; defaults to false. */
  readonly isFull?: boolean
  /**
   * Skips rows last changed before this time. Has no effect if the copy has these rows already, or if the run must read
   * all rows (cases 1 and 2 above).
   */
  readonly since?: Date
  /**
   * How far before the last watermark an incremental sync starts, in ms; defaults to 5 minutes. Writes that became
   * visible late have an earlier `updated_at`.
   */
  readonly overlapMs?: number
  /** Time in ms between full walks of a list whose updates don't show every change; defaults to 23 hours. */
  readonly fullEveryMs?: number
  /** Returns ms since 1970; defaults to `Date.now`. */
  readonly now?: () => number
}

const OVERLAP_MS = 5 * 60_000
/**
 * Default time between full walks of a list whose updates don't show every change. An hour less than a day, because a
 * daily run does not start at exactly the same time.
 */
const FULL_EVERY_MS = 23 * 3_600_000

/** Returns what to request for `table`. `state` is its state after the last walk. */
export function planTable(table: CopyTable, state: TableState, options: TablePlanOptions): TablePlan {
  const { isFull, since, overlapMs = OVERLAP_MS } = options
  if (isFull === true || !hasParameter(table, 'updated_since')) return FULL_PLAN
  if (table.hidesRemoved && isFullDue(state, options)) return FULL_PLAN
  if (state.since !== null && reachesBackTo(state, since)) {
    const from = new Date(Date.parse(state.since) - overlapMs)
    return { mode: 'updated', since: from.toISOString(), startsAt: state.startsAt }
  }
  if (since === undefined) return FULL_PLAN
  return { mode: 'updated', since: since.toISOString(), startsAt: since.toISOString() }
}

/**
 * Returns a plan for a store that does not track updates. It filters by creation, so it finds new rows, but not changes
 * of older rows. Returns null if `plan` doesn't filter by update, or if the list cannot filter by creation.
 */
export function planWithoutUpdates(table: CopyTable, plan: TablePlan): TablePlan | null {
  return plan.mode === 'updated' && hasParameter(table, 'created_since') ? { ...plan, mode: 'created' } : null
}

/** Whether the table needs a full walk: there was none, or the last one is older than `fullEveryMs`. */
export function isFullDue({ fullAt }: TableState, options: TablePlanOptions): boolean {
  const { fullEveryMs = FULL_EVERY_MS, now = Date.now } = options
  const ageMs = fullAt === null ? Number.POSITIVE_INFINITY : now() - Date.parse(fullAt)
  // A full walk in the future means that the clock was wrong.
  return ageMs >= fullEveryMs || ageMs < 0
}

/** Returns the parameters of the client's list method for a plan. */
export function planQuery({ mode, since }: TablePlan): { updatedSince?: string; createdSince?: string } {
  if (since === null) return {}
  return mode === 'updated' ? { updatedSince: since } : { createdSince: since }
}

/** The plan that reads all rows of a table. */
export const FULL_PLAN: TablePlan = { mode: 'full', since: null, startsAt: null }

/** Whether the list of a table has this parameter. */
export function hasParameter({ list }: CopyTable, parameter: string): boolean {
  return list?.parameters.some((each) => each === parameter) === true
}

/** Whether the copy has all rows since `since`; all rows of the store if `since` is undefined. */
function reachesBackTo({ startsAt }: TableState, since: Date | undefined): boolean {
  return startsAt === null || (since !== undefined && since.getTime() >= Date.parse(startsAt))
}
