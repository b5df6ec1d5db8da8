import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClient } from '../../../test/support/client.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { exhaustKey } from './support/counters.ts'
import { filledStore } from './support/filled-store.ts'
import { type RawResponse, sendRequest } from './support/http.ts'
import { CORS, pathsWith, SPEC_BY_ID, SPEC_ENDPOINTS, UNKNOWN_ID } from './support/spec-endpoints.ts'
import { storeWithoutDatabase } from './support/store-without-database.ts'

const CODES: Readonly<Record<string, number>> = {
  INVALID_API_KEY: 401,
  STORE_NOT_SUPPORTED: 403,
  STORE_NOT_READY: 409,
  INVALID_PARAM: 400,
  INVALID_CURSOR: 400,
  NOT_FOUND: 404,
  RATE_LIMITED: 429,
  STORE_DB_ERROR: 502,
}

let platform: TestPlatform
let store: TestStore
let other: TestStore
let imported: { key: string }
let generating: { key: string }
beforeAll(async () => {
  platform = await startPlatform({ STORE_TIMEOUT_MS: '2000' })
  const size = { orders: 8, customers: 6, products: 5, locations: 1, groups: 1 }
  ;[store, other] = await Promise.all([filledStore(platform, LATEST_REVISION, size), platform.provision()])
  ;[imported, generating] = await Promise.all([
    storeWithoutDatabase(platform, 'imported'),
    storeWithoutDatabase(platform, 'generating'),
  ])
})
afterAll(() => platform.close())

const sendWithKey = (path: string, key: string | null, method = 'GET'): Promise<RawResponse> =>
  sendRequest(platform.service.url, { path, method, headers: key === null ? {} : { 'x-api-key': key } })

/** Expects an error in the specified form, without a CORS header. */
function expectError({ status, headers, json }: RawResponse, code: string, expected = CODES[code]): void {
  expect([status, Object.keys(json), Object.keys(json.error), json.error.code]).toEqual([
    expected,
    ['error'],
    ['code', 'message'],
    code,
  ])
  expect(json.error.message.length).toBeGreaterThan(10)
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  expect(Object.keys(headers).filter((name) => CORS.test(name))).toEqual([])
}

describe('[ENV-3, ERR-1, GEN-5] errors of every endpoint', () => {
  test.each(pathsWith(UNKNOWN_ID))(
    '[GEN-4, AUTH-7] if the store of a key is imported, %s returns 403',
    async (path) => {
      expectError(await sendWithKey(path, imported.key), 'STORE_NOT_SUPPORTED')
    },
  )

  test.each(pathsWith(UNKNOWN_ID))(
    '[AUTH-7, R41] if the store of a key is being generated, %s returns 409 with Retry-After',
    async (path) => {
      const response = await sendWithKey(path, generating.key)
      expectError(response, 'STORE_NOT_READY')
      expect(response.headers['retry-after']).toBe('30')
    },
  )

  test.each(pathsWith(UNKNOWN_ID))('if a request has no key, %s returns 401', async (path) => {
    expectError(await sendWithKey(path, null), 'INVALID_API_KEY')
  })

  test.each(pathsWith(UNKNOWN_ID))(
    '[GEN-1, R3] if the method of a request is not GET or HEAD, %s returns 405',
    async (path) => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
        const response = await sendWithKey(path, store.key, method)
        expectError(response, 'NOT_FOUND', 405)
        expect(response.headers.allow).toBe('GET, HEAD')
        expect(response.json.error.message).toBe('read-only: use GET')
      }
    },
  )
})

test('[AUTH-7, GEN-4] if the origin or state of a store changes, the next request gets the status for the new values: 200, 403, or 409', async () => {
  const { id, key } = await platform.provision('launch')
  const sql = platform.controlSql
  for (const [origin, state, status] of [
    ['generated', 'ready', 200],
    ['generated', 'generating', 409],
    ['imported', 'ready', 403],
    ['imported', 'generating', 403],
    ['generated', 'ready', 200],
  ] as const) {
    await sql`update stores set origin = ${origin}, state = ${state} where id = ${id}`
    expect([origin, state, (await sendWithKey('/api/v1/store', key)).status]).toEqual([origin, state, status])
  }
})

