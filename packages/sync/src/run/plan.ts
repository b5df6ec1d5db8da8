// What a run asks of a table's list: all of it, or what changed since the copy's last walk. Nothing is asked here.

import type { TableState } from '../copies/copy.ts'
import type { CopyTable } from '../tables.ts'

/** What was asked of a list: all of it, what was updated, or what was created. */
export type Mode = 'whole' | 'updated' | 'created'

/** What is asked of a table's list. */
export interface TablePlan {
  readonly mode: Mode
  /** From when, RFC 3339; null for all of it. */
  readonly since: string | null
  /** `startsAt` of the state that the copy has after it. */
  readonly startsAt: string | null
}

/** What a run is told, as far as it decides what is asked. */
export interface PlanOptions {
  /** Walks everything again, and removes what the store no longer has. */
  readonly isFull?: boolean
  /** What was last changed before is not asked for, where a list can be asked so and the copy does not have it. */
  readonly since?: Date
  /** How far back a run asks beyond what it has, for writes that became visible late; 5 minutes unless said. */
  readonly overlapMs?: number
  /** How often a list is walked whole whose updates do not say everything; a day unless said. */
  readonly wholeEveryMs?: number
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

const OVERLAP_MS = 5 * 60_000
/** A day, less an hour: a run that somebody starts once a day begins a little earlier or later. */
const DAY_MS = 23 * 3_600_000

/** What is asked of `table`, of which `known` is known. */
export function planOf(table: CopyTable, known: TableState, options: PlanOptions): TablePlan {
  const { isFull, since, overlapMs = OVERLAP_MS } = options
  if (isFull === true || !canAsk(table, 'updated_since')) return WHOLE
  // addresses that were removed are served no more, and no change of theirs says so
  if (table.hidesRemoved && isWholeDue(known, options)) return WHOLE
  if (known.since !== null && isEnough(known, since)) {
    const from = new Date(Date.parse(known.since) - overlapMs)
    return { mode: 'updated', since: from.toISOString(), startsAt: known.startsAt }
  }
  if (since === undefined) return WHOLE
  return { mode: 'updated', since: since.toISOString(), startsAt: since.toISOString() }
}

/** What is asked instead where the store does not track updates of `table`; null where there is nothing to ask. */
export function planWithoutUpdates(table: CopyTable, plan: TablePlan): TablePlan | null {
  return plan.mode === 'updated' && canAsk(table, 'created_since') ? { ...plan, mode: 'created' } : null
}

/** Whether it is time for a walk of the whole list: what was created says nothing of what was changed or deleted. */
export function isWholeDue({ wholeAt }: TableState, options: PlanOptions): boolean {
  const { wholeEveryMs = DAY_MS, now = Date.now } = options
  const passedMs = wholeAt === null ? Number.POSITIVE_INFINITY : now() - Date.parse(wholeAt)
  // a clock that was wrong may have said a day that is still to come
  return passedMs >= wholeEveryMs || passedMs < 0
}

/** What a plan asks of a list, as the client takes it. */
export function queryOf({ mode, since }: TablePlan): { updatedSince?: string; createdSince?: string } {
  if (since === null) return {}
  return mode === 'updated' ? { updatedSince: since } : { createdSince: since }
}

/** All of a list. */
export const WHOLE: TablePlan = { mode: 'whole', since: null, startsAt: null }

/** Whether a list has this parameter. */
export function canAsk({ list }: CopyTable, parameter: string): boolean {
  return list?.parameters.some((each) => each === parameter) === true
}

/** Whether the copy goes as far back as is wanted. */
function isEnough({ startsAt }: TableState, since: Date | undefined): boolean {
  return startsAt === null || (since !== undefined && since.getTime() >= Date.parse(startsAt))
}
