// Refuses plans that a store cannot serve, before reading the store.

import { ApiError, childrenOf, type Resource } from '@store-export/contract'
import { hasColumn, type PresentColumns } from '../query/columns-present.ts'
import { identifier } from '../query/literal.ts'
import type { Plan } from '../query/plan.ts'
import { tableName } from '../query/select-list.ts'
import { StoreDatabaseError } from './store-fault.ts'

/** Throws `StoreDatabaseError` if a table of the plan cannot be read, and `INVALID_PARAM` if the store cannot filter so. */
export function requireServable(plan: Plan, present: PresentColumns): void {
  const { resource } = plan
  requireReadable(resource, present)
  if (plan.kind !== 'page' || !present.has(resource.table)) return
  const untracked = plan.filters.find(({ field }) => !hasColumn(present, resource.table, field))
  if (untracked === undefined) return
  const { name, plural } = resource
  const message =
    untracked.field === 'updated_at'
      ? `this store does not track ${name.toLowerCase()} updates; use created_since, and run a full sync from time to time`
      : `the ${plural} of this store have no ${untracked.field}`
  throw new ApiError('INVALID_PARAM', `${untracked.parameter}: ${message}`)
}

/**
 * Throws `StoreDatabaseError` if the schema has no table of a store, if a table of the resource cannot be read, or if a table of
 * launch does not exist. A client would take an empty list for the truth (R42). Newer tables that do not exist are empty lists.
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
function fault(message: string, code: string): StoreDatabaseError {
  return Object.assign(new StoreDatabaseError(message), { code })
}
