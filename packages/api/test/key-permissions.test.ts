import { randomBytes } from 'node:crypto'
import { ENDPOINTS, SCOPES, scopeOf } from '@store-export/contract'
import {
  ALL_PERMISSIONS,
  type ChangeablePermissions,
  changePermissions,
  createKey,
  type KeyPermissions,
  type NewKey,
} from '@store-export/control'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'
import type { RunningService } from '../../operator/src/service.ts'
import { sendRequest } from './support/http.ts'
import { UNKNOWN_ID } from './support/spec-endpoints.ts'
import { startNode } from './support/start-node.ts'

let platform: TestPlatform
let nodes: RunningService[]
beforeAll(async () => {
  platform = await startPlatform()
  const [one, behindProxy] = await Promise.all([startNode(platform), startNode(platform, { PROXIES: '1' })])
  nodes = [platform.service, one, behindProxy]
})
afterAll(async () => {
  await Promise.all(nodes.slice(1).map((node) => node.close()))
  await platform.close()
})

async function keyWith(permissions: Partial<KeyPermissions>): Promise<NewKey> {
  const { id: storeId } = await platform.provision()
  const given = { ...ALL_PERMISSIONS, ...permissions }
  const database = platform.service.control
  return createKey({ database, storeId, name: 'test', createdBy: null, permissions: given, random: randomBytes })
}

function request(key: NewKey, { path = '/api/v1/store', node = nodes[0], headers = {} } = {}) {
  return sendRequest(node?.url ?? '', { path, headers: { 'x-api-key': key.key.reveal(), ...headers } })
}

describe('scopes of a key', () => {
  test.each(SCOPES)(
    '[R38] if %s is the only scope of a key, it can read this resource and the store, and other endpoints return 404',
    async (scope) => {
      const key = await keyWith({ scopes: [scope] })
      for (const { path, resource, response } of ENDPOINTS) {
        const needed = scopeOf(resource)
        const { status, json, headers } = await request(key, { path: path.replace('{id}', UNKNOWN_ID) })
        if (needed === null || needed === scope) {
          expect(status, path).toBe(['only', 'page', 'ids'].includes(response.kind) ? 200 : 404)
          expect(JSON.stringify(json), path).not.toContain('scope')
          expect(headers['x-required-scope'], path).toBeUndefined()
        } else {
          expect(status, path).toBe(404)
          expect(headers['x-required-scope'], path).toBe(needed)
          expect(json, path).toEqual({
            error: {
              code: 'NOT_FOUND',
              message: `this key may not read ${resource.plural}: it has the scope ${scope}; add the scope ${needed} to the key, or use another key`,
            },
          })
        }
      }
    },
  )

  test("[R38] if a request is outside of the key's scopes, the request still counts toward the rate limit", async () => {
    const key = await keyWith({ scopes: ['orders:read'] })
    const remaining = async (path: string) => Number((await request(key, { path })).headers['ratelimit-remaining'])
    const before = await remaining('/api/v1/orders')
    expect(await remaining('/api/v1/customers')).toBe(before - 1)
  })
})

describe('changed permissions of a key', () => {
  const change = ({ id }: NewKey, permissions: Partial<ChangeablePermissions>) =>
    changePermissions({ database: platform.service.control, keyId: id, change: permissions })
  const statuses = (key: NewKey, path: string) =>
    Promise.all(nodes.map(async (node) => (await request(key, { path, node })).status))

  test('[R38] if the scopes of a key change, all three nodes apply the new scopes to the next request', async () => {
    const key = await keyWith({ scopes: ['orders:read', 'customers:read'] })
    expect(await statuses(key, '/api/v1/customers')).toEqual([200, 200, 200])
    await change(key, { scopes: ['orders:read'] })
    expect(await statuses(key, '/api/v1/customers')).toEqual([404, 404, 404])
    expect(await statuses(key, '/api/v1/ids/customers')).toEqual([404, 404, 404])
    expect(await statuses(key, '/api/v1/orders')).toEqual([200, 200, 200])
    await change(key, { scopes: null })
    expect(await statuses(key, '/api/v1/customers')).toEqual([200, 200, 200])
  })

  test("[R39] if the allow list of a key is changed to exclude the client, all three nodes return 401 for the client's next request", async () => {
    const key = await keyWith({})
    expect(await statuses(key, '/api/v1/store')).toEqual([200, 200, 200])
    await change(key, { allowedAddresses: ['203.0.113.7'] })
    expect(await statuses(key, '/api/v1/store')).toEqual([401, 401, 401])
    await change(key, { allowedAddresses: ['203.0.113.7', '127.0.0.1', '::1'] })
    expect((await statuses(key, '/api/v1/store')).slice(0, 2)).toEqual([200, 200])
  })
})

