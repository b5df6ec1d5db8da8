import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClient } from '../../../test/support/client.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { createLog } from '../../operator/src/log.ts'
import { exhaustKey } from './support/counters.ts'
import { filledStore } from './support/filled-store.ts'
import { type RawResponse, sendRequest } from './support/http.ts'
import { CORS, SPEC_ENDPOINTS, UNKNOWN_ID } from './support/spec-endpoints.ts'
import { storeWithoutDatabase } from './support/store-without-database.ts'

interface Case {
  readonly what: string
  readonly status: number
  readonly path: string
  readonly key: string | null
  readonly method?: string
}

let platform: TestPlatform
let store: TestStore
let cases: Case[]
beforeAll(async () => {
  platform = await startPlatform({ STORE_TIMEOUT_MS: '2000', COUNTS_MAX_AGE_SECONDS: '3600' })
  store = await filledStore(platform)
  const [imported, generating, gone] = await Promise.all([
    storeWithoutDatabase(platform, 'imported'),
    storeWithoutDatabase(platform, 'generating'),
    platform.provision(),
  ])
  const admin = openClient(platform.controlUrl)
  await admin.unsafe(`drop database "${new URL(gone.ownerUrl).pathname.slice(1)}" with (force)`)
  const spent = await platform.newKey(store.id)
  await exhaustKey(platform, spent.id)
  await admin.end()
  const { key } = store
  const ids = new Map<string, string>()
  for (const table of ['orders', 'customers', 'products']) {
    const [row] = await store.sql`select id::text from ${store.sql(table)} limit 1`
    ids.set(table, String(row?.id))
  }
  cases = [
    ...SPEC_ENDPOINTS.map(({ path, idOf }) => ({
      what: path,
      status: 200,
      path: path.replace('{id}', ids.get(idOf ?? '') ?? ''),
      key,
    })),
    { what: 'a page with a next one', status: 200, path: '/api/v1/orders?limit=250', key },
    { what: 'no key', status: 401, path: '/api/v1/orders', key: null },
    { what: 'limit', status: 400, path: '/api/v1/orders?limit=0', key },
    { what: 'cursor', status: 400, path: '/api/v1/orders?cursor=x', key },
    { what: 'id', status: 400, path: '/api/v1/orders/x', key },
    { what: 'imported', status: 403, path: '/api/v1/orders', key: imported.key },
    { what: 'generating', status: 409, path: '/api/v1/orders', key: generating.key },
    { what: 'row', status: 404, path: `/api/v1/orders/${UNKNOWN_ID}`, key },
    { what: 'path', status: 404, path: '/api/v1/nowhere', key },
    { what: 'method', status: 405, path: '/api/v1/orders', key, method: 'POST' },
    { what: 'method without a key', status: 401, path: '/api/v1/orders', key: null, method: 'OPTIONS' },
    { what: 'limited', status: 429, path: '/api/v1/orders', key: spent.key },
    { what: 'database', status: 502, path: '/api/v1/orders', key: gone.key },
  ]
})
afterAll(() => platform.close())

const send = ({ path, key, method = 'GET' }: Case, headers: Record<string, string> = {}): Promise<RawResponse> =>
  sendRequest(platform.service.url, {
    path,
    method,
    headers: key === null ? headers : { 'x-api-key': key, ...headers },
  })
const checkEveryCase = async (check: (response: RawResponse, each: Case) => void | Promise<void>): Promise<void> => {
  for (const each of cases) {
    const response = await send(each)
    expect([each.what, response.status]).toEqual([each.what, each.status])
    await check(response, each)
  }
}

