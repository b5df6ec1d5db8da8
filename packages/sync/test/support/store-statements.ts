// The statements that writes of a store are made of, with the stamps that its platform sets.

import { childrenOf, customer, RESOURCES, type Resource } from '@store-export/contract'
import type { PlatformClock } from './platform-clock.ts'
import type { Random } from './random.ts'
import { farInstant, randomRow, type SourceRow } from './random-rows.ts'
import type { StoreModel } from './store-model.ts'

/** A connection to the store, or a transaction on it. */
export interface Statements {
  unsafe(text: string, values?: string[]): PromiseLike<unknown>
}

/** What a write is made of. */
export interface Writing {
  readonly random: Random
  readonly clock: PlatformClock
  readonly model: StoreModel
  readonly sql: Statements
}

/** Column of a parent that says how many children it has, by the parent's table: a page is all there or not at all. */
export const CHILD_COUNTS: Readonly<
  Record<string, { readonly column: string; readonly child: string; readonly key: string }>
> = {
  orders: { column: 'shipping_method', child: 'order_items', key: 'order_id' },
  products: { column: 'product_type', child: 'product_variants', key: 'product_id' },
}

/** Resources whose rows have children. */
export function parents(): Resource[] {
  return RESOURCES.filter(({ table }) => table in CHILD_COUNTS)
}

/** Where the children of a resource are, and are counted. */
export function countOf({ table }: Resource) {
  const count = CHILD_COUNTS[table]
  if (count === undefined) throw new Error(`${table} has no children`)
  return count
}

/** A row with its stamps; one in twenty was created far from today, as imported ones are. */
export function planned(writing: Writing, resource: Resource, fixed: SourceRow): SourceRow {
  const { random, model } = writing
  const stamp = stampOf(writing)
  const stamps: SourceRow =
    resource.fields.created_at === undefined ? {} : { created_at: random.chance(0.05) ? farInstant(random) : stamp }
  if (model.stampsUpdates(resource)) {
    // a customer that has not changed since it was made has none
    stamps.updated_at = resource === customer && stamps.created_at === stamp && random.chance(0.3) ? null : stamp
  }
  return randomRow({ random, resource, revision: model.revision, fixed: { ...stamps, ...fixed } })
}

/** Adds up to three children to each row. */
export async function addChildren(writing: Writing, resource: Resource, ids: readonly string[]): Promise<void> {
  const { random } = writing
  for (const child of childrenOf(resource)) {
    const { key } = countOf(resource)
    const rows = ids.flatMap((id) =>
      Array.from({ length: random.below(4) }, () => planned(writing, child, { id: random.uuid(), [key]: id })),
    )
    await insert(writing, child, rows)
    await countChildren(writing, resource, { ids })
  }
}

/** Writes how many children each row has, and stamps it. */
export async function countChildren(
  writing: Writing,
  { table }: Resource,
  { ids, stamp = stampOf(writing) }: { readonly ids: readonly string[]; readonly stamp?: string },
): Promise<void> {
  const count = CHILD_COUNTS[table]
  if (count === undefined || ids.length === 0) return
  const { column, child, key } = count
  await writing.sql.unsafe(
    `update ${table} p set ${column} = (select count(*) from ${child} c where c.${key} = p.id)::text,
     updated_at = $1::text::timestamptz where id = any($2::text::uuid[])`,
    [stamp, arrayOf(ids)],
  )
}

/** The platform stamps a customer whose addresses change. */
export async function stampOwners(writing: Writing, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await writing.sql.unsafe('update customers set updated_at = $1::text::timestamptz where id = any($2::text::uuid[])', [
    stampOf(writing),
    arrayOf(ids),
  ])
}

/** Adds rows that have the same columns. */
export async function insert({ sql }: Writing, { table }: Resource, rows: readonly SourceRow[]): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  const names = namesOf(Object.keys(first))
  await sql.unsafe(
    `insert into ${table} (${names}) select ${names} from jsonb_populate_recordset(null::public.${table}, $1::text::jsonb)`,
    [JSON.stringify(rows)],
  )
}

/** Changes one row. */
export async function update(
  sql: Statements,
  table: string,
  { id, values }: { id: string; values: SourceRow },
): Promise<void> {
  const names = Object.keys(values).filter((name) => name !== 'id')
  await sql.unsafe(`update ${table} set ${assigned(table, names)} where id = $2::text::uuid`, [
    JSON.stringify(values),
    id,
  ])
}

/** What sets columns to the members of the JSON that is bound first. */
export function assigned(table: string, names: readonly string[]): string {
  const list = namesOf(names)
  return `(${list}) = (select ${list} from jsonb_populate_record(null::public.${table}, $1::text::jsonb))`
}

const namesOf = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ')
/** An array of ids, as PostgreSQL reads it. */
export const arrayOf = (ids: readonly string[]) => `{${ids.join(',')}}`
/** Ids of rows. */
export const idsOf = (rows: readonly SourceRow[]) => rows.map(({ id }) => String(id))
/** The stamp of a change that happens now. */
export const stampOf = ({ clock, random }: Writing) => clock.stamp(random.below(1000))
