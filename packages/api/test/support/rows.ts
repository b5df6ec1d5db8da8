// Inserts rows into a store, and reads the events that they cause.

import { expect, inject } from 'vitest'
import { openClient } from '../../../../test/support/client.ts'
import type { TestPlatform, TestStore } from '../../../../test/support/platform.ts'
import type { ServiceEvent } from '../../../operator/src/events.ts'

/** Returns a UUID. The UUIDs sort like their indexes. */
export function idAt(index: number): string {
  return `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`
}

/**
 * Inserts a row. PostgreSQL parses the values as the types of the columns. A column without a value gets its default.
 */
export async function insertRow(
  store: TestStore,
  table: string,
  row: Readonly<Record<string, string | null>>,
): Promise<void> {
  const columns = Object.keys(row).map((name) => `"${name}"`)
  await store.sql.unsafe(
    `insert into ${table} (${columns.join(', ')}) values (${Object.values(row).map(literal).join(', ')})`,
  )
}

/** Returns a literal without a type. The driver would convert a bound value: it cuts some values and rejects others. */
export function literal(value: string | null): string {
  return value === null ? 'null' : `E'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

/** Returns the number of contract violations of a store by `table.column kind`. */
export function contractViolations(platform: TestPlatform, store: TestStore): Record<string, number> {
  const found: Record<string, number> = {}
  for (const each of platform.events)
    if (each.event === 'store.contract_violated' && each.storeId === store.id) {
      const name = `${each.field} ${each.kind}`
      found[name] = (found[name] ?? 0) + each.count
    }
  return found
}

export function clearEvents(platform: TestPlatform): void {
  platform.events.length = 0
}

export function eventsOf<E extends ServiceEvent['event']>(
  platform: TestPlatform,
  event: E,
): Extract<ServiceEvent, { event: E }>[] {
  return platform.events.filter((each): each is Extract<ServiceEvent, { event: E }> => each.event === event)
}

/** Returns the name of the role that reads the store. */
export function readerOf(store: TestStore): string {
  return new URL(store.readerUrl).username
}

/** Runs a statement as the superuser, in the database `postgres`. */
export function asSuperuser(statement: string): Promise<void> {
  return administrate({ adminUrl: inject('postgresUrl') }, statement)
}

/** Runs a statement as the superuser, in the database of the store. */
export async function administrate({ adminUrl }: Pick<TestStore, 'adminUrl'>, statement: string): Promise<void> {
  const sql = openClient(adminUrl)
  try {
    await sql.unsafe(statement)
  } finally {
    await sql.end()
  }
}

/** Closes every connection of the store's reader. Resolves when their backends have ended. */
export async function disconnectReader(store: TestStore): Promise<void> {
  const sql = openClient(inject('postgresUrl'))
  try {
    const cut = await sql<{ pid: number }[]>`select pid, pg_terminate_backend(pid)
      from pg_stat_activity where usename = ${readerOf(store)}`
    const pids = cut.map(({ pid }) => pid)
    await expect.poll(() => sql`select pid from pg_stat_activity where pid = any(${pids})`).toEqual([])
  } finally {
    await sql.end()
  }
}
