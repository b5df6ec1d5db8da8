// Refuses plans that a store cannot serve, before reading the store.

import { ApiError, childrenOf, type Resource } from '@store-export/contract'
import { hasColumn, type PresentColumns } from '../query/columns-present.ts'
import { identifier } from '../query/literal.ts'
import type { Filter, Plan } from '../query/plan.ts'
import { tableName } from '../query/select-list.ts'
import { StoreDatabaseFault } from './store-fault.ts'

/** Throws `StoreDatabaseFault` if a table of the plan cannot be read, and `INVALID_PARAM` if the store cannot filter so. */
export function requireServable(plan: Plan, present: PresentColumns): void {
  requireReadable(plan.resource, present)
  refuseUntracked(plan, present)
}

/**
 * Throws if the schema has none of the tables of a store, or a table of the resource exists and cannot be read, or is one of
 * launch and does not exist. An empty list, or orders without items, would be taken for the truth (R42). A newer table that does not exist is an empty list.
 */
export function requireReadable(resource: Resource, present: PresentColumns): void {
  if (present.size === 0)
    throw fault(`the schema ${identifier(present.schemaName)} does not exist, or has no table of a store`, '42P01')
  for (const { table, since } of [resource, ...childrenOf(resource)]) {
    const columns = present.get(table)
    if (columns === undefined && since === 'launch')
      throw fault(`the store has no table ${tableName({ table }, present)}`, '42P01')
    if (columns?.size === 0) {
      const advice = '"store-export doctor" prints the missing grant'
      throw fault(`the reader may not select from the table ${tableName({ table }, present)}; ${advice}`, '42501')
    }
  }
}

/** Whether the store supports incremental syncs of the resource. A table that does not exist has no changed rows. */
export function tracksUpdates({ table }: Resource, present: PresentColumns): boolean {
  return !present.has(table) || hasColumn(present, table, 'updated_at')
}

/** `code` is the server's own, so that the service reads the schema again and finds a new table. */
function fault(message: string, code: string): StoreDatabaseFault {
  return Object.assign(new StoreDatabaseFault(message), { code })
}

/** The filter needs a column that the store lacks (R1). */
function refuseUntracked(plan: Plan, present: PresentColumns): void {
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
