import { Pool, parseConnectionUrl } from '@store-export/postgres'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { openProxy } from '../../../operator/test/support/tcp-proxy.ts'
import { createControlDatabase, type TestControl } from '../../test/support/control-database.ts'
import type { ControlEvent } from '../control-event.ts'
import type { PresentedKey } from './admission.ts'
import { type Admitter, ControlDatabaseError, createAdmitter } from './admitter.ts'
import { hashApiKey, makeApiKey } from './api-key.ts'
import { createKey } from './create-key.ts'
import { revokeKey } from './keys.ts'

const POOL_SIZE = 3
const TIMEOUT_MS = 1000

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
})
afterAll(() => control.drop())

async function newKey(): Promise<PresentedKey & { readonly id: string }> {
  const { id: storeId } = await control.store()
  const { id, key } = await createKey({ ...control, storeId, name: 'sync', createdBy: null })
  return { id, hash: hashApiKey(key), address: null }
}

function admitterAt(
  url: string,
  { timeoutMs } = { timeoutMs: TIMEOUT_MS },
): { admitter: Admitter; eventsOf: ControlEvent[] } {
  const eventsOf: ControlEvent[] = []
  const pool = new Pool(parseConnectionUrl(url), { connectionsMax: POOL_SIZE, applicationName: 'test' })
  const limits = { poolSize: POOL_SIZE, requestsPerMinute: 120, timeoutMs }
  const admitter = createAdmitter({ pool, ...limits, emit: (event) => eventsOf.push(event) })
  onTestFinished(() => admitter.close())
  return { admitter, eventsOf }
}

test('[AUTH-5, AUTH-6] if requests with valid, unknown, and revoked keys arrive at once, each request gets the result of its own key', async () => {
  const { admitter } = admitterAt(control.url)
  const [one, other, revoked] = [await newKey(), await newKey(), await newKey()]
  await revokeKey({ database: control.database, keyId: revoked.id })
  const hashes = [one.hash, hashApiKey(makeApiKey(control.random)), other.hash, revoked.hash, one.hash]
  const admissions = await Promise.all(hashes.map((hash) => admitter.admit({ hash, address: null })))
  expect(admissions.map((each) => each && [each.keyId, each.requests])).toEqual([
    [one.id, 1],
    null,
    [other.id, 1],
    null,
    [one.id, 2],
  ])
})

test('[AUTH-5] if a key is revoked between two requests, the admitter rejects the second request', async () => {
  const { admitter } = admitterAt(control.url)
  const { id, hash } = await newKey()
  expect(await admitter.admit({ hash, address: null })).not.toBeNull()
  await revokeKey({ database: control.database, keyId: id })
  expect(await admitter.admit({ hash, address: null })).toBeNull()
})

test('[ERR-3] if the request counter of one key is locked, only requests with this key wait', async () => {
  const { admitter } = admitterAt(control.url)
  const [held, other] = [await newKey(), await newKey()]
  await Promise.all([admitter.admit(held), admitter.admit(other)])
  const holder = await control.sql.reserve()
  await holder`begin`
  await holder`select from request_counters where key_id = ${held.id} for update`
  const waiting: Promise<unknown>[] = []
  for (let request = 0; request < 10 * POOL_SIZE; request++) {
    waiting.push(admitter.admit(held))
    const begunAt = performance.now()
    expect(await admitter.admit(other)).toMatchObject({ requests: request + 2 })
    expect(performance.now() - begunAt).toBeLessThan(TIMEOUT_MS / 2)
  }
  await holder`rollback`
  holder.release()
  const admissions = await Promise.all(waiting)
  expect(admissions).toHaveLength(10 * POOL_SIZE)
  expect(await admitter.admit(held)).toMatchObject({ requests: 10 * POOL_SIZE + 2 })
})

test('[ERR-3] if a migration that locks two tables causes a deadlock with a key check, the check succeeds after the migration', async () => {
  const { admitter, eventsOf } = admitterAt(control.url, { timeoutMs: 5 * TIMEOUT_MS })
  const key = await newKey()
  const migration = await control.sql.reserve()
  await migration`begin`
  await migration`lock table stores in access exclusive mode`
  const admitting = admitter.admit(key)
  await vi.waitFor(async () => {
    const waiting = await control.sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    expect(waiting).toHaveLength(1)
  })
  // The statement already holds its lock on api_keys. The server cancels it, because it has waited longer.
  await migration`lock table api_keys in access exclusive mode`
  await migration`commit`
  migration.release()
  expect(await admitting).toMatchObject({ keyId: key.id, requests: 1 })
  expect(eventsOf).toEqual([])
})

test('[R5, ERR-3] if the control database stops responding, key checks fail with ControlDatabaseError within twice their time limit', async () => {
  const way = await openProxy(Number(new URL(control.url).port))
  const url = Object.assign(new URL(control.url), { hostname: '127.0.0.1', port: String(way.port) }).href
  const { admitter, eventsOf } = admitterAt(url)
  const { hash } = await newKey()
  await admitter.admit({ hash, address: null })
  way.setMode({ kind: 'freeze' })
  const begunAt = performance.now()
  const refused = await Promise.allSettled(Array.from({ length: 50 }, () => admitter.admit({ hash, address: null })))
  expect(performance.now() - begunAt).toBeLessThan(2 * TIMEOUT_MS)
  for (const each of refused) expect(each).toMatchObject({ reason: expect.any(ControlDatabaseError) })
  expect(eventsOf).toHaveLength(50)
  expect(admitter.sums().waiting).toBe(0)
  way.setMode({ kind: 'forward' })
  expect(await admitter.admit({ hash, address: null })).not.toBeNull()
})
