import { revokeKey } from '@store-export/control'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  get,
  startPlatform,
  type TestPlatform,
  type TestResponse,
  type TestStore,
} from '../../../test/support/platform.ts'
import { endMinute, exhaustKey, requestsCounted } from './support/counters.ts'
import { sendRequest } from './support/http.ts'
import { pathsWith, UNKNOWN_ID } from './support/spec-endpoints.ts'
import { startNode } from './support/start-node.ts'
import { storeWithoutDatabase } from './support/store-without-database.ts'

const LIMIT = 6
let platform: TestPlatform
let store: TestStore
beforeAll(async () => {
  platform = await startPlatform({ REQUESTS_PER_MINUTE: String(LIMIT) })
  store = await platform.provision()
})
afterAll(() => platform.close())

const minuteNow = async (): Promise<string> => {
  const [row] = await platform.controlSql`select date_trunc('minute', clock_timestamp())::text as minute`
  return String(row?.minute)
}

/** Runs `work` within a one-minute window. If a new minute begins, it runs again with a new key. */
async function withinAMinute(storeId: string, work: (key: string) => Promise<void>): Promise<void> {
  for (;;) {
    const { id, key } = await platform.newKey(storeId)
    const before = await minuteNow()
    let failure: unknown
    await work(key).catch((error: unknown) => {
      failure = error
    })
    const after = await minuteNow()
    await revokeKey({ database: platform.service.control, keyId: id })
    if (before !== after) continue
    if (failure !== undefined) throw failure
    return
  }
}

const statuses = async (count: number, ask: () => Promise<{ status: number }>): Promise<number[]> => {
  const found: number[] = []
  for (let index = 0; index < count; index += 1) found.push((await ask()).status)
  return found
}

test('[LIM-1, ERR-2] if a key is above its rate limit, the response is 429 with Retry-After and the rate limit headers', async () => {
  await withinAMinute(store.id, async (key) => {
    const responses: TestResponse[] = []
    for (let index = 0; index < LIMIT + 2; index += 1) responses.push(await platform.get('/api/v1/store', key))
    expect(responses.map(({ status }) => status)).toEqual([...Array(LIMIT).fill(200), 429, 429])
    expect(responses.map(({ headers }) => /r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])).toEqual(
      [5, 4, 3, 2, 1, 0, 0, 0].map(String),
    )
    const rejected = responses[LIMIT]
    expect(rejected?.json.error.code).toBe('RATE_LIMITED')
    expect(Object.keys(rejected?.json.error)).toEqual(['code', 'message'])
    const wait = rejected?.headers.get('retry-after') ?? ''
    expect(wait).toMatch(/^[1-9][0-9]?$/)
    expect(Number(wait)).toBeLessThanOrEqual(60)
    expect(rejected?.headers.get('ratelimit')).toBe(`"minute";r=0;t=${wait}`)
    expect(rejected?.headers.get('ratelimit-policy')).toBe(`"minute";q=${LIMIT};w=60`)
    expect(rejected?.json.error.message).toContain(`${LIMIT} requests`)
  })
})

test('[LIM-1, R6] if a request gets 429, the event request.completed and the request log name the requested endpoint', async () => {
  const { id, key } = await platform.newKey(store.id)
  await exhaustKey(platform, id)
  platform.events.length = 0
  const statusOf = async (path: string, of: string) =>
    (await sendRequest(platform.service.url, { path, headers: { 'x-api-key': of } })).status
  for (const path of ['/api/v1/orders', `/api/v1/orders/${UNKNOWN_ID}`, '/api/v1/nowhere'])
    expect(await statusOf(path, key)).toBe(429)
  expect(await statusOf('/api/v1/products', 'sdx_x')).toBe(401)
  const endpoints = platform.events.flatMap((each) =>
    each.event === 'request.completed' ? [`${each.endpoint} ${each.status}`] : [],
  )
  expect(endpoints).toEqual(['/api/v1/orders 429', '/api/v1/orders/{id} 429', 'unknown 429', '/api/v1/products 401'])
  await expect
    .poll(() => platform.controlSql`select endpoint from request_log where key_id = ${id} order by 1`.values())
    .toEqual([['/api/v1/orders'], ['/api/v1/orders/{id}'], ['unknown']])
})

test("[R8] if a key is above its rate limit, Retry-After is the time until the next minute of the control database's clock", async () => {
  await withinAMinute(store.id, async (key) => {
    for (let index = 0; index < LIMIT; index += 1) await platform.get('/api/v1/store', key)
    const secondsLeft = async () => {
      const [row] = await platform.controlSql`select 60 - extract(second from clock_timestamp())::float8 as left`
      return Number(row?.left)
    }
    const before = await secondsLeft()
    const response = await platform.get('/api/v1/store', key)
    const after = await secondsLeft()
    const wait = Number(response.headers.get('retry-after'))
    expect(wait).toBeGreaterThanOrEqual(Math.max(1, Math.floor(after)))
    expect(wait).toBeLessThanOrEqual(Math.ceil(before))
  })
})