describe('headers of responses with every status', () => {
  test('[R27] every response has Cache-Control "private, no-store", Vary "x-api-key, accept-encoding", and no ETag', async () => {
    await checkEveryCase(({ headers }, { what }) => {
      expect(headers['cache-control'], what).toBe('private, no-store')
      expect(headers.vary, what).toBe('x-api-key, accept-encoding')
      expect(headers.etag, what).toBeUndefined()
    })
  })

  test('[R27] every response has a content-length and is not chunked', async () => {
    await checkEveryCase(({ headers, body }, { what }) => {
      expect(headers['content-length'], what).toBe(String(body.length))
      expect(headers['transfer-encoding'], what).toBeUndefined()
      expect(body.length, what).toBeGreaterThan(2)
    })
  })

  test('[GEN-5] if a request has an Origin header, the response has no CORS header', async () => {
    for (const each of cases)
      for (const origin of ['https://shop.example', 'null', 'http://localhost']) {
        const { headers } = await send(each, { origin, 'sec-fetch-mode': 'cors' })
        expect(
          Object.keys(headers).filter((name) => CORS.test(name)),
          each.what,
        ).toEqual([])
      }
  })

  test('[GEN-1] every response is JSON, forbids content sniffing, and links to the API description', async () => {
    await checkEveryCase(({ headers, json }, { what }) => {
      expect(headers['content-type'], what).toBe('application/json; charset=utf-8')
      expect(headers['x-content-type-options'], what).toBe('nosniff')
      expect(headers.link, what).toContain('</openapi.json>; rel="service-desc"')
      expect(json, what).toBeTypeOf('object')
      expect(headers.server, what).toBeUndefined()
      expect(headers['x-powered-by'], what).toBeUndefined()
      expect(headers['set-cookie'], what).toBeUndefined()
    })
  })

  test('[R31] if the client sends no x-request-id, the response and the log have the same new, unique ID', async () => {
    const seen = new Set<string>()
    await checkEveryCase(({ headers }, { what }) => {
      const id = headers['x-request-id'] ?? ''
      expect(id, what).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      expect(platform.events, what).toContainEqual(
        expect.objectContaining({ event: 'request.completed', requestId: id }),
      )
      seen.add(id)
    })
    expect(seen.size).toBe(cases.length)
  })

  test('[R31] responses to requests with a valid key have the rate limit headers, and 401 responses have none', async () => {
    await checkEveryCase(({ headers, status }, { what }) => {
      if (status === 401)
        return expect(
          Object.keys(headers).filter((name) => name.startsWith('ratelimit')),
          what,
        ).toEqual([])
      expect(headers['ratelimit-policy'], what).toBe('"minute";q=100000;w=60')
      expect(headers.ratelimit, what).toMatch(/^"minute";r=\d+;t=([1-9]|[1-5]\d|60)$/)
      expect(headers['ratelimit-remaining'], what).toBe(/;r=(\d+);/.exec(headers.ratelimit ?? '')?.[1])
    })
  })

  test('[R46] only responses read from the store have x-store-schema and x-store-fields, and a single row has the x-store-fields of its list', async () => {
    const digests = new Map<string, Set<string>>()
    await checkEveryCase(({ headers, status }, { what, path }) => {
      const isRead = status === 200 || what === 'row'
      expect(headers['x-store-schema'], what).toBe(isRead ? 'v1.6' : undefined)
      if (!isRead) return expect(headers['x-store-fields'], what).toBeUndefined()
      expect(headers['x-store-fields'], what).toMatch(/^[0-9a-f]{16}$/)
      const resource = path.replace(/\/[0-9a-f-]{36}(?=$|\/)/, '').replace(/\?.*$/, '')
      digests.set(resource, (digests.get(resource) ?? new Set()).add(String(headers['x-store-fields'])))
    })
    // A list and its objects are read from the same columns.
    expect([...digests].filter(([, { size }]) => size > 1)).toEqual([])
    expect(digests.get('/api/v1/orders')).not.toEqual(digests.get('/api/v1/products'))
  })

  test('[R26, ERR-2, R41, R3] a 401 has www-authenticate, a 405 has allow, and a 409, 429, or 502 has retry-after', async () => {
    await checkEveryCase(({ headers, status }, { what }) => {
      const there = ['www-authenticate', 'retry-after', 'allow'].filter((name) => headers[name] !== undefined)
      const expected: Record<number, string[]> = {
        401: ['www-authenticate'],
        405: ['allow'],
        409: ['retry-after'],
        429: ['retry-after'],
        502: ['retry-after'],
      }
      expect(there, what).toEqual(expected[status] ?? [])
    })
  })
})

