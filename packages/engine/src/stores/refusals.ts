// Plans that a store cannot serve as it is: told before anything of it is read.

import { ApiError, childrenOf, type Resource } from '@store-export/contract'
import { hasColumn, type PresentColumns } from '../query/columns-present.ts'
import type { Filter, Plan } from '../query/plan.ts'
import { StoreDatabaseFault } from './store-fault.ts'

/**
 * A store without one of the first tables, or of whose rows one cannot be read, is broken: an empty list, or orders without
 * items, would be taken for the truth (a newer table that is absent is an empty list).
 */
export function requireLaunchTables(resource: Resource, present: PresentColumns): void {
  const first = [resource, ...childrenOf(resource)].filter(({ since }) => since === 'launch')
  const missing = first.find(({ table }) => !present.has(table))
  if (missing === undefined) return
  const fault = new StoreDatabaseFault(`the store has no readable table ${missing.table}`)
  // The server's own code for it: the schema is read again, and the table found where it is back.
  throw Object.assign(fault, { code: '42P01' })
}

/** Throws `INVALID_PARAM` where a list is to be filtered by a column that the store lacks (R1). */
export function refuseUntracked(plan: Plan, present: PresentColumns): void {
  if (plan.kind !== 'page' || !present.has(plan.resource.table)) return
  const untracked = plan.filters.find(({ field }) => !hasColumn(present, plan.resource.table, field))
  if (untracked !== undefined) throw untrackedError(untracked, plan.resource)
}

function untrackedError({ parameter, field }: Filter, { name, plural }: Resource): ApiError {
  const message =
    field === 'updated_at'
      ? `this store does not track ${name.toLowerCase()} updates; use created_since, and walk the whole list from time to time`
      : `the ${plural} of this store have no ${field}`
  return new ApiError('INVALID_PARAM', `${parameter}: ${message}`)
}
