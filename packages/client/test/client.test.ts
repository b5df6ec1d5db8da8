import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import {
  AddressError,
  type ClientOptions,
  type ClientPause,
  ConnectionError,
  IgnoredParameterError,
  type PagedList,
  type ResponseInfo,
  StoreExportClient,
  StoreExportError,
} from '../src/index.ts'
import { type ProxyFailure, startFaultyProxy } from './support/faulty-proxy.ts'

let platform: TestPlatform
let store: TestStore
beforeAll(async () => {
  platform = await startPlatform()
  store = await platform.provision()
  await store.sql`
    insert into customers (id, email, created_at, updated_at)
    select gen_random_uuid(), 'c' || n || '@example.com', timestamptz '2026-01-01' + n * interval '1 hour', now()
    from generate_series(1, 620) n`
  await store.sql`
    insert into orders (id, email, status, subtotal, tax, shipping, total, created_at, updated_at)
    select gen_random_uuid(), 'o@example.com', case when n % 2 = 0 then 'paid' else 'pending' end, 10, 0, 0, 10.50,
      timestamptz '2026-01-01' + n * interval '1 hour', timestamptz '2026-02-01' + n * interval '1 hour'
    from generate_series(1, 20) n`
})
afterAll(() => platform.close())

/** Starts a client behind a faulty proxy. The client's pauses are recorded and take no time. */
async function startClient(failures: readonly ProxyFailure[] = [], options: Partial<ClientOptions> = {}) {
  const proxy = await startFaultyProxy(platform.service.url, failures)
  const pauses: ClientPause[] = []
  let waited = 0
  const client = new StoreExportClient({
    url: proxy.url,
    key: store.key,
    onPause: (pause) => pauses.push(pause),
    sleep: async (ms, signal) => {
      signal?.throwIfAborted()
      waited += ms
    },
    now: () => performance.now() + waited,
    random: () => 1,
    ...options,
  })
  return { client, proxy, pauses }
}

/**
 * Returns a fetch that replaces the digest in each response. If `digestOf` returns null, the header is absent, as from
 * an older service.
 */
function fetchWithFields(digestOf: (url: URL) => string | null): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await globalThis.fetch(input, init)
    const headers = new Headers(response.headers)
    const digest = digestOf(new URL(String(input)))
    if (digest === null) headers.delete('x-store-fields')
    else headers.set('x-store-fields', digest)
    // fetch has already decompressed the body.
    headers.delete('content-encoding')
    return new Response(response.body, { status: response.status, headers })
  }
}

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = []
  for await (const row of rows) read.push(row)
  return read
}