describe('[R44] request IDs and traces of the client', () => {
  const request = (headers: Record<string, string | string[]>) =>
    sendRequest(platform.service.url, { path: '/api/v1/store', headers: { 'x-api-key': store.key, ...headers } })
  const loggedLine = (id: string | undefined): Record<string, unknown> => {
    const lines: string[] = []
    const { handleEvent } = createLog({ level: 'info', to: { write: (line) => lines.push(line) } })
    for (const event of platform.events) if ('requestId' in event && event.requestId === id) handleEvent(event)
    return JSON.parse(lines[0] ?? '{}')
  }

  test.each([
    'mine',
    '7',
    '0HMVD33IIJRFR:00000001',
    'a/b+c_d.e-f',
    randomUUID(),
    randomBytes(16).toString('hex'),
    `${'a'.repeat(39)}.${'B'.repeat(39)}:${'0'.repeat(39)}/12345678`,
  ])('if the client sends x-request-id %s, the response and the log have this ID', async (id) => {
    const response = await request({ 'x-request-id': id })
    expect([response.status, response.headers['x-request-id']]).toEqual([200, id])
    expect(loggedLine(id)).toMatchObject({ event: 'request.completed', requestId: id })
  })

  test.each([
    ['is empty', ''],
    ['has 129 characters', 'a.'.repeat(64) + 1],
    ['has a space', 'a b'],
    ['is sent twice', ['a', 'b']],
    ['has quotes', '"a"'],
    ['has HTML', '<b>'],
    ['has a character that is not ASCII', 'é'],
    ['is an email address', 'ann@example.com'],
    ['has an API key', `id-sdx_${'a'.repeat(20)}`],
    ['has a part of an API key with another prefix', `a_${'a'.repeat(33)}`],
    ['looks like a random secret of 40 characters', 'Ab1_'.repeat(10)],
  ])('if x-request-id %s, the response and the log have a new UUID', async (_what, id) => {
    const { headers } = await request({ 'x-request-id': id })
    expect(headers['x-request-id']).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(loggedLine(headers['x-request-id'])).toMatchObject({ requestId: headers['x-request-id'] })
  })

  test('if a request gets 502, the events store.query_failed and request.completed have the x-request-id of the client', async () => {
    const failing = cases.find(({ what }) => what === 'database')
    if (failing === undefined) throw new Error('no such case')
    expect((await send(failing, { 'x-request-id': 'failing-1' })).headers['x-request-id']).toBe('failing-1')
    const named = platform.events.filter((event) => 'requestId' in event && event.requestId === 'failing-1')
    expect(named.map(({ event }) => event)).toEqual(expect.arrayContaining(['store.query_failed', 'request.completed']))
  })

  const [traceId, parentId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']

  test.each([`00-${traceId}-${parentId}-01`, `00-${traceId}-${parentId}-00`, `01-${traceId}-${parentId}-01-new`])(
    'if the client sends traceparent %s, the response and the log have the trace ID of the client',
    async (traceparent) => {
      const { headers } = await request({ traceparent })
      expect(headers.traceparent).toBe(`00-${traceId}-${parentId}-${traceparent.slice(53, 55)}`)
      expect(loggedLine(headers['x-request-id'])).toMatchObject({ traceId, parentId })
    },
  )

  test.each([
    '',
    'x',
    `00-${traceId}-${parentId}`,
    `00-${traceId}-${parentId}-01-new`,
    `ff-${traceId}-${parentId}-01`,
    `00-${traceId.toUpperCase()}-${parentId}-01`,
    `00-${'0'.repeat(32)}-${parentId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    [`00-${traceId}-${parentId}-01`, `00-${traceId}-${parentId}-01`],
  ])(
    'if the client sends the invalid traceparent %j, the response and the log have no trace ID',
    async (traceparent) => {
      const { headers } = await request({ traceparent })
      expect(headers.traceparent).toBeUndefined()
      expect(loggedLine(headers['x-request-id'])).toMatchObject({ event: 'request.completed' })
      expect(loggedLine(headers['x-request-id'])).not.toHaveProperty('traceId')
    },
  )
})

describe('[R31] the header link', () => {
  const linksOf = ({ headers }: RawResponse): Record<string, string> =>
    Object.fromEntries(
      [...(headers.link ?? '').matchAll(/<([^>]*)>; rel="([^"]+)"/g)].map(([, target, rel]) => [rel, String(target)]),
    )
  const get = (path: string) => send({ what: path, status: 200, path, key: store.key })

  test('if a response is an error, its link header leads to the page of the error code', async () => {
    await checkEveryCase(async (response, { what }) => {
      const { help } = linksOf(response)
      expect(help, what).toBe(response.status === 200 ? undefined : `/errors/${response.json.error.code}`)
      if (help !== undefined) expect((await sendRequest(platform.service.url, { path: help })).status, what).toBe(200)
    })
  })

  test('if a page is not the last, its link header leads to the next page with the same filters', async () => {
    const since = encodeURIComponent('2001-01-01T00:00:00+02:00')
    for (const list of SPEC_ENDPOINTS.filter(({ parameters }) => parameters.includes('cursor'))) {
      const filters = list.parameters.includes('updated_since') ? `&updated_since=${since}` : ''
      const query = list.parameters.includes('limit') ? `?limit=7${filters}&x=1` : ''
      const seen: string[] = []
      let pages = 0
      for (let path: string | undefined = list.path + query; path !== undefined; pages += 1) {
        const response = await get(path)
        seen.push(...response.json.data.map(({ id }: { id: string }) => id))
        const { next } = linksOf(response)
        const { next_cursor: cursor } = response.json.meta
        const kept = query.replace('?', '').replace('&x=1', '')
        const expected = `${list.path}?${kept === '' ? '' : `${kept}&`}cursor=${cursor}`
        expect(next, path).toBe(cursor === null ? undefined : expected)
        path = next
      }
      const whole = await get(list.path.includes('/ids/') ? list.path : `${list.path}?limit=250`)
      expect(seen.slice(0, 250), list.path).toEqual(whole.json.data.slice(0, 250).map(({ id }: { id: string }) => id))
      if (list.path === '/api/v1/orders') expect([new Set(seen).size, pages]).toEqual([260, 38])
    }
  })

  test('if the URL has ignored parameters, the link to the next page has only the limit, the filters, and one cursor', async () => {
    const first = await get('/api/v1/orders?status=paid&x=%3E%0D%0A&limit=1')
    const second = await get(String(linksOf(first).next))
    expect(second.status).toBe(200)
    expect(linksOf(second).next).toBe(`/api/v1/orders?limit=1&status=paid&cursor=${second.json.meta.next_cursor}`)
  })
})

describe('[R4] HEAD requests', () => {
  /** Returns the case with a cursor, because the watermark of a first page differs with each request. */
  const repeatable = async (each: Case): Promise<Case> => {
    const cursor = /"next_cursor":"([\w-]+)"/.exec(String((await send(each)).body))?.[1]
    return cursor === undefined ? each : { ...each, path: `${each.path.split('?')[0]}?cursor=${cursor}` }
  }

  // The values of these headers change with each response.
  const VARYING = ['date', 'x-request-id', 'ratelimit', 'ratelimit-remaining', 'x-sync-watermark']

  test('if the method is HEAD, the response has the status and headers of GET and no body', async () => {
    for (const listed of cases.filter(({ method }) => method === undefined)) {
      const each = await repeatable(listed)
      for (const headers of [{}, { 'accept-encoding': 'br' }, { 'accept-encoding': 'gzip' }]) {
        const [got, head] = [await send(each, headers), await send({ ...each, method: 'HEAD' }, headers)]
        const comparable = (response: RawResponse) =>
          Object.entries(response.headers).filter(([name]) => !VARYING.includes(name))
        expect(head.status, each.what).toBe(got.status)
        expect(comparable(head), each.what).toEqual(
          comparable(got).map(([name, value]) => (name === 'retry-after' ? [name, head.headers[name]] : [name, value])),
        )
        expect(head.body, each.what).toHaveLength(0)
        expect(head.headers['content-length'], each.what).toBe(String(got.body.length))
      }
    }
  })
})

test('if request headers have invalid or hostile values, no response header repeats these values', async () => {
  const headers = {
    'x-request-id': 'evil mine',
    traceparent: 'evil',
    'x-forwarded-host': 'evil.example',
    forwarded: 'host=evil.example',
    host: 'evil.example',
  }
  const response = await sendRequest(platform.service.url, {
    path: '/api/v1/store',
    headers: { ...headers, 'x-api-key': store.key },
  })
  expect(JSON.stringify(response.headers)).not.toMatch(/evil|mine/)
})
