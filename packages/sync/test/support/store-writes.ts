// Random writes of a store, as its platform makes them: each is one transaction, and stamps what it changes.

import { customerAddress, RESOURCES, type Resource } from '@store-export/contract'
import type { SourceRow } from './random-rows.ts'
import type { Effect, StoreModel } from './store-model.ts'
import {
  addChildren,
  arrayOf,
  assigned,
  countChildren,
  countOf,
  idsOf,
  insert,
  parents,
  planned,
  stampOf,
  stampOwners,
  update,
  type Writing,
} from './store-statements.ts'

/** What a write did, and the ids of rows that its transaction holds. */
export interface Written {
  readonly effects: readonly Effect[]
  readonly holds: readonly string[]
}

type Write = (writing: Writing) => Promise<Written>

const NOTHING: Written = { effects: [], holds: [] }
const DAY_MS = 86_400_000

/** Adds up to `most` rows to a random table, with their children. */
export async function addRows(writing: Writing, resource?: Resource, most = 8): Promise<Written> {
  const { random, model } = writing
  const of = resource ?? random.pick(model.resources)
  const owners = of === customerAddress ? model.some(random, 'customers', 3) : []
  if (of === customerAddress && owners.length === 0) return NOTHING
  const rows = Array.from({ length: 1 + random.below(most) }, () => {
    const owner = owners.length === 0 ? null : random.pick(owners).id
    return planned(writing, of, { id: random.uuid(), ...(owner === null ? {} : { customer_id: owner }) })
  })
  await insert(writing, of, rows)
  await addChildren(writing, of, idsOf(rows))
  await stampOwners(
    writing,
    owners.map(({ id }) => id),
  )
  return { effects: rows.map((row) => added(writing, of, row)), holds: [...idsOf(rows), ...owners.map(({ id }) => id)] }
}

/** Gives up to three rows new values, of a random table unless it is given. */
export async function changeRows(writing: Writing, of?: Resource): Promise<Written> {
  const { random, model, sql } = writing
  const resource = of ?? random.pick(model.resources)
  const rows = model.some(random, resource.table, 3)
  for (const { id, parentId } of rows) {
    const row = planned(writing, resource, { id, ...(parentId === null ? {} : { customer_id: parentId }) })
    const { created_at: _, ...values } = row
    if (model.stampsUpdates(resource)) values.updated_at = stampOf(writing)
    await update(sql, resource.table, { id, values })
  }
  const ids = rows.map(({ id }) => id)
  await countChildren(writing, resource, { ids })
  const owners = rows.flatMap(({ parentId }) => parentId ?? [])
  await stampOwners(writing, owners)
  const isTold = model.stampsUpdates(resource)
  return { effects: ids.map((id) => (known) => tell(known, resource, { id, isTold })), holds: [...ids, ...owners] }
}

/** Replaces the children of up to three rows. */
const replaceChildren: Write = async (writing) => {
  const { random, model, sql } = writing
  const resource = random.pick(parents())
  const ids = model.some(random, resource.table, 3).map(({ id }) => id)
  const { child, key } = countOf(resource)
  const some = random.chance(0.5) ? '' : `and md5(id::text) < '8'`
  await sql.unsafe(`delete from ${child} where ${key} = any($1::text::uuid[]) ${some}`, [arrayOf(ids)])
  await addChildren(writing, resource, ids)
  return { effects: ids.map((id) => (known) => known.isTold(resource.table, id)), holds: ids }
}

/** Moves the children of one row to another. */
const moveChildren: Write = async (writing) => {
  const { random, model, sql } = writing
  const resource = random.pick(parents())
  const ids = model.some(random, resource.table, 2).map(({ id }) => id)
  const [from, to] = ids
  if (from === undefined || to === undefined) return NOTHING
  const { child, key } = countOf(resource)
  await sql.unsafe(`update ${child} set ${key} = $1::text::uuid where ${key} = $2::text::uuid`, [to, from])
  await countChildren(writing, resource, { ids })
  return { effects: ids.map((id) => (known) => known.isTold(resource.table, id)), holds: ids }
}

