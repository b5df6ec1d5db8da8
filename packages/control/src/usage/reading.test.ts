import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { createControlDatabase, type TestControl } from '../../test/support/control-database.ts'
import { createKey } from '../access/create-key.ts'
import { readActivity, readLastErrors, readUnfinishedWalks, readUsageSums } from './reading.ts'
import type { RecordedRequest } from './recorded-request.ts'
import { createUsageRecorder } from './recorder.ts'
import { sumUpOldHours, usageHoursSince } from './retention.ts'

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
})
afterAll(() => control.drop())

const NOON = Date.parse('2026-03-01T12:00:00Z')
const MINUTE_MS = 60_000
const SINCE = new Date(NOON - MINUTE_MS)

const newKey = (storeId: string) => {
  const { database, random } = control
  return createKey({ database, storeId, name: 'k', createdBy: null, random })
}

/** Returns a recorder whose clock the test sets with each request. */
function node() {
  let now = NOON
  const options = { database: control.database, now: () => now, emit: () => undefined, flushMs: 600_000 }
  const recorder = createUsageRecorder({ ...options, requestLogLines: 100 })
  const ok = {
    outcome: 'successful',
    endpoint: '/api/v1/orders',
    status: 200,
    code: null,
    reason: null,
    requestId: 'r',
    rows: 250,
  } as const
  return {
    close: recorder.close,
    at: (time: number, keyId: string, more: Partial<RecordedRequest> = {}) => {
      now = time
      recorder.record({ keyId, ...ok, durationMs: 1, minuteRequests: 1, walk: null, ...more })
    },
  }
}

test('if two nodes record requests of a key in the same hour, readActivity returns each active minute of both nodes once', async () => {
  const store = await control.store()
  const [key, other] = [await newKey(store.id), await newKey(store.id)]
  const nodes = [node(), node()]
  for (const [index, minutes] of [
    [0, 15, 59, 60],
    [15, 30],
  ].entries())
    for (const minute of minutes) nodes[index]?.at(NOON + minute * MINUTE_MS + 1, key.id)
  nodes[0]?.at(NOON, other.id)
  for (const each of nodes) await each.close()
  const minutes = [0, 15, 30, 59, 60].map((minute) => NOON + minute * MINUTE_MS)
  const activity = await readActivity({ database: control.database, keyIds: [key.id], since: SINCE })
  expect(activity).toEqual([{ keyId: key.id, minutes }])
})

test("for an unfinished full sync, readUnfinishedWalks returns the row count of the list's last finished sync, or null if there is none", async () => {
  const store = await control.store()
  const [key, other] = [await newKey(store.id), await newKey(store.id)]
  const recording = node()
  const step = (begins: boolean, ends: boolean, filters = '') => ({ walk: { begins, ends, filters } })
  for (let page = 0; page < 4; page++) recording.at(NOON + page, other.id, step(page === 0, page === 3))
  for (let page = 0; page < 2; page++) {
    recording.at(NOON + 10 + page, key.id, step(page === 0, false))
    recording.at(NOON + 20 + page, key.id, {
      endpoint: '/api/v1/products',
      ...step(page === 0, false, 'updated_since=2026-01-01T00:00:00Z'),
    })
  }
  await recording.close()
  const keyIds = [key.id, other.id]
  const unfinished = await readUnfinishedWalks({ database: control.database, keyIds, since: SINCE })
  const read = { keyId: key.id, pages: 2, rows: 500 }
  expect(unfinished).toEqual([
    { ...read, endpoint: '/api/v1/products', lastAt: new Date(NOON + 21), rowsOfList: null },
    { ...read, endpoint: '/api/v1/orders', lastAt: new Date(NOON + 11), rowsOfList: 1000 },
  ])
})

test('readLastErrors returns the newest error of each key, and leaves out keys without errors', async () => {
  const store = await control.store()
  const [key, fine] = [await newKey(store.id), await newKey(store.id)]
  const recording = node()
  const error = (status: number, code: string) => ({ status, code, rows: 0, outcome: 'clientErrors' as const })
  recording.at(NOON, key.id, error(400, 'BAD_REQUEST'))
  recording.at(NOON + MINUTE_MS, key.id, error(404, 'NOT_FOUND'))
  recording.at(NOON + 2 * MINUTE_MS, key.id)
  recording.at(NOON, fine.id)
  await recording.close()
  const errors = await readLastErrors({ database: control.database, keyIds: [key.id, fine.id], since: SINCE })
  const lastAt = new Date(NOON + MINUTE_MS)
  expect(errors).toEqual([{ keyId: key.id, endpoint: '/api/v1/orders', status: 404, code: 'NOT_FOUND', lastAt }])
})

