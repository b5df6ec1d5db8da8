import { expect, test } from 'vitest'
import type { ServiceEvent } from './events.ts'
import { RejectionSampler } from './rejection-sampler.ts'

const LIMITED = {
  event: 'request.completed',
  requestId: 'r',
  endpoint: '/api/v1/orders',
  method: 'GET',
  status: 429,
  code: 'RATE_LIMITED',
  durationMs: 1,
  rows: 0,
  bytes: 90,
  keyId: 'k1',
  storeId: 's1',
} as const satisfies ServiceEvent

test('if a key is rejected repeatedly for one reason, the log gets the first rejection and a count of the repetitions', () => {
  const sampler = new RejectionSampler()
  expect(sampler.isFirst(LIMITED)).toBe(true)
  for (let request = 0; request < 500; request++) expect(sampler.isFirst(LIMITED)).toBe(false)
  expect(sampler.isFirst({ ...LIMITED, keyId: 'k2' })).toBe(true)
  expect(sampler.isFirst({ ...LIMITED, status: 403, code: 'STORE_NOT_SUPPORTED' })).toBe(true)
  expect(sampler.takeSums()).toEqual([
    {
      event: 'rejections.summarized',
      of: 'request.completed',
      count: 500,
      seconds: 10,
      status: 429,
      code: 'RATE_LIMITED',
      keyId: 'k1',
      storeId: 's1',
    },
  ])
  expect(sampler.takeSums()).toEqual([])
  expect(sampler.isFirst(LIMITED)).toBe(true)
})

test('if requests without a valid key are rejected repeatedly, the log gets the first rejection for each reason and a count of the repetitions', () => {
  const sampler = new RejectionSampler()
  const refused = { event: 'key.rejected', requestId: 'r', reason: 'unknown' } as const
  const framing = { event: 'request.malformed', requestId: 'r', status: 400, code: 'HPE_INVALID_METHOD' } as const
  for (const event of [refused, framing])
    expect([1, 2, 3].map(() => sampler.isFirst(event))).toEqual([true, false, false])
  expect(sampler.takeSums()).toMatchObject([
    { of: 'key.rejected', reason: 'unknown', count: 2 },
    { of: 'request.malformed', code: 'HPE_INVALID_METHOD', count: 2 },
  ])
})

test('if responses with the status 200, 400, 404, or 502 repeat, the log gets every response', () => {
  const sampler = new RejectionSampler()
  for (const status of [200, 400, 404, 502])
    expect([1, 2].map(() => sampler.isFirst({ ...LIMITED, status }))).toEqual([true, true])
})

test('if more than 10,000 keys are rejected, the log gets a line for only the first 10,000 keys', () => {
  const sampler = new RejectionSampler()
  let logged = 0
  for (let key = 0; key < 10_100; key++) if (sampler.isFirst({ ...LIMITED, keyId: `k${key}` })) logged++
  expect(logged).toBe(10_000)
})
