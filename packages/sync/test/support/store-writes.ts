// Random writes to a store, like those of its platform: each is one transaction and sets timestamps of changed rows.

import { customerAddress, RESOURCES, type Resource } from '@store-export/contract'
import type { SourceRow } from './random-rows.ts'
import type { Effect, StoreModel } from './store-model.ts'
import {
  addChildren,
  arrayOf,
  assignments,
  childCountOf,
  countChildren,
  idsOf,
  insert,
  parents,
  planRow,
  timestampNow,
  touchOwners,
  update,
  type WriteContext,
} from './store-statements.ts'

/** Effects of a write, and the IDs of rows that its transaction has locked. */
export interface Written {
  readonly effects: readonly Effect[]
  readonly holds: readonly string[]
}

type Write = (context: WriteContext) => Promise<Written>

const NO_WRITE: Written = { effects: [], holds: [] }
const DAY_MS = 86_400_000

/** Adds up to `most` rows with embedded rows. The table is random by default. */
export async function addRows(context: WriteContext, resource?: Resource, most = 8): Promise<Written> {
  const { random, model } = context
  const of = resource ?? random.pick(model.resources)
  const owners = of === customerAddress ? model.some(random, 'customers', 3) : []
  if (of === customerAddress && owners.length === 0) return NO_WRITE
  const rows = Array.from({ length: 1 + random.below(most) }, () => {
    const owner = owners.length === 0 ? null : random.pick(owners).id
    return planRow(context, of, { id: random.uuid(), ...(owner === null ? {} : { customer_id: owner }) })
  })
  await insert(context, of, rows)
  await addChildren(context, of, idsOf(rows))
  await touchOwners(
    context,
    owners.map(({ id }) => id),
  )
  return { effects: rows.map((row) => added(context, of, row)), holds: [...idsOf(rows), ...owners.map(({ id }) => id)] }
}

/** Changes up to three rows. The table is random by default. */
export async function changeRows(context: WriteContext, of?: Resource): Promise<Written> {
  const { random, model, sql } = context
  const resource = of ?? random.pick(model.resources)
  const rows = model.some(random, resource.table, 3)
  for (const { id, parentId } of rows) {
    const row = planRow(context, resource, { id, ...(parentId === null ? {} : { customer_id: parentId }) })
    const { created_at: _, ...values } = row
    if (model.tracksUpdates(resource)) values.updated_at = timestampNow(context)
    await update(sql, resource.table, { id, values })
  }
  const ids = rows.map(({ id }) => id)
  await countChildren(context, resource, { ids })
  const owners = rows.flatMap(({ parentId }) => parentId ?? [])
  await touchOwners(context, owners)
  const isCurrent = model.tracksUpdates(resource)
  return {
    effects: ids.map((id) => (known) => markChanged(known, resource, { id, isCurrent })),
    holds: [...ids, ...owners],
  }
}

/** Replaces the embedded rows of up to three rows. */
const replaceChildren: Write = async (context) => {
  const { random, model, sql } = context
  const resource = random.pick(parents())
  const ids = model.some(random, resource.table, 3).map(({ id }) => id)
  const { child, key } = childCountOf(resource)
  const some = random.chance(0.5) ? '' : `and md5(id::text) < '8'`
  await sql.unsafe(`delete from ${child} where ${key} = any($1::text::uuid[]) ${some}`, [arrayOf(ids)])
  await addChildren(context, resource, ids)
  return { effects: ids.map((id) => (known) => known.markCurrent(resource.table, id)), holds: ids }
}

/** Moves the embedded rows of one row to another. */
const moveChildren: Write = async (context) => {
  const { random, model, sql } = context
  const resource = random.pick(parents())
  const ids = model.some(random, resource.table, 2).map(({ id }) => id)
  const [from, to] = ids
  if (from === undefined || to === undefined) return NO_WRITE
  const { child, key } = childCountOf(resource)
  await sql.unsafe(`update ${child} set ${key} = $1::text::uuid where ${key} = $2::text::uuid`, [to, from])
  await countChildren(context, resource, { ids })
  return { effects: ids.map((id) => (known) => known.markCurrent(resource.table, id)), holds: ids }
}