describe('usage by period', () => {
  const DAY_MS = 86_400_000
  const HOUR_MS = 3_600_000
  const midnight = Date.parse('2026-03-01T00:00:00Z')

  async function addHours(keyId: string, hours: readonly number[]): Promise<void> {
    const times = hours.map((hour) => new Date(midnight + hour * HOUR_MS).toISOString())
    await control.sql`
      insert into usage_hours (key_id, hour, successful, rejected)
      select ${keyId}, hour, 10, 1 from unnest(${times}::timestamptz[]) as hour`
  }

  test('readUsageSums counts each hour of usage in the period in which the hour starts, and leaves out usage of other keys', async () => {
    const store = await control.store()
    const [key, other, stranger] = [await newKey(store.id), await newKey(store.id), await newKey(store.id)]
    // Midnight in Berlin is at 23:00 in UTC.
    const starts = [-25, -1, 23].map((hour) => new Date(midnight + hour * HOUR_MS))
    await addHours(key.id, [-26, -25, -2, -1, 22, 23])
    await addHours(other.id, [0, 1])
    await addHours(stranger.id, [0])
    const hoursSince = new Date(midnight - 40 * DAY_MS)
    const read = (...keyIds: string[]) => readUsageSums({ database: control.database, keyIds, starts, hoursSince })
    const none = { clientErrors: 0, failed: 0 }
    const ofKey = [0, 1, 2].map((period) => {
      const requests = period === 2 ? 1 : 2
      return { ...none, keyId: key.id, period, successful: 10 * requests, rejected: requests }
    })
    const ofOther = { ...none, keyId: other.id, period: 1, successful: 20, rejected: 2 }
    expect(await read(key.id)).toEqual(ofKey)
    const all = await read(key.id, other.id)
    expect(all).toHaveLength(4)
    expect(all).toEqual(expect.arrayContaining([...ofKey, ofOther]))
    expect(await read()).toEqual([])
  })

  test('if old usage is stored by UTC day, readUsageSums counts each UTC day in the local day with which it shares most hours', async () => {
    const store = await control.store()
    const key = await newKey(store.id)
    await addHours(key.id, [0, 5, 23, 24, 47])
    const { database } = control
    const now = new Date(midnight + 40 * DAY_MS)
    const hoursSince = usageHoursSince(now, 32)
    // The days of New York start at 05:00 in UTC, and those of Auckland at 11:00 in UTC.
    const periodsOf = async (firstHour: number) => {
      const starts = [0, 24, 48].map((hour) => new Date(midnight + (firstHour + hour) * HOUR_MS))
      const sums = await readUsageSums({ database, keyIds: [key.id], starts, hoursSince })
      return sums.map(({ period, successful }) => [period, successful])
    }
    const expected = [
      [0, 30],
      [1, 20],
    ]
    expect([await periodsOf(5), await periodsOf(-13)]).toEqual([
      expected,
      [
        [1, 30],
        [2, 20],
      ],
    ])
    await sumUpOldHours({ database, usageHourDays: 32, now })
    expect([await periodsOf(5), await periodsOf(-13)]).toEqual([
      expected,
      [
        [1, 30],
        [2, 20],
      ],
    ])
  })

  // A distributed table has several plans.
  test.skipIf(inject('citusWorkers') !== undefined)(
    'if other keys have much usage, readUsageSums reads only rows of the requested keys, through the primary key',
    async () => {
      const own = await createControlDatabase()
      onTestFinished(() => own.drop())
      const { database, sql } = own
      const store = await own.store()
      const key = await createKey({ database, storeId: store.id, name: 'k', createdBy: null, random: own.random })
      const from = new Date(midnight).toISOString()
      await sql`
      insert into usage_hours (key_id, hour, successful)
      select key_id, ${from}::text::timestamptz + make_interval(hours => n), 1
      from (select ${key.id}::uuid union all select gen_random_uuid() from generate_series(1, 20)) as keys (key_id),
        generate_series(0, 90 * 24 - 1) as n`
      await sql`analyze usage_hours`
      const starts = Array.from({ length: 90 }, (_, day) => new Date(midnight + day * DAY_MS))
      const query = { database, keyIds: [key.id], starts, hoursSince: new Date(midnight) }
      vi.spyOn(database.pool, 'query')
      expect(await readUsageSums(query)).toHaveLength(90)
      const [statement] = vi.mocked(database.pool.query).mock.calls[0] ?? []
      const explained = sql.unsafe(
        `explain (analyze, timing off, costs off) ${statement?.text}`,
        statement?.values as [],
      )
      const plan = (await explained).map((line) => line['QUERY PLAN']).join('\n')
      expect(plan).toMatch(/Index Scan (using|on) usage_hours_pkey .*rows=2160[. ]/)
      expect(plan).not.toContain('Seq Scan on usage_hours')
    },
  )
})