describe('expiry and allow list of a key', () => {
  test('[R39] after a key expires, all three nodes return the same 401 as for an invalid key', async () => {
    const key = await keyWith({ expiresAt: new Date(Date.now() + 3_600_000) })
    for (const node of nodes) expect((await request(key, { node })).status).toBe(200)
    await platform.controlSql`update api_keys set expires_at = now() where id = ${key.id}`
    const unknown = await sendRequest(platform.service.url, {
      path: '/api/v1/store',
      headers: { 'x-api-key': 'sdx_x' },
    })
    for (const node of nodes) {
      const { status, text } = await request(key, { node })
      expect([status, text]).toEqual([401, unknown.text])
    }
  })

  test("[R39] if no proxy is trusted, the allow list is compared with the connection's address and not with X-Forwarded-For", async () => {
    const [local, foreign] = [
      await keyWith({ allowedAddresses: ['127.0.0.0/8', '::1'] }),
      await keyWith({ allowedAddresses: ['203.0.113.7'] }),
    ]
    const headers = { 'x-forwarded-for': '203.0.113.7' }
    expect((await request(local, { headers })).status).toBe(200)
    expect((await request(foreign, { headers })).status).toBe(401)
  })

  test.each([
    ['203.0.113.7', 200],
    ['198.51.100.1, 203.0.113.7', 200],
    ['203.0.113.7, 198.51.100.1', 401],
    ['nonsense', 401],
  ])(
    '[R39] if one proxy is trusted and X-Forwarded-For is "%s", a key that allows only 203.0.113.7 gets %i',
    async (forwardedFor, expected) => {
      const key = await keyWith({ allowedAddresses: ['203.0.113.7'] })
      const { status } = await request(key, { node: nodes[2], headers: { 'x-forwarded-for': forwardedFor } })
      expect(status).toBe(expected)
    },
  )

  test.each([
    ['203.0.113.7:51234', 200],
    ['[2001:db8::7]:443', 200],
    ['[2001:db8::7]', 200],
    ['::ffff:203.0.113.7', 200],
    ['198.51.100.1:443', 401],
  ])(
    '[R39] if a trusted proxy writes the address as "%s", a key that allows 203.0.113.7 and 2001:db8::/32 gets %i',
    async (forwardedFor, expected) => {
      const key = await keyWith({ allowedAddresses: ['203.0.113.7', '2001:db8::/32'] })
      const { status } = await request(key, { node: nodes[2], headers: { 'x-forwarded-for': forwardedFor } })
      expect(status).toBe(expected)
    },
  )

  test.each<Record<string, string>>([{ 'x-forwarded-for': 'unknown' }, { 'x-forwarded-for': '203.0.113.7, ' }, {}])(
    '[R39] if a trusted proxy sends no client address (headers %j), a key that allows the address of the proxy gets 401',
    async (headers) => {
      const key = await keyWith({ allowedAddresses: ['127.0.0.0/8', '::1', '203.0.113.7'] })
      expect((await request(key, { node: nodes[2], headers })).status).toBe(401)
    },
  )

  test('[R39] requests from an address outside the allow list do not count toward the rate limit of the key', async () => {
    const key = await keyWith({ allowedAddresses: ['203.0.113.7'] })
    const rejected = await Promise.all(Array.from({ length: 200 }, () => request(key)))
    expect(new Set(rejected.map(({ status }) => status))).toEqual(new Set([401]))
    const headers = { 'x-forwarded-for': '203.0.113.7' }
    const { status, headers: sent } = await request(key, { node: nodes[2], headers })
    expect([status, sent['ratelimit-remaining']]).toEqual([200, '99999'])
  })
})
