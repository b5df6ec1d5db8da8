import { ENDPOINTS } from '@store-export/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'
import { storeWithoutDatabase } from './support/store-without-database.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform({ USAGE_FLUSH_MS: '50', REQUESTS_PER_MINUTE: '100000' })
})
afterAll(() => platform.close())

const SENTINEL = 'jane.roe@example.com'
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'

/** Returns the request log of a key after `lines` lines have been written. */
async function logOf(keyId: string, lines: number) {
  const read = () => platform.controlSql`
    select endpoint, status, code, reason, last_request_id as "lastRequestId" from request_log where key_id = ${keyId}
    order by last_at`
  await expect.poll(async () => (await read()).length, { timeout: 5000 }).toBe(lines)
  return read()
}

test.each([
  ['orders?limit=1000', 'INVALID_PARAM', 'limit: must be a whole number from 1 to 250'],
  ['orders?status=draft', 'INVALID_PARAM', /^status: must be one of pending, paid, [a-z_, ]+$/],
  ['orders?limit=5&limit=6', 'INVALID_PARAM', 'limit: must be given once, as a whole number from 1 to 250'],
  ['orders?cursor=abc', 'INVALID_CURSOR', /^cursor: could not be decoded; pass meta\.next_cursor/],
  ['orders/42', 'INVALID_PARAM', 'id: must be a UUID'],
  [`orders/${UNKNOWN_ID}`, 'NOT_FOUND', 'this store has no order with this ID'],
  ['order', 'NOT_FOUND', 'no such path; did you mean /api/v1/orders? The reference is at /docs'],
])(
  '[ERR-1] if a client requests %s, the request log gives the reason of the error and the x-request-id of the response',
  async (path, code, reason) => {
    const { keyId, key } = await platform.provision()
    const response = await platform.get(`/api/v1/${path}`, key)
    const [line] = await logOf(keyId, 1)
    expect(line).toMatchObject({ status: response.status, code, lastRequestId: response.headers.get('x-request-id') })
    expect(line?.reason).toMatch(reason)
  },
)

test.each([
  ['imported', 403],
  ['generating', 409],
] as const)(
  'if a request is rejected because its store is "%s", the usage counts it as failed and not as rejected by the rate limit',
  async (kind, status) => {
    const { id, key } = await storeWithoutDatabase(platform, kind)
    expect((await platform.get('/api/v1/orders', key)).status).toBe(status)
    const sums = () => platform.controlSql`
      select failed::int, rejected::int from usage_hours where key_id in (select id from api_keys where store_id = ${id})`
    await expect.poll(sums, { timeout: 5000 }).toMatchObject([{ failed: 1, rejected: 0 }])
  },
)

test('if several requests have invalid values, the request log has one line per parameter, and not one line per value', async () => {
  const { keyId, key } = await platform.provision()
  for (const query of ['limit=1000', 'limit=x', 'updated_since=x']) await platform.get(`/api/v1/orders?${query}`, key)
  expect((await logOf(keyId, 2)).map(({ reason }) => reason.split(':')[0])).toEqual(['limit', 'updated_since'])
})

test('if a client requests two orders with the wrong path /order/ID, the request log suggests /orders/{id} and contains no ID', async () => {
  const { keyId, key } = await platform.provision()
  for (const end of ['0', '1']) {
    const response = await platform.get(`/api/v1/order/${UNKNOWN_ID.slice(0, -1)}${end}`, key)
    expect(response.json.error.message).toContain(`did you mean /api/v1/orders/${UNKNOWN_ID.slice(0, -1)}${end}?`)
  }
  await expect
    .poll(async () => (await logOf(keyId, 1))[0]?.reason)
    .toBe('no such path; did you mean /api/v1/orders/{id}? The reference is at /docs')
})

test("[AUTH-5] if a key is revoked, expired, turned off, or used from a forbidden address, the reason is in the key's request log", async () => {
  const { id: storeId, keyId, key } = await platform.provision()
  const [ended, elsewhere] = [await platform.newKey(storeId), await platform.newKey(storeId)]
  const off = await platform.newKey(storeId)
  await platform.controlSql`update api_keys set revoked_at = now() where id = ${keyId}`
  await platform.controlSql`update api_keys set expires_at = now() - interval '1 second' where id = ${ended.id}`
  await platform.controlSql`update api_keys set allowed_addresses = '{203.0.113.7/32}' where id = ${elsewhere.id}`
  await platform.controlSql`update api_keys set turned_off_at = now() where id = ${off.id}`
  const before = await platform.controlSql`select count(*)::int as lines from request_log`
  for (const each of [key, key, ended.key, off.key, elsewhere.key, `${key.slice(0, -1)}x`, await unusedKey()])
    expect((await platform.get('/api/v1/orders', each)).status).toBe(401)
  const reasonOf = async (id: string) => (await logOf(id, 1))[0]
  const line = { endpoint: '/api/v1/orders', status: 401, code: 'INVALID_API_KEY' }
  expect(await reasonOf(keyId)).toMatchObject({ ...line, reason: 'this key is revoked' })
  expect(await reasonOf(ended.id)).toMatchObject({ ...line, reason: 'this key has ended' })
  expect(await reasonOf(off.id)).toMatchObject({ ...line, reason: 'this key is turned off' })
  expect(await reasonOf(elsewhere.id)).toMatchObject({
    ...line,
    reason: 'this key does not work from this network address',
  })
  const after = await platform.controlSql`select count(*)::int as lines, max(requests) as most from request_log`
  expect(after[0]?.lines - before[0]?.lines).toBe(4)
  const [used] = await platform.controlSql`select last_used_at as at from api_keys where id = ${keyId}`
  expect(used?.at).toBeNull()
})

/** Returns a well-formed key that no store has. */
async function unusedKey(): Promise<string> {
  const other = await platform.provision()
  await platform.controlSql`delete from api_keys where id = ${other.keyId}`
  return other.key
}

test('if a client sends an email address in any parameter or path, no line of its request log contains this address', async () => {
  const { keyId, key } = await platform.provision()
  const sent = encodeURIComponent(SENTINEL)
  for (const { path, parameters } of ENDPOINTS) {
    for (const name of parameters)
      await platform.get(`${path.replace('{id}', UNKNOWN_ID)}?${name}=${sent}&${name}=${sent}`, key)
    for (const name of parameters) await platform.get(`${path.replace('{id}', UNKNOWN_ID)}?${name}=${sent}`, key)
    await platform.get(`${path.replace('{id}', sent)}?${sent}=${sent}`, key)
    await platform.get(`${path}/${sent}`, key)
  }
  await platform.get('/api/v1/store', key)
  const read = () => platform.controlSql`select l::text as line from request_log l where key_id = ${keyId}`
  await expect.poll(async () => JSON.stringify(await read()), { timeout: 5000 }).toContain('/api/v1/store')
  const lines = JSON.stringify(await read())
  expect(lines).toContain('updated_since: must be')
  expect(lines).not.toMatch(/jane|roe|example\.com/i)
})
