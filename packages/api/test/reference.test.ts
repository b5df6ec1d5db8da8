import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClient } from '../../../test/support/client.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { sendRequest } from './support/http.ts'
import { CORS } from './support/spec-endpoints.ts'

const CONTACT = 'mailto:security@example.com'

let platform: TestPlatform
let store: TestStore
beforeAll(async () => {
  platform = await startPlatform({ SECURITY_CONTACT: CONTACT })
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
    'generate-a-client',
  ],
  ...['store-sync', 'destinations', 'scheduling', 'resume-and-verify', 'how-a-run-works', 'sync-troubleshooting'],
  ...['excel', 'google-sheets', 'power-bi', 'sql', 'accounting', 'erp', 'assistants', 'erasure'],
  'coming-from-shopify-or-woocommerce',
].flatMap((name) => [`/guides/${name}`, `/guides/${name}.md`])
const DOCUMENTS = [
  ...['/', '/docs', '/openapi.json', '/openapi-3.0.json', '/swagger-2.0.json', '/llms.txt', '/errors', '/guides'],
  ...GUIDES,
  ...CODES.map((code) => `/errors/${code}`),
  ...['/robots.txt', '/.well-known/api-catalog', '/.well-known/security.txt'],
]
const read = (path: string, method = 'GET', headers = {}) =>
  sendRequest(platform.service.url, { path, method, headers })

describe('[R2] documents', () => {
  test.each(DOCUMENTS)('if the request has no key, GET %s returns 200', async (path) => {
    const response = await read(path)
    expect(response.status).toBe(200)
    expect(response.headers['content-length']).toBe(String(response.body.length))
    expect(response.headers['content-type']).toMatch(
      /^(text\/html|text\/plain|text\/markdown|application\/(linkset\+)?json)/,
    )
    expect(response.headers['content-security-policy']).toContain("default-src 'none'")
    expect(response.headers['x-content-type-options']).toBe('nosniff')
    expect(Object.keys(response.headers).filter((name) => CORS.test(name))).toEqual([])
    const withKey = await read(path, 'GET', { 'x-api-key': store.key })
    expect(withKey.status).toBe(200)
    expect(withKey.headers.ratelimit).toBeUndefined()
  })

  test.each(DOCUMENTS)(
    '[R4] if the method is HEAD, %s returns the length of the document without a body',
    async (path) => {
      const [got, head] = [await read(path), await read(path, 'HEAD')]
      expect([head.status, head.body.length]).toEqual([200, 0])
      expect(head.headers['content-length']).toBe(got.headers['content-length'])
    },
  )

  test('[R3] if the method is POST, DELETE, or OPTIONS, a document returns 405', async () => {
    for (const path of DOCUMENTS)
      for (const method of ['POST', 'DELETE', 'OPTIONS']) {
        const response = await read(path, method)
        expect([response.status, response.headers.allow, response.json.error.code]).toEqual([
          405,
          'GET, HEAD',
          'NOT_FOUND',
        ])
      }
  })

  test('a request without a key gets 401 if its path only resembles the path of a document, such as /docs/', async () => {
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

  test('if the URL of the OpenAPI document has a query, the response is the same as without the query', async () => {
    expect((await read('/openapi.json?x=1&limit=0')).text).toBe((await read('/openapi.json')).text)
  })
})

describe('[R45] documents for crawlers and scanners', () => {
  test('robots.txt excludes the paths of the API from crawlers', async () => {
    expect((await read('/robots.txt')).text).toBe('User-agent: *\nDisallow: /api/\n')
  })

  test('if a security contact is set, security.txt is UTF-8 text with this contact and an expiry date', async () => {
    const { text, headers } = await read('/.well-known/security.txt')
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(text).toMatch(/^Contact: mailto:security@example\.com\nExpires: \d{4}-\d\d-\d\dT00:00:00\.000Z\n$/)
  })

  test('if no security contact is set, security.txt returns 404 with and without a key', async () => {
    const silent = await startPlatform()
    for (const headers of [{}, { 'x-api-key': 'sdx_x' }]) {
      const request = { path: '/.well-known/security.txt', headers }
      const { status, json } = await sendRequest(silent.service.url, request)
      expect([status, json.error.code]).toEqual([404, 'NOT_FOUND'])
    }
    await silent.close()
  })

  test('the API catalog has the media type and link relation of RFC 9727', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { headers } = await read('/.well-known/api-catalog', method)
      expect(headers['content-type']).toBe(
        'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
      )
      expect(headers.link).toContain('</.well-known/api-catalog>; rel="api-catalog"')
    }
  })

  test('each document in the API catalog returns 200 with the media type that the catalog states', async () => {
    const [, api] = (await read('/.well-known/api-catalog')).json.linkset
    expect(api.anchor).toBe(`${platform.service.url}/api/v1`)
    for (const { href, type } of [...api['service-desc'], ...api['service-doc']]) {
      const response = await fetch(href)
      expect([href, response.status, response.headers.get('content-type')?.split(';')[0]]).toEqual([href, 200, type])
    }
  })
})

test('the HTML pages load nothing from other hosts, and each of their local links returns 200', async () => {
  for (const path of DOCUMENTS) {
    const { text, headers } = await read(path)
    if (!headers['content-type']?.startsWith('text/html')) continue
    expect(text, path).not.toMatch(/(src|href|action)="(https?:)?\/\//)
    for (const [, to] of text.matchAll(/(?:src|href)="(\/[^"#]*)"/g))
      expect((await read(String(to))).status, `${path} -> ${to}`).toBe(200)
  }
})

test('an API response links to the API description and the reference, and both links return 200', async () => {
  const { headers } = await read('/api/v1/orders')
  const targets = [...(headers.link ?? '').matchAll(/<([^>]+)>; rel="(service-[a-z]+)"/g)].map(([, path, rel]) => [
    rel,
    path,
  ])
  expect(Object.fromEntries(targets)).toMatchObject({ 'service-desc': '/openapi.json' })
  for (const [, path] of targets) expect((await read(String(path))).status).toBe(200)
})

test('[R2] if the control database is down, every document still returns 200', async () => {
  const alone = await startPlatform({ STORE_TIMEOUT_MS: '500', SECURITY_CONTACT: CONTACT })
  const admin = openClient(platform.controlUrl)
  const name = new URL(alone.controlUrl).pathname.slice(1)
  await admin.unsafe(`alter database "${name}" allow_connections false`)
  await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
  const statuses: number[] = []
  for (const path of DOCUMENTS) statuses.push((await sendRequest(alone.service.url, { path })).status)
  await admin.unsafe(`alter database "${name}" allow_connections true`)
  await admin.end()
  await alone.close()
  expect(new Set(statuses)).toEqual(new Set([200]))
})
