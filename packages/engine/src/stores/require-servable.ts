// Rejects a plan before the store is read, if the store can't serve it. Otherwise, a table that can't be read would
// look like an empty list. A filter on a missing column would look like a failure of the database.

import { ApiError, childrenOf, type Resource } from '@store-export/contract'
import { identifier } from '../query/literal.ts'
import type { Plan } from '../query/plan.ts'
import { hasColumn, type PresentColumns } from '../query/present-columns.ts'
import { tableName } from '../query/select-list.ts'
import { StoreDatabaseError } from './store-database-error.ts'

/**
 * Throws `StoreDatabaseError` like `requireReadable`. For a page, throws `ApiError` (`INVALID_PARAM`) if the table of
 * the store lacks the column of a filter or of an end time (`plan.window`).
 */
export function requireServable(plan: Plan, present: PresentColumns): void {
  const { resource } = plan
  requireReadable(resource, present)
  if (plan.kind !== 'page' || !present.has(resource.table)) return
  const absent = [...plan.filters, ...(plan.window ?? [])].find(
    ({ field }) => !hasColumn(present, resource.table, field),
  )
  if (absent === undefined) return
  const { name, plural } = resource
  // The message suggests `created_since` in place of `updated_since`.
  const message =
    absent.field === 'updated_at'
      ? `this store does not track ${name.toLowerCase()} updates; use ${absent.parameter.replace('updated', 'created')}, and read all ${plural} once a day`
      : `the ${plural} of this store have no ${absent.field}`
  throw new ApiError('INVALID_PARAM', `${absent.parameter}: ${message}`)
}

/**
 * Throws `StoreDatabaseError` in three cases, because a client would otherwise believe that the list is empty (R42 in
 * docs/spec/readings.md):
 * - The schema has no table of the contract.
 * - The service can read no column of a table that the resource needs.
 * - Such a table is missing, and the first schema version has it. A store without a table of a later version has an
 *   empty list.
 */
export function requireReadable(resource: Resource, present: PresentColumns): void {
  if (present.size === 0)
    throw tableError(`the schema ${identifier(present.schemaName)} does not exist, or has no table of a store`, '42P01')
  for (const { table, since } of [resource, ...childrenOf(resource)]) {
    const columns = present.get(table)
    if (columns === undefined && since === 'launch')
      throw tableError(`the store has no table ${tableName({ table }, present)}`, '42P01')
    if (columns?.size === 0) {
      const advice = '"store-export doctor" prints the missing grant'
      throw tableError(`the reader may not select from the table ${tableName({ table }, present)}; ${advice}`, '42501')
    }
  }
}

/** Whether the store supports incremental syncs of the resource. True for an absent table, which has no changes. */
export function tracksUpdates({ table }: Resource, present: PresentColumns): boolean {
  return !present.has(table) || hasColumn(present, table, 'updated_at')
}

/**
 * Returns an error with PostgreSQL's code for it. The code makes the service read the columns again, so it finds a new
 * table.
 */
function tableError(message: string, code: string): StoreDatabaseError {
  return Object.assign(new StoreDatabaseError(message), { code })
}
