import { ENDPOINTS } from '@store-export/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'

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
  '[ERR-1] if a client requests %s, the request log says what to change, with the ID of the response',
  async (path, code, reason) => {
    const { keyId, key } = await platform.provision()
    const response = await platform.get(`/api/v1/${path}`, key)
    const [line] = await logOf(keyId, 1)
    expect(line).toMatchObject({ status: response.status, code, lastRequestId: response.headers.get('x-request-id') })
    expect(line?.reason).toMatch(reason)
  },
)

test('a request log has one line for equal errors with different values, and another for another parameter', async () => {
  const { keyId, key } = await platform.provision()
  for (const query of ['limit=1000', 'limit=x', 'updated_since=x']) await platform.get(`/api/v1/orders?${query}`, key)
  expect((await logOf(keyId, 2)).map(({ reason }) => reason.split(':')[0])).toEqual(['limit', 'updated_since'])
})

test('no line of a request log has a value that the client sent, in any parameter or path', async () => {
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
