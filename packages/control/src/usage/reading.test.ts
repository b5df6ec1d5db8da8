import { afterAll, beforeAll, expect, test } from 'vitest'
import { createControlDatabase, type TestControl } from '../../test/support/control-database.ts'
import { createKey } from '../access/create-key.ts'
import { revokeKey } from '../access/keys.ts'
import { readActivity, readLastErrors, readUnfinishedWalks } from './reading.ts'
import type { RecordedRequest } from './recorded-request.ts'
import { createUsageRecorder } from './recorder.ts'

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

/** Returns a node that records a request at a time, and writes its records. */
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

test("if two nodes record requests of a key in the same hour, the key's active minutes are those of both nodes, each once", async () => {
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
  await revokeKey({ database: control.database, keyId: other.id })
  const minutes = [0, 15, 30, 59, 60].map((minute) => NOON + minute * MINUTE_MS)
  const activity = await readActivity({ database: control.database, storeId: store.id, since: SINCE })
  expect(activity).toEqual([{ keyId: key.id, minutes }])
})

test('if a sync of a list is unfinished, it has the number of rows of the last finished sync of that list', async () => {
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
  const unfinished = await readUnfinishedWalks({ database: control.database, storeId: store.id, since: SINCE })
  const read = { keyId: key.id, pages: 2, rows: 500 }
  expect(unfinished).toEqual([
    { ...read, endpoint: '/api/v1/products', lastAt: new Date(NOON + 21), rowsOfList: null },
    { ...read, endpoint: '/api/v1/orders', lastAt: new Date(NOON + 11), rowsOfList: 1000 },
  ])
})

test('if keys had several errors, the newest error of each key is returned', async () => {
  const store = await control.store()
  const [key, fine] = [await newKey(store.id), await newKey(store.id)]
  const recording = node()
  const error = (status: number, code: string) => ({ status, code, rows: 0, outcome: 'clientErrors' as const })
  recording.at(NOON, key.id, error(400, 'BAD_REQUEST'))
  recording.at(NOON + MINUTE_MS, key.id, error(404, 'NOT_FOUND'))
  recording.at(NOON + 2 * MINUTE_MS, key.id)
  recording.at(NOON, fine.id)
  await recording.close()
  const errors = await readLastErrors({ database: control.database, storeId: store.id, since: SINCE })
  const lastAt = new Date(NOON + MINUTE_MS)
  expect(errors).toEqual([{ keyId: key.id, endpoint: '/api/v1/orders', status: 404, code: 'NOT_FOUND', lastAt }])
})