/** Deletes up to three rows: nothing tells of it. */
const deleteRows: Write = async (writing) => {
  const { random, model, sql } = writing
  const { table } = random.pick(model.resources)
  const rows = model.some(random, table, 3)
  const ids = rows.map(({ id }) => id)
  await sql.unsafe(`delete from ${table} where id = any($1::text::uuid[])`, [arrayOf(ids)])
  const owners = rows.flatMap(({ parentId }) => parentId ?? [])
  await stampOwners(writing, owners)
  return { effects: ids.map((id) => (known) => known.remove(table, id)), holds: [...ids, ...owners] }
}

/** Brings a row back as it was a month ago, with the stamp of then. */
const restoreRow: Write = async (writing) => {
  const { random, model, sql, clock } = writing
  const resource = random.pick(model.resources.filter((each) => model.stampsUpdates(each)))
  const [row] = model.some(random, resource.table, 1)
  if (row === undefined) return NOTHING
  const fixed = { id: row.id, ...(row.parentId === null ? {} : { customer_id: row.parentId }) }
  const { created_at: _, ...values } = planned(writing, resource, fixed)
  const stamp = new Date(clock.now - 30 * DAY_MS).toISOString()
  values.updated_at = stamp
  await update(sql, resource.table, { id: row.id, values })
  await countChildren(writing, resource, { ids: [row.id], stamp })
  if (row.parentId !== null) await stampOwners(writing, [row.parentId])
  return { effects: [(known) => known.lags(resource.table, row.id)], holds: [row.id, row.parentId ?? row.id] }
}

/** Marks an address as removed, or as there again. */
const removeAddress: Write = async (writing) => {
  const { random, model, sql } = writing
  const [row] = model.some(random, customerAddress.table, 1)
  if (row === undefined) return NOTHING
  const isRemoved = random.chance(0.7)
  const removedAt = isRemoved ? `'${stampOf(writing)}'` : 'null'
  await sql.unsafe(
    `update customer_addresses set deleted_at = ${removedAt}, updated_at = $1::text::timestamptz where id = $2::text::uuid`,
    [stampOf(writing), row.id],
  )
  await stampOwners(writing, [row.parentId ?? ''])
  const effect: Effect = (known) => known.lags(customerAddress.table, row.id)
  return { effects: [effect], holds: [row.id, row.parentId ?? row.id] }
}

/** Changes what the store says of itself. */
const changeStore: Write = async (writing) => {
  const [resource] = RESOURCES
  if (resource === undefined || writing.model.isHeld('store')) return NOTHING
  const { id: _, ...values } = planned(writing, resource, { id: '' })
  const names = Object.keys(values)
  await writing.sql.unsafe(`update store set ${assigned('store', names)}`, [JSON.stringify(values)])
  return { effects: [], holds: ['store'] }
}

const WRITES: readonly Write[] = [
  ...[addRows, addRows, changeRows, changeRows, changeRows, replaceChildren, replaceChildren],
  ...[deleteRows, deleteRows, restoreRow, removeAddress, changeStore],
]

/** Makes one random write; `movesChildren` where rows may go from one parent to another. */
export async function writeOnce(writing: Writing, movesChildren: boolean): Promise<Written> {
  writing.clock.advance(writing.random.below(2000))
  return movesChildren && writing.random.chance(0.2) ? moveChildren(writing) : writing.random.pick(WRITES)(writing)
}

function added({ model }: Writing, resource: Resource, row: SourceRow): Effect {
  const id = String(row.id)
  const parentId = resource === customerAddress ? String(row.customer_id) : null
  // of customers without stamps of updates only those are told of that were created lately
  const isTold = model.stampsUpdates(resource) || /^2025/.test(String(row.created_at))
  return (known) => {
    known.add(resource.table, { id, parentId })
    if (!isTold) known.lags(resource.table, id)
  }
}

function tell(known: StoreModel, resource: Resource, { id, isTold }: { id: string; isTold: boolean }): void {
  if (!isTold) known.lags(resource.table, id)
  // a removed address is changed, and nobody hears of it
  else if (resource !== customerAddress) known.isTold(resource.table, id)
}