/** Deletes up to three rows, which no incremental sync returns. */
const deleteRows: Write = async (context) => {
  const { random, model, sql } = context
  const { table } = random.pick(model.resources)
  const rows = model.some(random, table, 3)
  const ids = rows.map(({ id }) => id)
  await sql.unsafe(`delete from ${table} where id = any($1::text::uuid[])`, [arrayOf(ids)])
  const owners = rows.flatMap(({ parentId }) => parentId ?? [])
  await touchOwners(context, owners)
  return { effects: ids.map((id) => (known) => known.remove(table, id)), holds: [...ids, ...owners] }
}

/** Restores a row with a timestamp of a month ago, like a restored backup. */
const restoreRow: Write = async (context) => {
  const { random, model, sql, clock } = context
  const resource = random.pick(model.resources.filter((each) => model.tracksUpdates(each)))
  const [row] = model.some(random, resource.table, 1)
  if (row === undefined) return NO_WRITE
  const fixed = { id: row.id, ...(row.parentId === null ? {} : { customer_id: row.parentId }) }
  const { created_at: _, ...values } = planRow(context, resource, fixed)
  const updatedAt = new Date(clock.now - 30 * DAY_MS).toISOString()
  values.updated_at = updatedAt
  await update(sql, resource.table, { id: row.id, values })
  await countChildren(context, resource, { ids: [row.id], updatedAt })
  if (row.parentId !== null) await touchOwners(context, [row.parentId])
  return { effects: [(known) => known.markStale(resource.table, row.id)], holds: [row.id, row.parentId ?? row.id] }
}

/** Marks an address as removed, or restores it. */
const removeAddress: Write = async (context) => {
  const { random, model, sql } = context
  const [row] = model.some(random, customerAddress.table, 1)
  if (row === undefined) return NO_WRITE
  const isRemoved = random.chance(0.7)
  const removedAt = isRemoved ? `'${timestampNow(context)}'` : 'null'
  await sql.unsafe(
    `update customer_addresses set deleted_at = ${removedAt}, updated_at = $1::text::timestamptz where id = $2::text::uuid`,
    [timestampNow(context), row.id],
  )
  await touchOwners(context, [row.parentId ?? ''])
  const effect: Effect = (known) => known.markStale(customerAddress.table, row.id)
  return { effects: [effect], holds: [row.id, row.parentId ?? row.id] }
}

const changeStore: Write = async (context) => {
  const [resource] = RESOURCES
  if (resource === undefined || context.model.isHeld('store')) return NO_WRITE
  const { id: _, ...values } = planRow(context, resource, { id: '' })
  const names = Object.keys(values)
  await context.sql.unsafe(`update store set ${assignments('store', names)}`, [JSON.stringify(values)])
  return { effects: [], holds: ['store'] }
}

const WRITES: readonly Write[] = [
  ...[addRows, addRows, changeRows, changeRows, changeRows, replaceChildren, replaceChildren],
  ...[deleteRows, deleteRows, restoreRow, removeAddress, changeStore],
]

/** Makes one random write. `movesChildren`: whether embedded rows may move to another parent. */
export async function writeOnce(context: WriteContext, movesChildren: boolean): Promise<Written> {
  context.clock.advance(context.random.below(2000))
  return movesChildren && context.random.chance(0.2) ? moveChildren(context) : context.random.pick(WRITES)(context)
}

function added({ model }: WriteContext, resource: Resource, row: SourceRow): Effect {
  const id = String(row.id)
  const parentId = resource === customerAddress ? String(row.customer_id) : null
  // Without updated_at, an incremental sync returns only rows with a recent created_at.
  const isCurrent = model.tracksUpdates(resource) || /^2025/.test(String(row.created_at))
  return (known) => {
    known.add(resource.table, { id, parentId })
    if (!isCurrent) known.markStale(resource.table, id)
  }
}

function markChanged(
  known: StoreModel,
  resource: Resource,
  { id, isCurrent }: { id: string; isCurrent: boolean },
): void {
  if (!isCurrent) known.markStale(resource.table, id)
  // No incremental sync returns a removed address, so a changed address may stay stale.
  else if (resource !== customerAddress) known.markCurrent(resource.table, id)
}
