// Models a list in memory. The model changes like the table in the database, so a test knows the expected rows of each
// page.

import fc from 'fast-check'
import type { TestStore } from '../../../../test/support/platform.ts'
import { idAt } from './rows.ts'

/** Creation time in microseconds after the base, an infinity, or null. */
export type Created = number | 'infinity' | '-infinity' | null

export interface ModelRow {
  readonly id: string
  readonly created: Created
  /** Seconds after the base; null if the store never set updated_at. */
  readonly updated: number | null
  readonly status: string
}

/** A change between two pages. Numbers are indexes into the rows, modulo their count. */
export type Change =
  | { readonly kind: 'insert'; readonly row: ModelRow }
  | { readonly kind: 'update'; readonly at: number; readonly updated: number; readonly status: string }
  | { readonly kind: 'delete'; readonly at: number }
  | { readonly kind: 'delete cursor' }

/** The list of a test: its table, the statuses of its rows, and the other columns of a row. */
export interface ListUnderTest {
  readonly path: string
  readonly table: string
  readonly statuses: readonly string[]
  /** Columns with their values as SQL. `$id` is the ID. */
  readonly rest: Readonly<Record<string, string>>
  readonly updatedMayBeNull: boolean
}

/** Orders. Their updated_at is not null. */
export const ORDERS: ListUnderTest = {
  path: 'orders',
  table: 'orders',
  statuses: ['pending', 'paid'],
  rest: { email: `'a@example.com'` },
  updatedMayBeNull: false,
}

/** Customers. Their updated_at may be null. */
export const CUSTOMERS: ListUnderTest = {
  path: 'customers',
  table: 'customers',
  statuses: [],
  rest: { email: `'$id'` },
  updatedMayBeNull: true,
}

const BASE = '2026-07-08T00:00:00Z'
const BASE_MILLISECONDS = Date.parse(BASE)

/** Returns the timestamp `seconds` seconds after the base, as a query parameter. */
export function timestampAt(seconds: number): string {
  return new Date(BASE_MILLISECONDS + seconds * 1000).toISOString()
}

/** Whether the last change is at or after the timestamp. If the row has no `updated_at`, its creation time counts. */
export function isUpdatedSince({ updated, created }: ModelRow, seconds: number): boolean {
  if (updated !== null) return updated >= seconds
  return isCreatedSince(created, seconds)
}

/** Whether the creation time is at or after the timestamp; false for null. */
export function isCreatedSince(created: Created, seconds: number): boolean {
  if (created === null || created === '-infinity') return false
  return created === 'infinity' || created >= seconds * 1_000_000
}

/** Compares two rows in the order of a list: creation time, then ID. Rows without a creation time come last. */
export function compareModelRows(a: ModelRow, b: ModelRow): number {
  return rank(a.created) - rank(b.created) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
}

function rank(created: Created): number {
  if (created === null) return Number.MAX_SAFE_INTEGER
  if (created === 'infinity') return Number.MAX_SAFE_INTEGER - 1
  return created === '-infinity' ? Number.MIN_SAFE_INTEGER : created
}

/**
 * Returns an arbitrary row. With `nullable`, some creation times are infinite or null, which only a platform's own
 * schema allows.
 */
export function arbitraryRow({ statuses, updatedMayBeNull }: ListUnderTest, nullable: boolean): fc.Arbitrary<ModelRow> {
  // Equal timestamps, timestamps within one millisecond, and distant timestamps.
  const finite = fc.oneof(
    fc.integer({ min: 0, max: 3 }),
    fc.integer({ min: 0, max: 2500 }),
    fc.integer({ min: 0, max: 9_000_000 }),
  )
  const odd = fc.constantFrom<Created>('infinity', '-infinity', null)
  return fc.record({
    id: fc.integer({ min: 0, max: 0xffff }).map(idAt),
    created: nullable ? fc.oneof({ weight: 3, arbitrary: finite }, { weight: 2, arbitrary: odd }) : finite,
    updated: updatedMayBeNull ? fc.option(fc.integer({ min: 0, max: 9 })) : fc.integer({ min: 0, max: 9 }),
    status: fc.constantFrom(...(statuses.length === 0 ? [''] : statuses)),
  })
}

