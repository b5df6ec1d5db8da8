import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { roundsOf } from '../../../test/support/rounds.ts'
import type { Connection } from '../src/connection.ts'
import { PostgresConnectionError } from '../src/errors.ts'
import type { Pool, PoolSums } from '../src/pool.ts'
import { executeOn, queryRows } from '../src/query.ts'
import { sql } from '../src/statement.ts'
import { TimeLimitPassed } from '../src/within.ts'
import { startHostile } from './support/hostile-server.ts'
import { open, openPool, within, withParameters } from './support/open.ts'
import { WELCOME } from './support/server-messages.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

const RUNS = roundsOf({ quick: 8, long: 200 })
const ONE = sql`select 1 as one`
const REST: PoolSums = { open: 0, busy: 0, waiting: 0 }

/** Returns a promise that the test resolves. */
function gate(): PromiseWithResolvers<void> {
  return Promise.withResolvers<void>()
}

/** Takes all `count` connections of the pool until `open` resolves. */
async function occupy(
  pool: Pool,
  count: number,
  open: Promise<unknown>,
): Promise<{ readonly ended: Promise<unknown> }> {
  const taken = Array.from({ length: count }, gate)
  const ended = Promise.all(
    taken.map(({ resolve }) =>
      pool.use(async (connection) => {
        const pid = await pidOf(connection)
        resolve()
        await open
        return pid
      }),
    ),
  )
  await Promise.all(taken.map(({ promise }) => promise))
  return { ended }
}

const pidOf = async (connection: Connection) =>
  (await queryRows<{ pid: number }>(connection, sql`select pg_backend_pid() as pid`))[0]?.pid

async function kill(pid: number | undefined): Promise<void> {
  const admin = await open(database.url)
  await queryRows(admin, sql`select pg_terminate_backend(${pid ?? 0})`)
}

