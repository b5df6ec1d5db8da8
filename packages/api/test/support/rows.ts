// Rows for tests of reading: short ways to put them into a store, and to see what was noticed of them.

import { inject } from 'vitest'
import { openClient } from '../../../../test/support/client.ts'
import type { TestPlatform, TestStore } from '../../../../test/support/platform.ts'
import type { Observation } from '../../../operator/src/observe.ts'

/** The UUID that sorts at `index`. */
export function idAt(index: number): string {
  return `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`
}

/** Inserts a row; values are texts that PostgreSQL reads as the columns' types, null or missing is null or the default. */
export async function insert(
  store: TestStore,
  table: string,
  row: Readonly<Record<string, string | null>>,
): Promise<void> {
  const columns = Object.keys(row).map((name) => `"${name}"`)
  await store.sql.unsafe(
    `insert into ${table} (${columns.join(', ')}) values (${Object.values(row).map(literal).join(', ')})`,
  )
}

/** A literal without a type: bound values would pass through the driver's own types, which cut and refuse. */
export function literal(value: string | null): string {
  return value === null ? 'null' : `E'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

/** What the service noticed of the store's values, as `table.column kind`, with how often. */
export function surprises(platform: TestPlatform, store: TestStore): Record<string, number> {
  const found: Record<string, number> = {}
  for (const each of platform.observations)
    if (each.event === 'value surprise' && each.storeId === store.id) {
      const name = `${each.field} ${each.kind}`
      found[name] = (found[name] ?? 0) + each.count
    }
  return found
}

/** Forgets what was observed so far. */
export function forget(platform: TestPlatform): void {
  platform.observations.length = 0
}

/** Observations of one event. */
export function observed<E extends Observation['event']>(
  platform: TestPlatform,
  event: E,
): Extract<Observation, { event: E }>[] {
  return platform.observations.filter((each): each is Extract<Observation, { event: E }> => each.event === event)
}

/** The name of the role that reads the store. */
export function readerOf(store: TestStore): string {
  return new URL(store.readerUrl).username
}

/** Runs a statement as the superuser, in the database `postgres`. */
export function asSuperuser(statement: string): Promise<void> {
  return administrate({ adminUrl: inject('postgresUrl') }, statement)
}

/** Runs a statement in the store's database that its owner may not run. */
export async function administrate({ adminUrl }: Pick<TestStore, 'adminUrl'>, statement: string): Promise<void> {
  const sql = openClient(adminUrl)
  try {
    await sql.unsafe(statement)
  } finally {
    await sql.end()
  }
}

/** Cuts every connection of the store's reader, and resolves when their backends have ended. */
export function cutReader(store: TestStore): Promise<void> {
  return asSuperuser(`with cut as materialized (
      select array_agg(pid) as pids, bool_and(pg_terminate_backend(pid))
      from pg_stat_activity where usename = '${readerOf(store)}')
    select pg_terminate_backend(pid, 10000) from cut, unnest(pids) as pid`)
}