describe('methods of the client', () => {
  test('list methods return every row of the store, and get methods return one row or throw NOT_FOUND', async () => {
    const { client } = await startClient()
    expect((await client.store.get()).id).toBe(store.id)
    const customers = await all(client.customers.list())
    expect(customers).toHaveLength(620)
    expect(new Set(customers.map(({ id }) => id)).size).toBe(620)
    const [first] = customers
    expect(await client.customers.get(first?.id ?? '')).toEqual(first)
    expect(await client.customers.addresses(first?.id ?? '')).toEqual([])
    const lists = [
      client.products,
      client.categories,
      client.locations,
      client.customerGroups,
      client.customerAddresses,
    ]
    for (const list of lists) expect(await all<unknown>(list.list())).toEqual([])
    for (const list of [client.products, client.categories, client.locations, client.customerGroups])
      expect(await all(list.ids())).toEqual([])
    const [order] = await all(client.orders.list({ status: 'paid' }))
    expect((await client.orders.get(order?.id ?? '')).total).toBe('10.50')
    await expect(client.products.get(store.id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('if a list has several pages, the client requests 250 rows per page by default and sends the filters of the call with every page', async () => {
    const { client, proxy } = await startClient()
    const pages = await all(client.customers.list().pages())
    expect(pages.map(({ rows }) => rows.length)).toEqual([250, 250, 120])
    expect(pages.map(({ cursor }) => cursor === null)).toEqual([false, false, true])
    const updatedSince = new Date('2026-02-01T10:00:00Z')
    const orders = await all(client.orders.list({ updatedSince, limit: 4, status: 'pending' }))
    expect(orders).toHaveLength(5)
    const requested = proxy.requestedPaths.filter((path) => path.startsWith('/api/v1/orders'))
    expect(requested).toHaveLength(2)
    for (const path of requested) {
      const query = new URL(path, proxy.url).searchParams
      expect([query.get('updated_since'), query.get('limit'), query.get('status')]).toEqual([
        '2026-02-01T10:00:00.000Z',
        '4',
        'pending',
      ])
    }
  })

  test('[R31] if a program reads the IDs of a list, the client returns each ID with its updated_at and sends no limit parameter', async () => {
    const { client, proxy } = await startClient()
    const customers = await all(client.customers.list())
    proxy.requestedPaths.length = 0
    expect(await all(client.customers.ids())).toEqual(customers.map(({ id, updated_at }) => ({ id, updated_at })))
    expect(proxy.requestedPaths).toEqual(['/api/v1/ids/customers'])
    const [page] = await all(client.orders.ids().pages())
    expect([page?.rows.length, page?.cursor]).toEqual([20, null])
    await expect(all(client.orders.ids({ cursor: 'x' }))).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
    expect(proxy.requestedPaths.at(-1)).toBe('/api/v1/ids/orders?cursor=x')
  })

  test('[SYNC-2] if a list supports a time filter, nextSync of every page has this filter with the watermark, and otherwise nextSync is null', async () => {
    const launch = await platform.provision('launch')
    const { client } = await startClient()
    const { client: older } = await startClient([], { key: launch.key })
    const nextOf = async (list: PagedList<unknown>) => {
      const pages = []
      for await (const { nextSync, watermark } of list.pages()) pages.push({ nextSync, watermark })
      expect(new Set(pages.map((page) => JSON.stringify(page))).size).toBe(1)
      return pages[0]
    }
    const customers = await nextOf(client.customers.list())
    expect(customers?.nextSync).toEqual({ updatedSince: customers?.watermark })
    const ofLaunch = await nextOf(older.customers.list())
    expect(ofLaunch?.nextSync).toEqual({ createdSince: ofLaunch?.watermark })
    expect(await nextOf(older.customers.list(ofLaunch?.nextSync ?? {}))).toMatchObject({
      nextSync: { createdSince: expect.any(String) },
    })
    for (const list of [older.orders, older.products, older.customerAddresses])
      expect(await nextOf(list.list())).toMatchObject({ nextSync: { updatedSince: expect.any(String) } })
    for (const list of [older.categories, older.locations, older.customerGroups])
      expect(await nextOf(list.list())).toMatchObject({ nextSync: null, watermark: expect.any(String) })
  })

  test('[R46] storeFields of every page is the digest in the header x-store-fields, or null if the service sends no such header', async () => {
    const { client } = await startClient()
    const digestsOf = async (list: PagedList<unknown>) =>
      new Set((await all(list.pages())).map((page) => page.storeFields))
    const [customers, orders] = [
      await digestsOf(client.customers.list({ limit: 100 })),
      await digestsOf(client.orders.list()),
    ]
    expect([customers.size, orders.size]).toEqual([1, 1])
    expect([...customers, ...orders]).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/), expect.any(String)])
    expect(customers).not.toEqual(orders)
    const older = await startClient([], { fetch: fetchWithFields(() => null) })
    expect(await digestsOf(older.client.orders.list())).toEqual(new Set([null]))
  })

  test('[R46] if the fields of a list change, the example program of the documentation reads the whole list again', async () => {
    const page = await readFile(new URL('../../../docs/api/client.md', import.meta.url), 'utf8')
    const source = [...page.matchAll(/```ts\n(.*?)```/gs)]
      .map(([, code = '']) => code)
      .find((code) => code.includes('syncOrders'))
    const { syncOrders } = await import(
      `data:text/javascript,${encodeURIComponent(stripTypeScriptTypes(source ?? ''))}`
    )
    let digest = () => 'a'
    const requests: string[] = []
    const { client } = await startClient([], {
      fetch: fetchWithFields((url) => {
        requests.push(url.searchParams.has('updated_since') ? 'changes' : 'all')
        return digest()
      }),
    })
    const rows: unknown[] = []
    const upsert = async (page: readonly unknown[]) => void rows.push(...page)
    const first = await syncOrders(client, { nextSync: null, storeFields: null }, upsert)
    expect(first).toEqual({ nextSync: { updatedSince: expect.any(String) }, storeFields: 'a' })
    expect(await syncOrders(client, first, upsert)).toMatchObject({ storeFields: 'a' })
    expect([requests.splice(0), rows.splice(0).length]).toEqual([['all', 'changes'], 20])
    digest = () => 'b'
    expect(await syncOrders(client, first, upsert)).toMatchObject({ storeFields: 'b' })
    expect([requests.splice(0), rows.splice(0).length]).toEqual([['changes', 'all'], 20])
    digest = () => String(requests.length)
    expect(await syncOrders(client, { nextSync: null, storeFields: 'a' }, upsert)).toMatchObject({ storeFields: '2' })
  })

  test('if a call passes the cursor of a page, the list starts with the rows after this page', async () => {
    const { client } = await startClient()
    const [first] = await all(client.customers.list({ limit: 100 }).pages()).then((pages) => pages)
    const rest = await all(client.customers.list({ limit: 100, cursor: first?.cursor ?? '' }))
    expect(rest).toHaveLength(520)
  })

  test('the client requests a page only when the program reads rows of this page', async () => {
    const { client, proxy } = await startClient()
    const list = client.customers.list({ limit: 100 })
    expect(proxy.requestedPaths).toEqual([])
    for await (const _row of list) break
    expect(proxy.requestedPaths).toHaveLength(1)
    expect(await all(list)).toHaveLength(620)
  })

  test('if next_cursor of a page equals the cursor of the page itself, the list throws an error', async () => {
    const body = JSON.stringify({ data: [{ id: 'x' }], meta: { next_cursor: 'same', has_more: true } })
    const { client, proxy } = await startClient(Array<ProxyFailure>(9).fill({ kind: 'response', status: 200, body }))
    await expect(all(client.orders.list())).rejects.toThrow('the cursor of the next page is the cursor of this page')
    expect(proxy.requestedPaths).toHaveLength(2)
  })

  test('if a program passes a timestamp or an ID as a string, the service gets the same string', async () => {
    const { client } = await startClient()
    const since = '2026-02-01T11:00:00.123456+01:00'
    expect(await all(client.orders.list({ updatedSince: since }))).toHaveLength(10)
    await expect(client.orders.get('../store')).rejects.toMatchObject({ code: 'INVALID_PARAM', status: 400 })
  })
})

describe('[R9] a parameter that the list does not have', () => {
  const ONE = 'does not have this parameter and ignored it; leave it out, or use a newer service'
  const SEVERAL = 'does not have these parameters and ignored them; leave them out, or use a newer service'

  test.each([
    ['a parameter of another list', { limit: 1, updatedSince: '2026-01-01T00:00:00Z' }, 'updated_since'],
    ['a parameter whose name begins like a filter', { limit: 1, 'status[]': 'active' }, 'status[]'],
    ['a parameter with a misspelled name', { limit: 1, createdSinse: '2026-01-01T00:00:00Z' }, 'created_sinse'],
    ['two parameters of other APIs', { limit: 1, orderBy: 'name', page: 2 }, 'order_by, page'],
  ])(
    'if a call sends %s, the list throws an IgnoredParameterError that names each unknown parameter, and does not retry',
    async (_, options, names) => {
      const { client, pauses, proxy } = await startClient()
      const error = await all(client.categories.list(options)).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(IgnoredParameterError)
      const message = `${names}: /api/v1/categories ${names.includes(',') ? SEVERAL : ONE}`
      expect(error).toMatchObject({ message, parameters: names.split(', ') })
      expect([pauses, proxy.requestedPaths.length]).toEqual([[], 1])
    },
  )

  test('if the service ignores a parameter only on the second page, the list returns the first page, then throws IgnoredParameterError', async () => {
    const { client } = await startClient([
      { kind: 'none' },
      {
        kind: 'response',
        status: 200,
        headers: { 'x-ignored-params': 'created_since' },
        body: '{"data":[],"meta":{"next_cursor":null,"has_more":false}}',
      },
    ])
    const rows: unknown[] = []
    const read = async () => {
      for await (const row of client.customers.list({ limit: 5, createdSince: '2026-01-01T00:00:00Z' })) rows.push(row)
    }
    await expect(read()).rejects.toThrow(IgnoredParameterError)
    expect(rows).toHaveLength(5)
  })

  test('if the service reports an ignored parameter that the client did not send, the list ends without an error', async () => {
    const ignored = { kind: 'response', status: 200, headers: { 'x-ignored-params': 'tenant' } } as const
    const { client } = await startClient([
      { ...ignored, body: '{"data":[],"meta":{"next_cursor":null,"has_more":false}}' },
    ])
    expect(await all(client.categories.list({ limit: 1 }))).toEqual([])
  })
})

describe('[GEN-6] services that are newer than the client', () => {
  test('if an order has a field and a status that the client does not know, the client returns the order unchanged', async () => {
    const order = { id: 'x', status: 'teleported', gift_wrap: { color: 'red' } }
    const body = JSON.stringify({ data: [order], meta: { next_cursor: null, has_more: false, total: 1 } })
    const { client } = await startClient([{ kind: 'response', status: 200, body }])
    expect(await all(client.orders.list())).toEqual([order])
  })

  test('if a response has an error code that the client does not know, the client throws an error with this code and the status', async () => {
    const body = JSON.stringify({ error: { code: 'STORE_ON_HOLIDAY', message: 'back in May', hint: 1 } })
    const { client } = await startClient([{ kind: 'response', status: 418, body }])
    await expect(client.store.get()).rejects.toMatchObject({ code: 'STORE_ON_HOLIDAY', status: 418 })
  })
})

describe('retries of the client', () => {
  const limited: ProxyFailure = {
    kind: 'response',
    status: 429,
    headers: { 'retry-after': '17' },
    body: '{"error":{"code":"RATE_LIMITED","message":"wait"}}',
  }
  const error = (status: number, code: string, retryAfter?: string): ProxyFailure => ({
    kind: 'response',
    status,
    headers: { 'x-request-id': 'r-1', ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }) },
    body: JSON.stringify({ error: { code, message: 'm' } }),
  })

  test('[LIM-1] after a 429, the client waits for the number of seconds in Retry-After before it retries', async () => {
    const { client, pauses } = await startClient([limited, limited])
    expect(await all(client.customers.list())).toHaveLength(620)
    expect(pauses).toMatchObject([
      { reason: 'limit', ms: 17_000, error: { code: 'RATE_LIMITED', retryAfterSeconds: 17 } },
      { reason: 'limit', ms: 17_000 },
    ])
  })

  test('after temporary errors, the client retries with random, increasing delays of up to 30 seconds', async () => {
    const failures: ProxyFailure[] = [
      error(502, 'STORE_DB_ERROR'),
      { kind: 'disconnect' },
      error(409, 'STORE_NOT_READY'),
      { kind: 'truncate' },
      error(408, 'INVALID_PARAM'),
    ]
    const { client, pauses } = await startClient(failures)
    expect(await all(client.customers.list())).toHaveLength(620)
    expect(pauses.map(({ reason, ms }) => [reason, ms])).toEqual([
      ['error', 500],
      ['error', 1000],
      ['error', 2000],
      ['error', 4000],
      ['error', 8000],
    ])
    const low = await startClient(failures, { random: () => 0 })
    await all(low.client.customers.list())
    expect(low.pauses.map(({ ms }) => ms)).toEqual([250, 500, 1000, 2000, 4000])
    const long = await startClient(Array<ProxyFailure>(12).fill({ kind: 'disconnect' }), { retryForMs: 600_000 })
    await long.client.store.get()
    expect(Math.max(...long.pauses.map(({ ms }) => ms))).toBe(30_000)
  })

  test('[R41] after a 409 or 502, the client waits for at least the number of seconds in Retry-After before it retries', async () => {
    const failures = [
      error(409, 'STORE_NOT_READY', '30'),
      error(502, 'STORE_DB_ERROR', '5'),
      error(502, 'STORE_DB_ERROR', '1'),
      error(502, 'STORE_DB_ERROR', '0'),
      error(502, 'STORE_DB_ERROR', '60'),
    ]
    const { client, pauses } = await startClient(failures, { retryForMs: 600_000 })
    expect(await all(client.customers.list())).toHaveLength(620)
    expect(pauses.map(({ reason, ms }) => [reason, ms])).toEqual([
      ['error', 30_000],
      ['error', 5000],
      ['error', 2000],
      ['error', 4000],
      ['error', 60_000],
    ])
  })

  test.each(['61', '999999', 'Wed, 25 Nov 2026 07:28:00 GMT', '-1', '1.5'])(
    'if Retry-After of a 502 is %s, the client ignores the header and retries after its own delay',
    async (retryAfter) => {
      const { client, pauses } = await startClient([error(502, 'STORE_DB_ERROR', retryAfter)])
      await client.store.get()
      expect(pauses.map(({ ms }) => ms)).toEqual([500])
    },
  )

  test.each(['0', 'soon'])(
    'if Retry-After of a 429 is %s, the client ignores the header and doubles its own delay with each retry',
    async (retryAfter) => {
      const { client, pauses } = await startClient([
        error(429, 'RATE_LIMITED', retryAfter),
        error(429, 'RATE_LIMITED', retryAfter),
      ])
      await client.store.get()
      expect(pauses.map(({ reason, ms }) => [reason, ms])).toEqual([
        ['limit', 500],
        ['limit', 1000],
      ])
    },
  )

  test('if a 503 or 504 has no error code in its body, the client retries; if a 503 has one, the client throws the error', async () => {
    const ofProxy = (status: number): ProxyFailure => ({
      kind: 'response',
      status,
      body: '<html>No server is available</html>',
    })
    const { client, pauses } = await startClient([ofProxy(503), ofProxy(504)])
    expect(await all(client.customers.list())).toHaveLength(620)
    expect(pauses.map(({ reason }) => reason)).toEqual(['error', 'error'])
    const own = await startClient([error(503, 'UNHEARD_OF')])
    await expect(own.client.store.get()).rejects.toMatchObject({ status: 503 })
    expect(own.pauses).toHaveLength(0)
  })

  test('[ERR-1] if a page is truncated or is not JSON, the client retries; if retryForMs is 0, it throws a ConnectionError', async () => {
    const whole = await (
      await fetch(`${platform.service.url}/api/v1/customers?limit=250`, { headers: { 'x-api-key': store.key } })
    ).text()
    const cuts: ProxyFailure[] = [
      { kind: 'truncate' },
      { kind: 'response', status: 200, body: whole.slice(0, whole.lastIndexOf('},{')) },
      { kind: 'response', status: 200, body: `${whole.slice(0, whole.lastIndexOf('},{'))}}]}` },
      { kind: 'response', status: 200, body: '' },
      { kind: 'response', status: 200, body: '<html>signed out</html>' },
    ]
    for (const cut of cuts) {
      const { client, pauses } = await startClient([cut])
      expect(await all(client.customers.list())).toHaveLength(620)
      expect(pauses).toHaveLength(1)
      const once = await startClient([cut], { retryForMs: 0 })
      await expect(all(once.client.customers.list())).rejects.toThrow(ConnectionError)
    }
  })

  test.each([
    [400, 'INVALID_PARAM'],
    [400, 'INVALID_CURSOR'],
    [401, 'INVALID_API_KEY'],
    [403, 'STORE_NOT_SUPPORTED'],
    [404, 'NOT_FOUND'],
    [500, 'UNHEARD_OF'],
  ])(
    'if the response is %i %s, the client throws an error with this code and the request ID, and does not retry',
    async (status, code) => {
      const { client, pauses, proxy } = await startClient([error(status, code)])
      const thrown = await client.store.get().catch((cause: unknown) => cause)
      expect(thrown).toBeInstanceOf(StoreExportError)
      expect(thrown).toMatchObject({ code, status, requestId: 'r-1' })
      expect([pauses.length, proxy.requestedPaths.length]).toEqual([0, 1])
    },
  )

  test("[R38] if the key lacks the scope of a resource, the error's requiredScope names the scope; if only the row is missing, requiredScope is null", async () => {
    const { id, key } = await platform.newKey(store.id)
    await platform.controlSql`update api_keys set scopes = ${['orders:read']} where id = ${id}`
    const { client } = await startClient([], { key })
    await expect(client.customers.get(randomUUID())).rejects.toMatchObject({
      status: 404,
      requiredScope: 'customers:read',
    })
    await expect(client.orders.get(randomUUID())).rejects.toMatchObject({ status: 404, requiredScope: null })
  })

  test('if the next retry would exceed retryForMs, the client throws the last error', async () => {
    const { client, pauses } = await startClient(Array<ProxyFailure>(50).fill(limited), { retryForMs: 60_000 })
    await expect(client.store.get()).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 17 })
    expect(pauses).toHaveLength(3)
    const none = await startClient([limited], { retryForMs: 0 })
    await expect(none.client.store.get()).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    expect(none.pauses).toEqual([])
  })

  test('if an attempt gets no response within attemptTimeoutMs, the client retries', async () => {
    const { client, pauses } = await startClient([{ kind: 'hang' }], { attemptTimeoutMs: 100 })
    expect((await client.store.get()).id).toBe(store.id)
    expect(pauses).toMatchObject([{ reason: 'error', error: { message: expect.stringContaining('within 100 ms') } }])
  })
})

