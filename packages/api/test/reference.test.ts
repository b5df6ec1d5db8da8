import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClient } from '../../../test/support/client.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { CORS } from './support/endpoints.ts'
import { ask } from './support/http.ts'

let platform: TestPlatform
let store: TestStore
beforeAll(async () => {
  platform = await startPlatform()
  store = await platform.provision()
})
afterAll(() => platform.close())

const CODES = [
  ...['INVALID_API_KEY', 'STORE_NOT_SUPPORTED', 'STORE_NOT_READY', 'INVALID_PARAM', 'INVALID_CURSOR', 'NOT_FOUND'],
  ...['RATE_LIMITED', 'STORE_DB_ERROR'],
]
const GUIDES = [
  ...[
    'authentication',
    'pagination',
    'incremental-sync',
    'deleted-rows',
    'rate-limits-and-retries',
    'versions',
    'client',
  ],
  ...['store-sync', 'destinations', 'scheduling', 'resume-and-verify', 'sync-troubleshooting'],
  ...['excel', 'google-sheets', 'power-bi', 'accounting', 'erp', 'erasure', 'coming-from-shopify-or-woocommerce'],
].flatMap((name) => [`/guides/${name}`, `/guides/${name}.md`])
const DOCUMENTS = [
  ...['/', '/docs', '/openapi.json', '/llms.txt', '/errors', '/guides', ...GUIDES],
  ...CODES.map((code) => `/errors/${code}`),
]
const read = (path: string, method = 'GET', headers = {}) => ask(platform.service.url, { path, method, headers })

describe('[R2] known paths that need no key', () => {
  test.each(DOCUMENTS)('%s', async (path) => {
    const answer = await read(path)
    expect(answer.status).toBe(200)
    expect(answer.headers['content-length']).toBe(String(answer.body.length))
    expect(answer.headers['content-type']).toMatch(/^(text\/html|text\/plain|text\/markdown|application\/json)/)
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
    expect(Object.keys(answer.headers).filter((name) => CORS.test(name))).toEqual([])
    const withKey = await read(path, 'GET', { 'x-api-key': store.key })
    expect(withKey.status).toBe(200)
    expect(withKey.headers.ratelimit).toBeUndefined()
  })

  test.each(DOCUMENTS)('[R4] HEAD %s', async (path) => {
    const [got, head] = [await read(path), await read(path, 'HEAD')]
    expect([head.status, head.body.length]).toEqual([200, 0])
    expect(head.headers['content-length']).toBe(got.headers['content-length'])
  })

  test('[R3] by any other method they are 405', async () => {
    for (const path of DOCUMENTS)
      for (const method of ['POST', 'DELETE', 'OPTIONS']) {
        const answer = await read(path, method)
        expect([answer.status, answer.headers.allow, answer.json.error.code]).toEqual([405, 'GET, HEAD', 'NOT_FOUND'])
      }
  })

  test('what is beside them is no document: 401 without a key', async () => {
    for (const path of [
      '/docs/',
      '/errors/nothing',
      '/openapi.yaml',
      '/errors/INVALID_API_KEY/',
      '/errors/__proto__',
      '/docs/../openapi.json',
    ])
      expect((await read(path)).status, path).toBe(401)
  })

  test('a query changes nothing', async () => {
    expect((await read('/openapi.json?x=1&limit=0')).text).toBe((await read('/openapi.json')).text)
  })
})

test('nothing in a page comes from, or goes to, another place', async () => {
  for (const path of DOCUMENTS) {
    const { text, headers } = await read(path)
    if (!headers['content-type']?.startsWith('text/html')) continue
    expect(text, path).not.toMatch(/(src|href|action)="(https?:)?\/\//)
    for (const [, to] of text.matchAll(/(?:src|href)="(\/[^"#]*)"/g))
      expect((await read(String(to))).status, `${path} -> ${to}`).toBe(200)
  }
})

test('every answer leads to the description of the service, which is there', async () => {
  const { headers } = await read('/api/v1/orders')
  const targets = [...(headers.link ?? '').matchAll(/<([^>]+)>; rel="(service-[a-z]+)"/g)].map(([, path, rel]) => [
    rel,
    path,
  ])
  expect(Object.fromEntries(targets)).toMatchObject({ 'service-desc': '/openapi.json' })
  for (const [, path] of targets) expect((await read(String(path))).status).toBe(200)
})

test('[R2] documents are there without the control database, too', async () => {
  const alone = await startPlatform({ STORE_TIMEOUT_MS: '500' })
  const admin = openClient(platform.controlUrl)
  const name = new URL(alone.controlUrl).pathname.slice(1)
  await admin.unsafe(`alter database "${name}" allow_connections false`)
  await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
  const statuses: number[] = []
  for (const path of DOCUMENTS) statuses.push((await ask(alone.service.url, { path })).status)
  await admin.unsafe(`alter database "${name}" allow_connections true`)
  await admin.end()
  await alone.close()
  expect(new Set(statuses)).toEqual(new Set([200]))
})
