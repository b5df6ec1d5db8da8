// Tests two runs of one request. packages/operator/test/admin/access.test.ts tests the responses of the admin API.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createControlDatabase, type TestControl } from '../test/support/control-database.ts'
import {
  abandonRequest,
  beginRequest,
  completeRequest,
  type IdempotentRequest,
  idempotentRequest,
  keepRequest,
  type RequestRun,
} from './idempotency.ts'

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
})
afterAll(() => control.drop())

const response = (body: string) => ({ status: 201, contentType: 'application/json', body })

async function begin(request: IdempotentRequest): Promise<RequestRun> {
  const outcome = await beginRequest(control, request)
  if (outcome.kind !== 'run') throw new Error(`the request is ${outcome.kind}`)
  return outcome.run
}

/** Begins a request, and a repetition of it after the first run was silent for more than a minute. */
async function beginTwice() {
  const facts = { tokenId: randomUUID(), key: 'order-1', method: 'POST', path: '/v1/stores', body: new Uint8Array() }
  const request = idempotentRequest(facts)
  const replaced = await begin(request)
  const age = (seconds: number) => control.sql`
    update idempotency_keys set active_at = now() - make_interval(secs => ${seconds})
    where key_hash = ${request.keyHash}`
  await age(70)
  return { request, replaced, current: await begin(request), age }
}

test("if a retry takes over from a request that stopped sending heartbeats, only the retry's response is stored, even if that request completes", async () => {
  const { request, replaced, current } = await beginTwice()
  await completeRequest(control, replaced, response('replaced'))
  expect(await beginRequest(control, request)).toEqual({ kind: 'running' })
  await completeRequest(control, current, response('current'))
  const completed = { kind: 'completed', response: response('current') }
  expect(await beginRequest(control, request)).toEqual(completed)
  await completeRequest(control, replaced, response('replaced'))
  expect(await beginRequest(control, request)).toEqual(completed)
})

test('if a retry takes over from a request that stopped sending heartbeats, and that request fails, the retry still counts as running', async () => {
  const { request, replaced, current } = await beginTwice()
  await abandonRequest(control.database, replaced)
  expect(await beginRequest(control, request)).toEqual({ kind: 'running' })
  await abandonRequest(control.database, current)
  expect((await beginRequest(control, request)).kind).toBe('run')
})

test('if a retry stops sending heartbeats, the next retry takes over, even if the first request sends a heartbeat', async () => {
  const { request, replaced, current, age } = await beginTwice()
  await age(70)
  await keepRequest(control.database, current)
  expect(await beginRequest(control, request)).toEqual({ kind: 'running' })
  await age(70)
  await keepRequest(control.database, replaced)
  expect((await beginRequest(control, request)).kind).toBe('run')
})