test('[GEN-5, R3] a CORS preflight request gets 401, and neither this response nor a successful cross-origin response has CORS headers', async () => {
  const headers = {
    origin: 'https://shop.example',
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'x-api-key',
  }
  const preflight = await sendRequest(platform.service.url, { method: 'OPTIONS', path: '/api/v1/orders', headers })
  expectError(preflight, 'INVALID_API_KEY')
  const simple = await sendRequest(platform.service.url, {
    path: '/api/v1/store',
    headers: { ...headers, 'x-api-key': store.key },
  })
  expect(simple.status).toBe(200)
  expect(Object.keys(simple.headers).filter((name) => CORS.test(name))).toEqual([])
})

describe('[R2, VER-1] unknown paths', () => {
  test.each([
    ...['/api', '/api/v1', '/api/v1/', '/api/v2/orders', '/api/v1/orders/', '/api/v1/ORDERS', '/API/v1/orders'],
    ...[
      '/api/v1/order_items',
      '/api/v1/variants',
      `/api/v1/orders/${UNKNOWN_ID}/items`,
      '/orders',
      '/favicon.ico',
      '/metrics',
    ],
    ...[
      '/api/v1//orders',
      '/api/v1/orders%2F',
      '/api/v1/./orders',
      '/healthz',
      `/api/v1/customer-addresses/${UNKNOWN_ID}`,
    ],
  ])('a request for the unknown path %s gets 404 if it has a key, and 401 if it has none', async (path) => {
    expectError(await sendWithKey(path, store.key), 'NOT_FOUND')
    expectError(await sendWithKey(path, null), 'INVALID_API_KEY')
  })
})

test('[R2] if an unknown path is similar to an endpoint, the message of the 404 suggests that endpoint', async () => {
  const messageOf = async (path: string) => (await sendWithKey(path, store.key)).json.error.message
  expect(await messageOf('/orders/')).toBe('no such path; did you mean /api/v1/orders? The reference is at /docs')
  expect(await messageOf('/api/v1/customer_groups')).toContain('did you mean /api/v1/customer-groups?')
  expect(await messageOf('/api/v1/nowhere')).toBe('no such path; the reference is at /docs')
})

describe('[EP-ID-INVALID, R24] invalid IDs', () => {
  test.each(SPEC_BY_ID.map(({ path }) => path))(
    'if the ID in the path is not a canonical UUID, %s returns 400',
    async (path) => {
      for (const id of [
        ...[
          '1',
          'abc',
          '%20',
          "'",
          '%27%20or%201=1',
          `%7B${UNKNOWN_ID}%7D`,
          `urn:uuid:${UNKNOWN_ID}`,
          UNKNOWN_ID.replaceAll('-', ''),
        ],
        ...[
          `${UNKNOWN_ID}0`,
          UNKNOWN_ID.slice(1),
          UNKNOWN_ID.replace('4', 'g'),
          `${UNKNOWN_ID}%00`,
          '%ff',
          '%',
          '%F0%9F%98%80',
          'x'.repeat(2000),
        ],
      ]) {
        const response = await sendWithKey(path.replace('{id}', id), store.key)
        expectError(response, 'INVALID_PARAM')
        expect(response.json.error.message).toMatch(/^id: must be a UUID/)
        expect(response.json.error.message.length).toBeLessThan(250)
      }
    },
  )
})

describe('[EP-ID-MISSING, GEN-2] IDs without a row', () => {
  test.each(SPEC_BY_ID.map(({ path, idOf }) => [path, idOf ?? 'orders'] as const))(
    'if the ID in the path is unknown or belongs to a row of another store, %s returns 404',
    async (path, table) => {
      const [row] = await store.sql`select id::text from ${store.sql(table)} limit 1`
      const mine = path.replace('{id}', String(row?.id))
      expect((await sendWithKey(mine, store.key)).status).toBe(200)
      expectError(await sendWithKey(mine, other.key), 'NOT_FOUND')
      expectError(await sendWithKey(path.replace('{id}', UNKNOWN_ID), store.key), 'NOT_FOUND')
    },
  )
})

