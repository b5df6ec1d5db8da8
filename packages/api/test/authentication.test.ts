import { createHash, randomBytes } from 'node:crypto'
import { createKey, KeyLimitReached, makeApiKey, revokeKey } from '@store-export/control'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { get, startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import type { RunningService } from '../../operator/src/service.ts'
import { sendRequest } from './support/http.ts'
import { pathsWith, UNKNOWN_ID } from './support/spec-endpoints.ts'
import { startNode } from './support/start-node.ts'

let platform: TestPlatform
let node: RunningService
let store: TestStore
let other: TestStore
beforeAll(async () => {
  platform = await startPlatform()
  ;[node, store, other] = await Promise.all([startNode(platform), platform.provision(), platform.provision('launch')])
})
afterAll(async () => {
  await node.close()
  await platform.close()
})

const BODY = JSON.stringify({
  error: {
    code: 'INVALID_API_KEY',
    message:
      'x-api-key: must be a valid API key of the store, sent once; create one in the store dashboard under Settings, API',
  },
})
const withHeaders = (headers: Record<string, string | string[]>, path = '/api/v1/store') =>
  sendRequest(platform.service.url, { path, headers })
const revoke = (keyId: string) => revokeKey({ database: platform.service.control, keyId })
const unknownKey = () => makeApiKey(randomBytes).reveal()
/** Returns the key with another last character, so that its checksum is wrong. */
const withWrongCharacter = (key: string) => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')

describe('[AUTH-6, R26] an invalid key', () => {
  test.each(pathsWith(UNKNOWN_ID))(
    'if a key is missing, malformed, unknown, revoked, or repeated, %s returns 401 with the same message',
    async (path) => {
      const revoked = await platform.newKey(store.id)
      await revoke(revoked.id)
      for (const [what, headers] of Object.entries({
        missing: {},
        empty: { 'x-api-key': '' },
        malformed: { 'x-api-key': 'sdx_short' },
        'without prefix': { 'x-api-key': store.key.slice(4) },
        mistyped: { 'x-api-key': withWrongCharacter(store.key) },
        unknown: { 'x-api-key': unknownKey() },
        revoked: { 'x-api-key': revoked.key },
        repeated: { 'x-api-key': [store.key, store.key] },
      })) {
        const response = await withHeaders(headers, path)
        expect(response.status, what).toBe(401)
        expect(response.text, what).toBe(BODY)
        expect(response.headers['www-authenticate'], what).toBe('ApiKey realm="store data export", header="x-api-key"')
        expect(response.headers.ratelimit, what).toBeUndefined()
      }
    },
  )

  test('if a request has no key, the response is 401, even for a POST request or an unknown path', async () => {
    expect((await withHeaders({}, '/api/v1/nowhere')).text).toBe(BODY)
    expect((await sendRequest(platform.service.url, { method: 'POST', path: '/api/v1/orders' })).text).toBe(BODY)
  })
})

describe('[R25] repeated keys', () => {
  test.each([
    ['the same key twice', () => [store.key, store.key]],
    ['a valid and an invalid key', () => [store.key, 'x']],
    ['an empty value and a valid key', () => ['', store.key]],
    ['the keys of two stores', () => [store.key, other.key]],
    ['two keys, joined by a comma', () => `${store.key}, ${store.key}`],
  ])('if the header x-api-key contains %s, the request gets 401', async (_what, value) => {
    expect((await withHeaders({ 'x-api-key': value() })).status).toBe(401)
  })
})

describe('[AUTH-1] the header x-api-key', () => {
  test('if a valid key is in x-api-key, the request gets 200, whatever the case of the header name', async () => {
    for (const name of ['x-api-key', 'X-API-KEY', 'X-Api-Key'])
      expect((await withHeaders({ [name]: store.key })).status).toBe(200)
  })

  test.each([
    ['authorization as a bearer token', () => ({ authorization: `Bearer ${store.key}` })],
    [
      'authorization as a user name',
      () => ({ authorization: `Basic ${Buffer.from(`${store.key}:`).toString('base64')}` }),
    ],
    ['cookie', () => ({ cookie: `x-api-key=${store.key}` })],
    ['api-key', () => ({ 'api-key': store.key })],
    ['x_api_key', () => ({ x_api_key: store.key })],
  ])('if a valid key is only in the header %s, the request gets 401', async (_what, headers) => {
    expect((await withHeaders(headers())).status).toBe(401)
  })

  test('if a valid key is only in the query string, the request gets 401', async () => {
    for (const name of ['x-api-key', 'api_key', 'key']) {
      const response = await withHeaders({}, `/api/v1/store?${name}=${store.key}`)
      expect(response.status).toBe(401)
      expect(response.text).not.toContain(store.key)
    }
  })
})

describe('[AUTH-2] the format of a key', () => {
  test('a new API key is the prefix sdx_ followed by 49 base62 characters', () => {
    expect(store.key).toMatch(/^sdx_[0-9A-Za-z]{49}$/)
    expect(other.key.slice(0, 4)).toBe('sdx_')
  })

  test('if a character of a key is changed, the request gets 401, and the event key.rejected has the reason "malformed"', async () => {
    for (let index = 0; index < store.key.length; index += 4) {
      const changed = store.key[index] === 'a' ? 'b' : 'a'
      const key = store.key.slice(0, index) + changed + store.key.slice(index + 1)
      platform.events.length = 0
      expect((await withHeaders({ 'x-api-key': key })).status).toBe(401)
      expect(platform.events).toContainEqual(expect.objectContaining({ event: 'key.rejected', reason: 'malformed' }))
    }
  })

  test('if a key is sent in upper case, the request gets 401', async () => {
    const swapped = store.key.replace(/[a-z]/g, (letter) => letter.toUpperCase())
    expect((await withHeaders({ 'x-api-key': swapped })).status).toBe(401)
  })
})

test('[AUTH-3] the control database stores the SHA-256 hash of a key, but not the key or its middle part', async () => {
  const sql = platform.controlSql
  const dump: string[] = []
  for (const table of ['api_keys', 'stores', 'request_counters', 'usage_hours', 'service_secrets'])
    dump.push(JSON.stringify(await sql`select to_json(t)::text as row from ${sql(table)} t`))
  const text = dump.join('\n')
  expect(text).toContain(createHash('sha256').update(store.key).digest('hex'))
  expect(text).not.toContain(store.key)
  expect(text).not.toContain(store.key.slice(12, -4))
})

test('[AUTH-4] if a store has one of at most five keys and 12 key creations run at once on two nodes, exactly four succeed', async () => {
  const made = await Promise.allSettled(
    Array.from({ length: 12 }, (_, index) =>
      createKey({
        database: index % 2 === 0 ? platform.service.control : node.control,
        random: randomBytes,
        storeId: other.id,
        name: `n${index}`,
        createdBy: null,
      }),
    ),
  )
  const keys = made.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  expect(keys).toHaveLength(4)
  for (const each of made) if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(KeyLimitReached)
  for (const { key } of keys) expect((await withHeaders({ 'x-api-key': key.reveal() })).status).toBe(200)
  expect((await withHeaders({ 'x-api-key': other.key })).status).toBe(200)
})

test("[AUTH-5] after a key is revoked, every node rejects the key's next request", async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id, key } = await platform.newKey(store.id)
    const urls = round % 2 === 0 ? [platform.service.url, node.url] : [node.url, platform.service.url]
    for (const url of urls) expect((await get(`${url}/api/v1/store`, key)).status).toBe(200)
    await revoke(id)
    for (const url of urls) expect((await get(`${url}/api/v1/store`, key)).status).toBe(401)
  }
})

test('[AUTH-5] after one key of a store is revoked, requests with another key of the store still get 200', async () => {
  expect((await withHeaders({ 'x-api-key': store.key })).status).toBe(200)
})

test("[GEN-2] GET /store returns the store that the request's key belongs to, on every node", async () => {
  for (const url of [platform.service.url, node.url])
    for (const { key, id } of [store, other]) expect((await get(`${url}/api/v1/store`, key)).json.data.id).toBe(id)
})
