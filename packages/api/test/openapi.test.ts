import { gunzipSync } from 'node:zlib'
import { LATEST_REVISION, openapi } from '@store-export/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { documentedHeaders, validateResponse } from '../../../test/support/openapi.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from './support/filled-store.ts'
import { sendRequest } from './support/http.ts'
import { SPEC_ENDPOINTS, UNKNOWN_ID } from './support/spec-endpoints.ts'
import { storeWithoutDatabase } from './support/store-without-database.ts'

const VERSIONS = [LATEST_REVISION, 'v1.3', 'launch'] as const

let platform: TestPlatform
let stores: TestStore[]
beforeAll(async () => {
  platform = await startPlatform({ COUNTS_MAX_AGE_SECONDS: '0' })
  const size = { orders: 60, customers: 20, products: 12, locations: 2, groups: 2 }
  stores = await Promise.all(VERSIONS.map((version) => filledStore(platform, version, size)))
})
afterAll(() => platform.close())

test("[VER-1] GET /openapi.json returns the contract's OpenAPI document, which has all endpoints of the specification", async () => {
  const { status, json } = await platform.get('/openapi.json', null)
  expect(status).toBe(200)
  expect(json.openapi).toMatch(/^3\.1\./)
  expect(json.paths).toEqual(JSON.parse(JSON.stringify(openapi().paths)))
  expect(json.components).toEqual(JSON.parse(JSON.stringify(openapi().components)))
  expect(Object.keys(json.paths).sort()).toEqual(SPEC_ENDPOINTS.map(({ path }) => path).sort())
  for (const { path, parameters, idOf } of SPEC_ENDPOINTS) {
    expect(Object.keys(json.paths[path])).toEqual(['get'])
    const names = (json.paths[path].get.parameters ?? []).map(
      (each: { name?: string; $ref?: string }) => each.name ?? 'id',
    )
    expect(names.sort(), path).toEqual([...parameters, ...(idOf === undefined ? [] : ['id'])].sort())
  }
})

test('if the Host header is valid, /openapi.json names this host as the server; otherwise, it names the listen address', async () => {
  const { url } = platform.service
  const serversAt = async (headers: Record<string, string>) =>
    (await sendRequest(url, { path: '/openapi.json', headers })).json.servers.map(
      (server: { url: string }) => server.url,
    )
  expect(await serversAt({})).toEqual([url])
  const requested = { host: 'export.shop.example:8443', 'x-forwarded-proto': 'https' }
  expect(await serversAt(requested)).toEqual(['https://export.shop.example:8443'])
  expect(await serversAt({ host: 'a"b' })).toEqual([url])
  const compressed = await sendRequest(url, { path: '/openapi.json', headers: { 'accept-encoding': 'gzip' } })
  expect(JSON.parse(gunzipSync(compressed.body).toString()).servers[0].url).toBe(url)
})

describe('[ENV-1, ENV-2, ENV-3] documented responses', () => {
  const OPTIONAL = ['x-ignored-params', 'traceparent', 'x-required-scope']

  async function check(path: string, key: string | null, method = 'GET'): Promise<number> {
    const headers = key === null ? {} : { 'x-api-key': key }
    const response = await sendRequest(platform.service.url, { method, path, headers })
    validateResponse({ path, status: response.status, json: response.json })
    const missing = documentedHeaders({ path, status: response.status }).filter(
      (name) => response.headers[name] === undefined && !OPTIONAL.includes(name),
    )
    expect([path, response.status, missing]).toEqual([path, response.status, []])
    return response.status
  }

  test.each([...VERSIONS.entries()])(
    'if a store has the schema version $1, every response of every endpoint matches the OpenAPI document',
    async (index) => {
      const store = stores[index]
      if (store === undefined) throw new Error('no such store')
      for (const { path, idOf, parameters } of SPEC_ENDPOINTS) {
        const rows =
          idOf === undefined ? [{ id: '' }] : await store.sql`select id::text from ${store.sql(idOf)} limit 12`
        for (const { id } of rows) expect(await check(path.replace('{id}', String(id)), store.key)).toBe(200)
        const queries = parameters.includes('cursor')
          ? ['?limit=250', '?limit=0', '?cursor=x', '?limit=1&x=1']
          : ['?limit=0']
        for (const query of queries) await check(path.replace('{id}', UNKNOWN_ID) + query, store.key)
        if (idOf !== undefined) expect(await check(path.replace('{id}', 'x'), store.key)).toBe(400)
      }
    },
  )

  test('if an endpoint returns 401, 403, 405, or 409, the response matches the OpenAPI document', async () => {
    const [imported, generating] = [
      await storeWithoutDatabase(platform, 'imported'),
      await storeWithoutDatabase(platform, 'generating'),
    ]
    for (const { path } of SPEC_ENDPOINTS) {
      const at = path.replace('{id}', UNKNOWN_ID)
      expect(await check(at, null)).toBe(401)
      expect(await check(at, imported.key)).toBe(403)
      expect(await check(at, generating.key)).toBe(409)
      expect(await check(at, stores[0]?.key ?? null, 'POST')).toBe(405)
    }
  })
})

test('if a response lacks a field, has a value of the wrong type, or has an undocumented status, validateResponse throws an error', () => {
  const meta = { next_cursor: null, has_more: false }
  const group = {
    ...{ id: UNKNOWN_ID, name: 'n', description: null, is_active: true, sort_order: 0 },
    ...{ created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' },
  }
  const check =
    (json: unknown, status = 200) =>
    () =>
      validateResponse({ path: '/api/v1/customer-groups?x=1', status, json })
  expect(check({ data: [group], meta })).not.toThrow()
  const { name, ...nameless } = group
  expect(check({ data: [nameless], meta })).toThrow('name')
  expect(check({ data: [{ ...group, name: 1 }], meta })).toThrow('name')
  expect(check({ data: [{ ...group, created_at: '2026-01-01T00:00:00Z' }], meta })).toThrow('created_at')
  expect(check({ data: [group] })).toThrow('meta')
  expect(check({ data: [], meta: { ...meta, next_cursor: 5 } })).toThrow('next_cursor')
  expect(check({ data: [], meta }, 418)).toThrow('418')
  expect(check({ error: { code: 'NO_SUCH', message: '' } }, 400)).toThrow('code')
})
