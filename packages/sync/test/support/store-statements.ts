// SQL statements for writes to a store, with the timestamps that its platform sets.

import { childrenOf, customer, RESOURCES, type Resource } from '@store-export/contract'
import type { PlatformClock } from './platform-clock.ts'
import type { Random } from './random.ts'
import { farTimestamp, randomRow, type SourceRow } from './random-rows.ts'
import type { StoreModel } from './store-model.ts'

export interface Statements {
  unsafe(text: string, values?: string[]): PromiseLike<unknown>
}

export interface WriteContext {
  readonly random: Random
  readonly clock: PlatformClock
  readonly model: StoreModel
  readonly sql: Statements
}

/** Columns with the number of embedded rows, by the parent's table, by which a test detects incomplete pages. */
export const CHILD_COUNTS: Readonly<
  Record<string, { readonly column: string; readonly child: string; readonly key: string }>
> = {
  orders: { column: 'shipping_method', child: 'order_items', key: 'order_id' },
  products: { column: 'product_type', child: 'product_variants', key: 'product_id' },
}

/** Returns the resources with embedded rows. */
export function parents(): Resource[] {
  return RESOURCES.filter(({ table }) => table in CHILD_COUNTS)
}

/** Returns the embedded table of a resource and its count column. */
export function childCountOf({ table }: Resource) {
  const count = CHILD_COUNTS[table]
  if (count === undefined) throw new Error(`${table} has no embedded rows`)
  return count
}

/** Returns a row with its timestamps. One in twenty has a very old or late `created_at`, like imported rows. */
export function planRow(context: WriteContext, resource: Resource, fixed: SourceRow): SourceRow {
  const { random, model } = context
  const now = timestampNow(context)
  const timestamps: SourceRow =
    resource.fields.created_at === undefined ? {} : { created_at: random.chance(0.05) ? farTimestamp(random) : now }
  if (model.tracksUpdates(resource)) {
    // A customer that never changed has no updated_at.
    timestamps.updated_at = resource === customer && timestamps.created_at === now && random.chance(0.3) ? null : now
  }
  return randomRow({ random, resource, revision: model.revision, fixed: { ...timestamps, ...fixed } })
}

/** Adds up to three embedded rows to each row. */
export async function addChildren(context: WriteContext, resource: Resource, ids: readonly string[]): Promise<void> {
  const { random } = context
  for (const child of childrenOf(resource)) {
    const { key } = childCountOf(resource)
    const rows = ids.flatMap((id) =>
      Array.from({ length: random.below(4) }, () => planRow(context, child, { id: random.uuid(), [key]: id })),
    )
    await insert(context, child, rows)
    await countChildren(context, resource, { ids })
  }
}

/** Writes the number of embedded rows and `updated_at` of each row. */
export async function countChildren(
  context: WriteContext,
  { table }: Resource,
  { ids, updatedAt = timestampNow(context) }: { readonly ids: readonly string[]; readonly updatedAt?: string },
): Promise<void> {
  const count = CHILD_COUNTS[table]
  if (count === undefined || ids.length === 0) return
  const { column, child, key } = count
  await context.sql.unsafe(
    `update ${table} p set ${column} = (select count(*) from ${child} c where c.${key} = p.id)::text,
     updated_at = $1::text::timestamptz where id = any($2::text::uuid[])`,
    [updatedAt, arrayOf(ids)],
  )
}

/** Updates the timestamps of customers whose addresses change, like the platform. */
export async function touchOwners(context: WriteContext, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await context.sql.unsafe('update customers set updated_at = $1::text::timestamptz where id = any($2::text::uuid[])', [
    timestampNow(context),
    arrayOf(ids),
  ])
}

/** Adds rows, which must have the same columns. */
export async function insert({ sql }: WriteContext, { table }: Resource, rows: readonly SourceRow[]): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  const names = namesOf(Object.keys(first))
  await sql.unsafe(
    `insert into ${table} (${names}) select ${names} from jsonb_populate_recordset(null::public.${table}, $1::text::jsonb)`,
    [JSON.stringify(rows)],
  )
}

export async function update(
  sql: Statements,
  table: string,
  { id, values }: { id: string; values: SourceRow },
): Promise<void> {
  const names = Object.keys(values).filter((name) => name !== 'id')
  await sql.unsafe(`update ${table} set ${assignments(table, names)} where id = $2::text::uuid`, [
    JSON.stringify(values),
    id,
  ])
}

/** Returns the SET clause that assigns the members of the JSON in the first parameter. */
export function assignments(table: string, names: readonly string[]): string {
  const list = namesOf(names)
  return `(${list}) = (select ${list} from jsonb_populate_record(null::public.${table}, $1::text::jsonb))`
}

const namesOf = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ')
/** Returns a PostgreSQL array literal of IDs. */
export const arrayOf = (ids: readonly string[]) => `{${ids.join(',')}}`
export const idsOf = (rows: readonly SourceRow[]) => rows.map(({ id }) => String(id))
export const timestampNow = ({ clock, random }: WriteContext) => clock.timestamp(random.below(1000))