describe('abort signals', () => {
  test("if a signal is aborted before a call, during a request, or before a retry, the call rejects with the signal's reason", async () => {
    const reason = new Error('enough')
    const waiting = await startClient([{ kind: 'hang' }])
    const gone = new AbortController()
    const call = waiting.client.store.get({ signal: gone.signal })
    setTimeout(() => gone.abort(reason), 50)
    await expect(call).rejects.toBe(reason)
    const { url } = await startFaultyProxy(platform.service.url, [{ kind: 'disconnect' }])
    const pausing = new StoreExportClient({ url, key: store.key, onPause: () => later.abort(reason), random: () => 1 })
    const later = new AbortController()
    const startedAt = performance.now()
    await expect(all(pausing.orders.list({ signal: later.signal }))).rejects.toBe(reason)
    expect(performance.now() - startedAt).toBeLessThan(400)
    await expect(waiting.client.store.get({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })
})

test('if requestsPerMinute is 60, the client pauses for about one second between requests', async () => {
  const { client, pauses } = await startClient([], { requestsPerMinute: 60 })
  await all(client.customers.list({ limit: 100 }))
  expect(pauses).toHaveLength(6)
  for (const { reason, ms } of pauses) {
    expect(reason).toBe('pace')
    expect(ms).toBeGreaterThan(800)
    expect(ms).toBeLessThanOrEqual(1000)
  }
})

test('if a call is aborted while it waits for its time slot, the next call gets the slot of the aborted call', async () => {
  const waits: number[] = []
  const aborted = new AbortController()
  const { client } = await startClient([], {
    requestsPerMinute: 60,
    now: () => 0,
    sleep: (ms, signal) => {
      waits.push(ms)
      return signal === undefined ? Promise.resolve() : Promise.reject(new Error('given up'))
    },
  })
  await client.store.get()
  await expect(client.store.get({ signal: aborted.signal })).rejects.toThrow('given up')
  await client.store.get()
  expect(waits).toEqual([1000, 1000])
})

test('[LIM-1] after each response, onResponse gets the status and the remaining requests of the rate limit', async () => {
  const responses: ResponseInfo[] = []
  const { client } = await startClient([], { onResponse: (response) => responses.push(response) })
  await client.store.get()
  await client.orders.get(randomUUID()).catch(() => {})
  expect(responses).toMatchObject([
    { status: 200, limit: { requests: 100_000, windowSeconds: 60, remaining: expect.any(Number) } },
    { status: 404, limit: { requests: 100_000 } },
  ])
  const [first, second] = responses
  expect((first?.limit?.remaining ?? 0) - (second?.limit?.remaining ?? 0)).toBe(1)
  expect(first?.limit?.resetSeconds).toBeLessThanOrEqual(60)
})

test('if onResponse throws, the call throws the same error and sends no more requests', async () => {
  const onResponse = () => {
    throw new RangeError('of the listener')
  }
  const { client, proxy } = await startClient([], { onResponse })
  await expect(client.store.get()).rejects.toThrow(new RangeError('of the listener'))
  expect(proxy.requestedPaths).toHaveLength(1)
})

test('if the service refuses connections and retryForMs is 0, a call throws an error that contains ECONNREFUSED', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  const { client } = await startClient([], { url: `http://127.0.0.1:${port}`, retryForMs: 0 })
  await expect(client.store.get()).rejects.toThrow(
    /^no complete response from http:.*: the connection failed .*\(ECONNREFUSED\)$/,
  )
})

describe('connection errors before the first response', () => {
  /** Returns a fetch that fails with a system error. */
  const failing = (code: string) => async () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('of the system'), { code }) })
  }

  test('if an https:// URL leads to a port without TLS, the client throws an AddressError that suggests http://', async () => {
    const url = platform.service.url.replace('http:', 'https:')
    const { client, pauses } = await startClient([], { url })
    const error = await client.store.get().catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(AddressError)
    expect(String(error)).toMatch(
      /^AddressError: https:.*: the server does not speak TLS\. .*http:\/\/.* \(ERR_SSL_\w+\)$/,
    )
    expect(pauses).toEqual([])
  })

  test.each(['ENOTFOUND', 'HPE_INVALID_CONSTANT', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT'])(
    'if the first request fails with %s, the client throws an AddressError and does not retry',
    async (code) => {
      const { client, pauses } = await startClient([], { fetch: failing(code) })
      await expect(client.store.get()).rejects.toMatchObject({ name: 'AddressError', code })
      expect(pauses).toEqual([])
    },
  )

  test.each(['EAI_AGAIN', 'ECONNRESET', 'EHOSTUNREACH'])(
    'if every request fails with %s, the client retries and then throws a ConnectionError',
    async (code) => {
      const { client, pauses } = await startClient([], { fetch: failing(code) })
      await expect(client.store.get()).rejects.toMatchObject({ name: 'ConnectionError', code })
      expect(pauses.length).toBeGreaterThan(3)
    },
  )

  test('if connections are refused, the client retries for retryRefusedForMs or, after a first response, for retryForMs', async () => {
    let isUp = false
    const fetch: typeof globalThis.fetch = async (...request) =>
      isUp ? globalThis.fetch(...request) : failing('ECONNREFUSED')()
    const { client, pauses } = await startClient([], { fetch, retryRefusedForMs: 5000 })
    await expect(client.store.get()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    const early = pauses.splice(0).reduce((sum, { ms }) => sum + ms, 0)
    expect(early).toBeGreaterThan(1000)
    expect(early).toBeLessThanOrEqual(5000)
    isUp = true
    await client.store.get()
    isUp = false
    await expect(client.store.get()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    expect(pauses.reduce((sum, { ms }) => sum + ms, 0)).toBeGreaterThan(60_000)
  })
})

test("if the host name of the service can't be resolved after a first response, the client retries", async () => {
  let requests = 0
  const fetch: typeof globalThis.fetch = async (...request) => {
    requests += 1
    if (requests === 2)
      throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ENOTFOUND' }) })
    return globalThis.fetch(...request)
  }
  const { client, pauses } = await startClient([], { fetch })
  await client.store.get()
  expect((await client.store.get()).id).toBe(store.id)
  expect(pauses).toHaveLength(1)
})

test('if a response has no rate limit headers, onResponse gets null as the limit', async () => {
  const responses: ResponseInfo[] = []
  const { client } = await startClient([{ kind: 'response', status: 404 }], {
    onResponse: (response) => responses.push(response),
  })
  await client.store.get().catch(() => {})
  expect(responses).toEqual([{ status: 404, limit: null }])
})

describe('the API key of the client', () => {
  test('[AUTH-1] if the client, a list, or an error is printed, the output does not contain the key', async () => {
    const { client } = await startClient([{ kind: 'disconnect' }], { retryForMs: 0 })
    const thrown = await client.store.get().catch((cause: unknown) => cause)
    for (const value of [client, client.orders, thrown, client.orders.list()]) {
      expect(inspect(value, { depth: 9, showHidden: true })).not.toContain(store.key)
      expect(JSON.stringify(value) ?? '').not.toContain(store.key)
    }
  })

  test('if the service redirects to another address, the client throws an error and does not send the key to that address', async () => {
    const elsewhere = await startFaultyProxy(platform.service.url)
    const { client } = await startClient([
      { kind: 'response', status: 308, headers: { location: `${elsewhere.url}/api/v1/store` } },
    ])
    await expect(client.store.get()).rejects.toMatchObject({
      status: 308,
      message: expect.stringContaining('use that address'),
    })
    expect(elsewhere.requestedPaths).toEqual([])
  })

  test.each(['', '  ', 'two words', 'line\nbreak', 'ümlaut', 7])(
    'if the API key is the invalid value %j, the constructor of the client throws an error that says what a key must be',
    (key) => {
      expect(() => new StoreExportClient({ url: 'https://export.example.com', key: key as string })).toThrow(
        /^key: must be/,
      )
    },
  )
})

describe('the URL of the service', () => {
  test.each(['', '/', '/api/v1', '/api/v1/'])(
    'if the URL ends with %j and the key is surrounded by whitespace, the client still reads the store',
    async (tail) => {
      const client = new StoreExportClient({ url: platform.service.url + tail, key: ` ${store.key}\n` })
      expect((await client.store.get()).id).toBe(store.id)
    },
  )

  test.each(['', 'export.example.com', 'ftp://export.example.com', 'https://export.example.com/?key=x'])(
    'if the URL is the invalid value %j, the constructor of the client throws an error that says what a URL must be',
    (url) => {
      expect(() => new StoreExportClient({ url, key: 'k' })).toThrow(/^url: must/)
    },
  )
})

test.each(['retryForMs', 'retryRefusedForMs', 'attemptTimeoutMs', 'requestsPerMinute'] as const)(
  'if the client option %s is negative or NaN, the constructor of the client throws an error that names the option',
  (name) => {
    for (const value of [-1, Number.NaN])
      expect(() => new StoreExportClient({ url: 'https://export.example.com', key: 'k', [name]: value })).toThrow(name)
  },
)

test('if a program creates the client in a browser, the constructor throws "this client does not run in a browser"', () => {
  Object.assign(globalThis, { window: {}, document: {} })
  try {
    expect(() => new StoreExportClient({ url: 'https://export.example.com', key: 'k' })).toThrow(
      'this client does not run in a browser',
    )
  } finally {
    Reflect.deleteProperty(globalThis, 'window')
    Reflect.deleteProperty(globalThis, 'document')
  }
})