describe('[R6] the order of checks', () => {
  const orders = '/api/v1/orders'
  test.each([
    [
      'no key and an unknown path, the response is 401 and not 404',
      null,
      '/api/v1/nowhere',
      'GET',
      'INVALID_API_KEY',
      401,
    ],
    ['no key and the method DELETE, the response is 401 and not 405', null, orders, 'DELETE', 'INVALID_API_KEY', 401],
    [
      'no key and an invalid limit, the response is 401 and not 400',
      null,
      `${orders}?limit=0`,
      'GET',
      'INVALID_API_KEY',
      401,
    ],
    [
      'the key of an imported store and an unknown path, the response is 403 and not 404',
      'imported',
      '/api/v1/nowhere',
      'GET',
      'STORE_NOT_SUPPORTED',
      403,
    ],
    [
      'the key of an imported store and the method POST, the response is 403 and not 405',
      'imported',
      orders,
      'POST',
      'STORE_NOT_SUPPORTED',
      403,
    ],
    [
      'the key of an imported store and an invalid limit, the response is 403 and not 400',
      'imported',
      `${orders}?limit=0`,
      'GET',
      'STORE_NOT_SUPPORTED',
      403,
    ],
    [
      'the key of an imported store and an invalid ID, the response is 403 and not 400',
      'imported',
      `${orders}/x`,
      'GET',
      'STORE_NOT_SUPPORTED',
      403,
    ],
    [
      'the key of a store being generated and an unknown path, the response is 409 and not 404',
      'generating',
      '/api/v1/nowhere',
      'GET',
      'STORE_NOT_READY',
      409,
    ],
    [
      'the key of a store being generated and the method PATCH, the response is 409 and not 405',
      'generating',
      orders,
      'PATCH',
      'STORE_NOT_READY',
      409,
    ],
    [
      'the key of a store being generated and an invalid cursor, the response is 409 and not 400',
      'generating',
      `${orders}?cursor=x`,
      'GET',
      'STORE_NOT_READY',
      409,
    ],
    [
      'an unknown path and the method POST, the response is 404 and not 405',
      'store',
      '/api/v1/nowhere',
      'POST',
      'NOT_FOUND',
      404,
    ],
    [
      'an unknown path and an invalid limit, the response is 404 and not 400',
      'store',
      '/api/v1/nowhere?limit=0',
      'GET',
      'NOT_FOUND',
      404,
    ],
    [
      'the method PUT and an invalid limit, the response is 405 and not 400',
      'store',
      `${orders}?limit=0`,
      'PUT',
      'NOT_FOUND',
      405,
    ],
    [
      'the method PUT and an invalid ID, the response is 405 and not 400',
      'store',
      `${orders}/x`,
      'PUT',
      'NOT_FOUND',
      405,
    ],
    [
      'the method DELETE and an ID that no order has, the response is 405 and not 404',
      'store',
      `${orders}/${UNKNOWN_ID}`,
      'DELETE',
      'NOT_FOUND',
      405,
    ],
    [
      'an invalid cursor and an invalid limit, the response is 400 with INVALID_PARAM and not INVALID_CURSOR',
      'store',
      `${orders}?cursor=x&limit=0`,
      'GET',
      'INVALID_PARAM',
      400,
    ],
    [
      'an invalid limit and its store database is missing, the response is 400 and not 502',
      'broken',
      `${orders}?limit=0`,
      'GET',
      'INVALID_PARAM',
      400,
    ],
    [
      'an invalid cursor and its store database is missing, the response is 400 and not 502',
      'broken',
      `${orders}?cursor=x`,
      'GET',
      'INVALID_CURSOR',
      400,
    ],
    [
      'an invalid ID and its store database is missing, the response is 400 and not 502',
      'broken',
      `${orders}/x`,
      'GET',
      'INVALID_PARAM',
      400,
    ],
    [
      'the method POST and its store database is missing, the response is 405 and not 502',
      'broken',
      orders,
      'POST',
      'NOT_FOUND',
      405,
    ],
    [
      'an unknown path and its store database is missing, the response is 404 and not 502',
      'broken',
      '/api/v1/nowhere',
      'GET',
      'NOT_FOUND',
      404,
    ],
  ] as const)('if a request has %s', async (...[, whose, path, method, code, status]) => {
    const keys = { store, imported, generating, broken: await brokenStore() }
    expectError(await sendWithKey(path, whose === null ? null : keys[whose].key, method), code, status)
  })

  test('if a key is above its rate limit, the response is 429, even for an unknown path, POST, or an invalid parameter', async () => {
    const limited = await startPlatform({ REQUESTS_PER_MINUTE: '1' })
    const keys = await Promise.all([
      storeWithoutDatabase(limited, 'imported'),
      storeWithoutDatabase(limited, 'generating'),
      limited.provision(),
    ])
    const made = await limited.controlSql<{ id: string }[]>`select id from api_keys`
    for (const { id } of made) await exhaustKey(limited, id)
    for (const { key } of keys) {
      for (const [method, path] of [
        ['GET', '/api/v1/store'],
        ['GET', '/api/v1/nowhere'],
        ['POST', '/api/v1/orders'],
        ['GET', '/api/v1/orders?limit=0'],
        ['GET', '/api/v1/orders/x'],
      ] as const)
        expectError(
          await sendRequest(limited.service.url, { method, path, headers: { 'x-api-key': key } }),
          'RATE_LIMITED',
        )
    }
    expectError(await sendRequest(limited.service.url, { path: '/', method: 'PUT' }), 'NOT_FOUND', 405)
    await limited.close()
  })

  let broken: TestStore | undefined
  async function brokenStore(): Promise<TestStore> {
    if (broken !== undefined) return broken
    broken = await platform.provision('launch')
    await drop(broken)
    return broken
  }
})

