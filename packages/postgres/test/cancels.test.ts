// Tests statements that are aborted or exceed their deadline, while other statements run on the same pool.

import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { roundsOf } from '../../../test/support/rounds.ts'
import type { Pool } from '../src/pool.ts'
import { queryRows } from '../src/query.ts'
import { sql } from '../src/statement.ts'
import { TimeLimitPassed } from '../src/within.ts'
import { open, openPool, within } from './support/open.ts'

const CANCELS = roundsOf({ quick: 300, long: 10_000 })
const CONNECTIONS = 4
const LIMIT_MS = 20_000 + CANCELS * 30
/** Every tenth statement is not interrupted, so that some end even if the machine is slow. */
const UNINTERRUPTED = 10

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

/** Runs interrupted and honest statements on the pool. Returns the number of statements by outcome. */
async function runWithNeighbors(
  pool: Pool,
  interrupted: (n: number) => Promise<string>,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = { honest: 0 }
  let left = CANCELS
  const canceling = async () => {
    while (left-- > 0) {
      const outcome = await interrupted(left)
      counts[outcome] = (counts[outcome] ?? 0) + 1
    }
  }
  let isOver = false
  const honest = async () => {
    for (let n = 0; !isOver; n++) {
      // A cancel that hits another statement is an error here.
      const rows = await pool.query(sql`select ${n}::int as n, pg_sleep(0.001)::text as slept`)
      expect(rows).toEqual([{ n, slept: '' }])
      counts.honest = (counts.honest ?? 0) + 1
    }
  }
  const neighbors = Promise.all([honest(), honest()])
  await Promise.all(Array.from({ length: CONNECTIONS }, canceling))
  isOver = true
  await neighbors
  return counts
}

async function expectAtRest(pool: Pool): Promise<void> {
  await expect.poll(() => pool.sums).toMatchObject({ busy: 0, waiting: 0 })
  expect(pool.sums.open).toBeLessThanOrEqual(CONNECTIONS)
  const observer = await open(database.url)
  const ofPool = sql`select count(*)::int as count from pg_stat_activity where application_name = 'canceled'
    and datname = current_database()`
  await expect
    .poll(async () => (await queryRows<{ count: number }>(observer, ofPool))[0]?.count)
    .toBeLessThanOrEqual(CONNECTIONS)
}

test(`[ERR-3] if ${CANCELS} statements are aborted at random times, other statements on the same pool still return their own rows`, {
  timeout: LIMIT_MS,
}, async () => {
  const pool = openPool(database.url, { connectionsMax: CONNECTIONS, applicationName: 'canceled' })
  const counts = await runWithNeighbors(pool, async (n) => {
    const abort = new AbortController()
    const ms = n % UNINTERRUPTED === 0 ? LIMIT_MS : randomInt(0, 8)
    const timer = setTimeout(() => abort.abort(new Error('aborted')), ms)
    const statement = sql`select pg_sleep(${randomInt(0, 8) / 1000})::text as slept`
    const outcome = pool.query(statement, { signal: abort.signal }).then(
      () => 'ended',
      (error: Error) => error.message,
    )
    return await outcome.finally(() => clearTimeout(timer))
  })
  expect(Object.keys(counts).toSorted()).toEqual(['aborted', 'ended', 'honest'])
  await expectAtRest(pool)
})

test(`[ERR-3] if ${CANCELS} statements have random deadlines, other statements on the same pool still return their own rows`, {
  timeout: LIMIT_MS,
}, async () => {
  const pool = openPool(database.url, { connectionsMax: CONNECTIONS, applicationName: 'canceled' })
  const counts = await runWithNeighbors(pool, (n) => {
    const limit = within(n % UNINTERRUPTED === 0 ? LIMIT_MS : randomInt(0, 8))
    return pool.query(sql`select pg_sleep(${randomInt(0, 8) / 1000})::text as slept`, limit).then(
      () => 'ended',
      (error: unknown) => {
        if (error instanceof TimeLimitPassed || (error as { code?: unknown }).code === 'POOL_FULL') return 'late'
        throw error
      },
    )
  })
  expect(Object.keys(counts).toSorted()).toEqual(['ended', 'honest', 'late'])
  await expectAtRest(pool)
})

test('[ERR-3] if a running statement is aborted, the server cancels the statement', async () => {
  const pool = openPool(database.url, { connectionsMax: 1, applicationName: 'canceled' })
  const observer = await open(database.url)
  const abort = new AbortController()
  const sleeping = expect(pool.query(sql`select pg_sleep(30)`, { signal: abort.signal })).rejects.toThrow('gone')
  const active = sql`select from pg_stat_activity where query like 'select pg_sleep(30)%' and state = 'active'`
  await expect.poll(async () => (await queryRows(observer, active)).length).toBe(1)
  abort.abort(new Error('gone'))
  await sleeping
  await expect.poll(async () => (await queryRows(observer, active)).length).toBe(0)
  expect(await pool.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
})