export function arbitraryChange(list: ListUnderTest, row: fc.Arbitrary<ModelRow>): fc.Arbitrary<Change> {
  const at = fc.nat({ max: 1000 })
  const status = fc.constantFrom(...(list.statuses.length === 0 ? [''] : list.statuses))
  return fc.oneof(
    fc.record({ kind: fc.constant('insert' as const), row }),
    fc.record({ kind: fc.constant('update' as const), at, updated: fc.integer({ min: 0, max: 9 }), status }),
    fc.record({ kind: fc.constant('delete' as const), at }),
    fc.record({ kind: fc.constant('delete cursor' as const) }),
  )
}

/** The list in the database and in memory. */
export class History {
  rows: ModelRow[] = []
  private readonly store: TestStore
  private readonly list: ListUnderTest

  constructor(store: TestStore, list: ListUnderTest) {
    this.store = store
    this.list = list
  }

  /** Replaces all rows of the table and of the model. If rows share an ID, only the first one is used. */
  async reset(rows: readonly ModelRow[]): Promise<void> {
    this.rows = [...new Map([...rows].reverse().map((row) => [row.id, row])).values()]
    const inserts = this.rows.length === 0 ? '' : this.insertion(this.rows)
    await this.store.sql.unsafe(`delete from ${this.list.table}; ${inserts}`)
  }

  /**
   * Applies a change to the table and to the model. `cursorId` is the ID of the row in the cursor. Ignores an insert
   * with an ID that exists, and a change to a row that doesn't exist.
   */
  async apply(change: Change, cursorId: string | null): Promise<void> {
    const { table, statuses } = this.list
    if (change.kind === 'insert') {
      if (this.rows.some(({ id }) => id === change.row.id)) return
      this.rows.push(change.row)
      await this.store.sql.unsafe(this.insertion([change.row]))
      return
    }
    const row = change.kind === 'delete cursor' ? this.find(cursorId) : this.rows[change.at % this.rows.length]
    if (row === undefined) return
    this.rows = this.rows.filter((each) => each !== row)
    if (change.kind !== 'update') {
      await this.store.sql.unsafe(`delete from ${table} where id = '${row.id}'`)
      return
    }
    this.rows.push({ ...row, updated: change.updated, status: change.status })
    const status = statuses.length === 0 ? '' : `, status = '${change.status}'`
    await this.store.sql.unsafe(
      `update ${table} set updated_at = ${timestampSql(change.updated)}${status} where id = '${row.id}'`,
    )
  }

  private find(id: string | null): ModelRow | undefined {
    return this.rows.find((row) => row.id === id)
  }

  private insertion(rows: readonly ModelRow[]): string {
    const { table, rest, statuses } = this.list
    const names = ['id', 'created_at', 'updated_at', ...(statuses.length === 0 ? [] : ['status']), ...Object.keys(rest)]
    const values = rows.map((row) => {
      const own = [`'${row.id}'::uuid`, creationSql(row.created), timestampSql(row.updated)]
      if (statuses.length > 0) own.push(`'${row.status}'`)
      return `(${[...own, ...Object.values(rest).map((value) => value.replaceAll('$id', row.id))].join(', ')})`
    })
    return `insert into ${table} (${names.join(', ')}) values ${values.join(', ')}`
  }
}

function creationSql(created: Created): string {
  if (created === null) return 'null::timestamptz'
  if (typeof created === 'string') return `'${created}'::timestamptz`
  return `timestamptz '${BASE}' + interval '${created} microseconds'`
}

function timestampSql(seconds: number | null): string {
  return seconds === null ? 'null::timestamptz' : `timestamptz '${BASE}' + interval '${seconds} seconds'`
}