test('[R8] if a key exceeds its rate limit, its full limit is available again in the next minute', async () => {
  await withinAMinute(store.id, async (key) => {
    expect((await statuses(LIMIT + 1, () => platform.get('/api/v1/store', key))).at(-1)).toBe(429)
    await endMinute(platform)
    expect(await statuses(LIMIT + 1, () => platform.get('/api/v1/store', key))).toEqual([
      ...Array(LIMIT).fill(200),
      429,
    ])
  })
})

describe('[R7] requests that the rate limit counts', () => {
  test('if a key is valid, each of its requests with status 200, 400, 404, or 405 counts toward the rate limit', async () => {
    await withinAMinute(store.id, async (key) => {
      const { url } = platform.service
      const headers = { 'x-api-key': key }
      const spend = [
        () => sendRequest(url, { path: '/api/v1/nowhere', headers }),
        () => sendRequest(url, { path: '/api/v1/orders?limit=0', headers }),
        () => sendRequest(url, { path: `/api/v1/orders/${UNKNOWN_ID}`, headers }),
        () => sendRequest(url, { method: 'POST', path: '/api/v1/orders', headers }),
        () => sendRequest(url, { method: 'HEAD', path: '/api/v1/orders', headers }),
        () => sendRequest(url, { path: '/api/v1/orders', headers }),
      ]
      const found: number[] = []
      for (const each of spend) found.push((await each()).status)
      expect(found).toEqual([404, 400, 404, 405, 200, 200])
      expect((await platform.get('/api/v1/store', key)).status).toBe(429)
    })
  })

  test('if a request gets 429, this request still counts toward the rate limit', async () => {
    await withinAMinute(store.id, async (key) => {
      await statuses(LIMIT + 5, () => platform.get('/api/v1/store', key))
      expect(await requestsCounted(platform)).toBeGreaterThanOrEqual(LIMIT + 5)
    })
  })

  test('requests with an invalid key and requests for a public document do not count toward the rate limit', async () => {
    await withinAMinute(store.id, async (key) => {
      for (let index = 0; index < LIMIT; index += 1) {
        await platform.get('/api/v1/store', `${key}x`)
        await sendRequest(platform.service.url, { path: '/api/v1/store', headers: { 'x-api-key': [key, key] } })
        await platform.get('/openapi.json', key)
      }
      expect(await statuses(LIMIT + 1, () => platform.get('/api/v1/store', key))).toEqual([
        ...Array(LIMIT).fill(200),
        429,
      ])
    })
  })

  test('if a request gets 403 or 409, this request still counts toward the rate limit', async () => {
    for (const [kind, status] of [
      ['imported', 403],
      ['generating', 409],
    ] as const) {
      const { id } = await storeWithoutDatabase(platform, kind)
      await withinAMinute(id, async (key) => {
        expect(await statuses(LIMIT + 1, () => platform.get('/api/v1/store', key))).toEqual([
          ...Array(LIMIT).fill(status),
          429,
        ])
      })
    }
  })

  test('if a store has several keys, requests with one key do not count toward the rate limits of the other keys', async () => {
    await withinAMinute(store.id, async (key) => {
      await statuses(LIMIT + 1, () => platform.get('/api/v1/store', key))
      await withinAMinute(store.id, async (second) => {
        expect((await platform.get('/api/v1/store', second)).status).toBe(200)
      })
    })
  })
})

test('[LIM-1, ERR-2] if a key is above its rate limit, every endpoint returns 429 with Retry-After', async () => {
  await withinAMinute(store.id, async (key) => {
    await statuses(LIMIT, () => platform.get('/api/v1/store', key))
    for (const path of pathsWith(UNKNOWN_ID)) {
      const response = await platform.get(path, key)
      expect([path, response.status, response.json.error.code]).toEqual([path, 429, 'RATE_LIMITED'])
      expect(response.headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/)
    }
  })
})

test('[LIM-1] if the rate limit is 120 and a key sends 150 requests to two nodes, exactly 120 get 200 and 30 get 429', async () => {
  const nodes = await Promise.all([1, 2].map(() => startNode(platform, { REQUESTS_PER_MINUTE: '120' })))
  await withinAMinute(store.id, async (key) => {
    const found: number[] = []
    // As many simultaneous requests as the queue of a store holds, and more than there are connections.
    const walk = async (url: string) => {
      for (let index = 0; index < 5; index += 1) found.push((await get(`${url}/api/v1/store`, key)).status)
    }
    await Promise.all(Array.from({ length: 30 }, (_, index) => walk(nodes[index % 2]?.url ?? '')))
    expect(found.filter((status) => status === 200)).toHaveLength(120)
    expect(found.filter((status) => status === 429)).toHaveLength(30)
  })
  await Promise.all(nodes.map((node) => node.close()))
})

test('[LIM-2] if the settings have their defaults, limit=250 is accepted, and the rate limit is 120 requests per minute', async () => {
  const fresh = await startPlatform({ REQUESTS_PER_MINUTE: '' })
  const { key } = await fresh.provision()
  const response = await fresh.get('/api/v1/orders?limit=250', key)
  await fresh.close()
  expect(response.status).toBe(200)
  expect(response.headers.get('ratelimit-policy')).toBe('"minute";q=120;w=60')
  expect(response.headers.get('ratelimit')).toMatch(/^"minute";r=119;t=\d+$/)
})