describe('connection pools', () => {
  test('if requests run one after another, the pool opens one connection and reuses it', async () => {
    const pool = openPool(database.url)
    expect(pool.sums).toEqual(REST)
    const pids = new Set<unknown>()
    for (let n = 0; n < 10; n++) pids.add(await pool.use(pidOf))
    expect(pids.size).toBe(1)
    expect(pool.sums).toEqual({ open: 1, busy: 0, waiting: 0 })
  })

  test('if several connections are idle, the next request gets the most recently used connection', async () => {
    const pool = openPool(database.url)
    const [first, second] = [gate(), gate()]
    const a = await occupy(pool, 1, first.promise)
    const b = await occupy(pool, 1, second.promise)
    first.resolve()
    await a.ended
    second.resolve()
    const [last] = (await b.ended) as [number]
    expect([await pool.use(pidOf), await pool.use(pidOf)]).toEqual([last, last])
  })

  test('if the maximum number of connections is busy, further requests wait and run in order of arrival', async () => {
    const pool = openPool(database.url, { connectionsMax: 2 })
    const release = gate()
    const { ended } = await occupy(pool, 2, release.promise)
    const order: number[] = []
    const waiting = Array.from({ length: 6 }, (_, n) => pool.use(async () => void order.push(n)))
    expect(pool.sums).toEqual({ open: 2, busy: 2, waiting: 6 })
    release.resolve()
    await Promise.all([ended, ...waiting])
    expect(order).toEqual([0, 1, 2, 3, 4, 5])
    expect(pool.sums).toEqual({ open: 2, busy: 0, waiting: 0 })
  })

  test('if a request waits past its deadline, the pool rejects this request, and a later request succeeds', async () => {
    const pool = openPool(database.url, { connectionsMax: 1 })
    const release = gate()
    const { ended } = await occupy(pool, 1, release.promise)
    const late = pool.query(ONE, within(50))
    const aborted = pool.query(ONE, { signal: AbortSignal.timeout(30) })
    const patient = pool.query(ONE)
    expect(await Promise.allSettled([late, aborted])).toMatchObject([
      { reason: { name: 'PostgresConnectionError', code: 'POOL_FULL' } },
      { reason: { name: 'TimeoutError' } },
    ])
    expect(pool.sums.waiting).toBe(1)
    release.resolve()
    await ended
    expect(await patient).toEqual([{ one: 1 }])
    await expect(pool.query(ONE, { signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone')
  })

  test('if a connection opens after the deadline of its request, the request fails, and the next request gets the connection', async () => {
    const accept = gate()
    const server = await startHostile(database.url, async (peer) => {
      await peer.next()
      await accept.promise
      peer.say(WELCOME)
    })
    const pool = openPool(server.url, { connectionsMax: 1 })
    const since = performance.now()
    await expect(pool.query(ONE, within(50))).rejects.toThrow(TimeLimitPassed)
    await expect(pool.query(ONE, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(performance.now() - since).toBeLessThan(1000)
    expect(pool.sums).toEqual({ open: 1, busy: 1, waiting: 0 })
    accept.resolve()
    await expect.poll(() => pool.sums).toEqual({ open: 1, busy: 0, waiting: 0 })
    expect(await pool.use(async ({ isBusy }) => isBusy)).toBe(false)
    expect(server.connections()).toBe(1)
  })

  test("if a statement without a deadline exceeds the pool's time limit, the statement fails with TimeLimitPassed", async () => {
    const pool = openPool(database.url, { connectionsMax: 1, statementTimeoutMs: 200 })
    await expect(pool.query(sql`select pg_sleep(60)`)).rejects.toBeInstanceOf(TimeLimitPassed)
    await expect(pool.execute(sql`select pg_sleep(60)`)).rejects.toBeInstanceOf(TimeLimitPassed)
    expect(await pool.query(ONE, within(10_000))).toEqual([{ one: 1 }])
  })

  test('if an idle connection is lost, the pool removes the connection and opens another for the next request', async () => {
    const pool = openPool(database.url)
    const pid = await pool.use(pidOf)
    await kill(pid)
    await expect.poll(() => pool.sums.open).toBe(0)
    expect(await pool.use(pidOf)).not.toBe(pid)
  })

  test('closeIdle closes idle connections only, and the next request opens another', async () => {
    const pool = openPool(database.url, { connectionsMax: 2 })
    const idle = await pool.use(pidOf)
    const release = gate()
    const { ended } = await occupy(pool, 2, release.promise)
    pool.closeIdle()
    expect(pool.sums).toEqual({ open: 2, busy: 2, waiting: 0 })
    release.resolve()
    expect(await ended).toContain(idle)
    pool.closeIdle()
    await expect.poll(() => pool.sums).toEqual(REST)
    expect(await pool.query(ONE)).toEqual([{ one: 1 }])
  })

  test('a statement calls started when it has a connection, and not while it waits for one', async () => {
    const pool = openPool(database.url, { connectionsMax: 1 })
    const release = gate()
    const { ended } = await occupy(pool, 1, release.promise)
    const started = vi.fn()
    const waiting = pool.query(ONE, { started })
    await pool.use(() => Promise.resolve(), { deadline: performance.now() + 50 }).catch(() => undefined)
    expect(started).not.toHaveBeenCalled()
    release.resolve()
    await Promise.all([ended, waiting])
    expect(started).toHaveBeenCalledOnce()
  })

  test('if a connection is lost during a statement, the statement rejects, and the next statement gets a new connection', async () => {
    const pool = openPool(database.url, { connectionsMax: 1 })
    const lost = pool.use(async (connection) => {
      await kill(await pidOf(connection))
      await queryRows(connection, sql`select pg_sleep(10)`)
    })
    const next = pool.query(ONE)
    await expect(lost).rejects.toMatchObject({ code: '57P01' })
    expect(await next).toEqual([{ one: 1 }])
    expect(pool.sums).toEqual({ open: 1, busy: 0, waiting: 0 })
  })

  test('if a caller releases a connection with a running statement or an open transaction, the pool closes the connection', async () => {
    const pool = openPool(database.url, { connectionsMax: 1 })
    const pids = [
      await pool.use(async (connection) => {
        await connection.script('begin')
        return await pidOf(connection)
      }),
      await pool.use(async (connection) => {
        const pid = await pidOf(connection)
        queryRows(connection, sql`select pg_sleep(10)`).catch(() => undefined)
        return pid
      }),
      await pool.use(pidOf),
    ]
    expect(new Set(pids).size).toBe(3)
  })

  test('if connecting fails, the pool rejects the waiting requests, and a later request succeeds when the server is back', async () => {
    const server = await startHostile(database.url, ({ socket }) => void socket.destroy())
    const pool = openPool(server.url, { connectionsMax: 2 })
    const requests = Array.from({ length: 10 }, () => pool.query(ONE))
    for (const { status } of await Promise.allSettled(requests)) expect(status).toBe('rejected')
    expect(pool.sums).toEqual(REST)
    expect(server.connections()).toBe(10)
    server.becomeHonest()
    expect(await pool.query(ONE)).toEqual([{ one: 1 }])
  })

  test.each(['standby', 'prefer-standby', 'primary'])(
    'if target_session_attrs=%s is set, only connections to matching servers count as open',
    async (kind) => {
      const pool = openPool(withParameters(database.url, `target_session_attrs=${kind}`), { connectionsMax: 2 })
      await Promise.allSettled(Array.from({ length: 6 }, () => pool.query(ONE)))
      await expect.poll(() => pool.sums.busy).toBe(0)
      const { open, waiting } = pool.sums
      expect(open).toBe(kind === 'standby' ? 0 : 2)
      expect(waiting).toBe(0)
    },
  )

  test('when a pool is closed, waiting requests are rejected, and running statements complete', async () => {
    const pool = openPool(database.url, { connectionsMax: 1 })
    const [begun, release] = [gate(), gate()]
    const slow = pool.use(async (connection) => {
      const rows = queryRows(connection, sql`select 1 as one from pg_sleep(0.2)`)
      begun.resolve()
      await release.promise
      return await rows
    })
    const waiting = expect(pool.query(ONE)).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    await begun.promise
    const closed = pool.close(5000)
    release.resolve()
    await waiting
    expect(await slow).toEqual([{ one: 1 }])
    await closed
    await expect(pool.query(ONE)).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    expect(pool.sums.open).toBe(0)
  })
})

describe('transactions of a pool', () => {
  test('a transaction is rolled back if its callback throws, and committed otherwise', async () => {
    const pool = openPool(database.url, { connectionsMax: 1 })
    await pool.execute(sql`create table entries (id int unique deferrable initially deferred)`)
    await pool.transaction((connection) => executeOn(connection, sql`insert into entries values (1)`))
    const failing = pool.transaction(async (connection) => {
      await executeOn(connection, sql`insert into entries values (2)`)
      throw new Error('not that one')
    })
    await expect(failing).rejects.toThrow('not that one')
    expect(await pool.query(sql`select id from entries`)).toEqual([{ id: 1 }])
    const duplicate = pool.transaction((connection) => executeOn(connection, sql`insert into entries values (1)`))
    await expect(duplicate).rejects.toMatchObject({ code: '23505' })
    expect(pool.sums).toEqual({ open: 1, busy: 0, waiting: 0 })
  })

  test('if the callback of a transaction ignores a failed statement, the transaction is rolled back and rejects', async () => {
    const pool = openPool(database.url, { connectionsMax: 1 })
    const careless = pool.transaction(async (connection) => {
      await executeOn(connection, sql`select 1 / 0`).catch(() => undefined)
      return 'done'
    })
    await expect(careless).rejects.toThrow('it is rolled back')
    expect(await pool.query(ONE)).toEqual([{ one: 1 }])
  })

  test('if the server stops responding, a transaction rejects at its deadline', async () => {
    const server = await startHostile(database.url, (peer) => peer.welcome())
    const pool = openPool(server.url, { connectionsMax: 1 })
    await expect(pool.transaction(async () => undefined, within(50))).rejects.toThrow(TimeLimitPassed)
  })
})

test('if statements fail, hang, or lose connections in any order, the pool stays within its maximum, and closing it leaves no connection open', async () => {
  const admin = await open(database.url)
  const step = fc.constantFrom('query', 'fail', 'lose', 'leave open', 'abort', 'late', 'throw' as const)
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 25 }),
      fc.integer({ min: 1, max: 3 }),
      async (steps, max) => {
        const pool = openPool(database.url, { connectionsMax: max })
        let most = 0
        const watched = async (connection: Connection) => {
          most = Math.max(most, pool.sums.open)
          return connection
        }
        const acts: Record<(typeof steps)[number], () => Promise<unknown>> = {
          query: () => pool.query(ONE),
          fail: () => pool.query(sql`select 1 / 0`),
          lose: () => pool.use(async (connection) => (await watched(connection)).destroy()),
          'leave open': () => pool.use(async (connection) => (await watched(connection)).script('begin')),
          abort: () => pool.query(sql`select pg_sleep(1)`, { signal: AbortSignal.timeout(3) }),
          late: () => pool.query(sql`select pg_sleep(1)`, within(2)),
          throw: () => pool.use(async () => Promise.reject(new PostgresConnectionError('X', 'thrown'))),
        }
        await Promise.allSettled(steps.map((name) => acts[name]()))
        expect(most).toBeLessThanOrEqual(max)
        await expect.poll(() => pool.sums, { interval: 2 }).toMatchObject({ busy: 0, waiting: 0 })
        expect(pool.sums.open).toBeLessThanOrEqual(max)
        const users = await Promise.all(Array.from({ length: 2 * max }, () => pool.query(ONE)))
        expect(users).toHaveLength(2 * max)
        await pool.close()
        expect(pool.sums).toEqual(REST)
      },
    ),
    { numRuns: RUNS },
  )
  const left = sql`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`
  await expect.poll(async () => (await queryRows<{ count: number }>(admin, left))[0]?.count).toBe(0)
})