async function drop({ ownerUrl }: TestStore): Promise<void> {
  const admin = openClient(platform.controlUrl)
  await admin.unsafe(`drop database "${new URL(ownerUrl).pathname.slice(1)}" with (force)`)
  await admin.end()
}

describe('[ERR-3] an unreachable store database', () => {
  test('if the database of one store is missing, every endpoint returns 502 for this store, and GET /store returns 200 for another store', async () => {
    const gone = await platform.provision()
    expect((await sendWithKey('/api/v1/store', gone.key)).status).toBe(200)
    await drop(gone)
    for (const { path } of SPEC_ENDPOINTS) {
      expectError(await sendWithKey(path.replace('{id}', UNKNOWN_ID), gone.key), 'STORE_DB_ERROR')
      expect((await sendWithKey('/api/v1/store', store.key)).status).toBe(200)
    }
  })

  test('if the database of a store is missing, the message of the 502 does not reveal the cause', async () => {
    const gone = await platform.provision()
    await drop(gone)
    const { text, headers } = await sendWithKey('/api/v1/orders', gone.key)
    expect(headers['retry-after'], '[R41]').toMatch(/^[1-5]$/)
    expect(text).toBe(
      '{"error":{"code":"STORE_DB_ERROR","message":"the store database could not be read; try again after the number of seconds in the header Retry-After, with exponential backoff"}}',
    )
  })
})

test('[R5] if the control database is down, requests with a key get 502, and requests without a key still get 401', async () => {
  const alone = await startPlatform({ STORE_TIMEOUT_MS: '500' })
  const { key } = await alone.provision()
  const admin = openClient(platform.controlUrl)
  const name = new URL(alone.controlUrl).pathname.slice(1)
  await admin.unsafe(`alter database "${name}" allow_connections false`)
  await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
  const path = '/api/v1/store'
  const { url } = alone.service
  for (const _attempt of [1, 2]) {
    const response = await sendRequest(url, { path, headers: { 'x-api-key': key } })
    expectError(response, 'STORE_DB_ERROR')
    expect(response.json.error.message).toMatch(/^the service could not check the API key, because its own database /)
    expect(response.headers['retry-after'], '[R41]').toMatch(/^[1-5]$/)
  }
  expectError(await sendRequest(url, { path }), 'INVALID_API_KEY')
  expect((await sendRequest(url, { path: '/openapi.json' })).status).toBe(200)
  expect(alone.events.some(({ event }) => event === 'control.query_failed')).toBe(true)
  await admin.unsafe(`alter database "${name}" allow_connections true`)
  const responses = [
    await sendRequest(url, { path, headers: { 'x-api-key': key } }),
    await sendRequest(url, { path, headers: { 'x-api-key': key } }),
  ]
  expect(responses.at(-1)?.status, '[ERR-3] it recovers by itself').toBe(200)
  await admin.end()
  await alone.close()
})
