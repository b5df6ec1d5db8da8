import http from 'node:http'
import { LATEST_REVISION } from '@store-export/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { validateResponse } from '../../../test/support/openapi.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from './support/filled-store.ts'
import { sendRequest } from './support/http.ts'
import { CORS, SPEC_ENDPOINTS, UNKNOWN_ID } from './support/spec-endpoints.ts'

const REQUESTS = 5000
const AT_ONCE = 8
/** Each run sends other requests. A failure prints the seed that repeats the run. */
const SEED = Number(process.env.HOSTILE_SEED ?? Date.now() % 2 ** 31)

let platform: TestPlatform
let store: TestStore
let agent: http.Agent
beforeAll(async () => {
  platform = await startPlatform()
  store = await filledStore(platform, LATEST_REVISION, {
    orders: 30,
    customers: 12,
    products: 8,
    locations: 1,
    groups: 1,
  })
  agent = new http.Agent({ keepAlive: true, maxSockets: AT_ONCE })
})
afterAll(async () => {
  agent.destroy()
  await platform.close()
})

/** Values that have broken other services. */
const NASTY = [
  ...[
    "'",
    '"',
    "' or 1=1 --",
    "'; drop table orders; --",
    "\\'; select pg_sleep(9); --",
    '$1',
    '$$',
    '%',
    '%%',
    '\\',
    '\\x00',
    "E'\\'",
  ],
  ...[
    '../../etc/passwd',
    '..%2f..%2f',
    '/',
    '//',
    '\\..\\',
    '.',
    '..',
    '%2e%2e/',
    ';/../',
    '~root',
    'C:\\',
    'file:///etc/passwd',
  ],
  ...[
    '%00',
    '%0a',
    '%0d%0aSet-Cookie:%20a=b',
    '%u0041',
    '%c0%ae',
    '%ff%fe',
    '%',
    '%z',
    '%1',
    '%25',
    '%2525',
    '%F0%9F%98%80',
    '%ED%A0%80',
  ],
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '[object Object]',
    'undefined',
    'null',
    'NaN',
    'true',
    '[]',
    '{}',
  ],
  ...[
    '0',
    '-1',
    '1e309',
    '0x7fffffff',
    '9'.repeat(400),
    '2147483648',
    '-9223372036854775809',
    '1.7976931348623157e308',
    '٣',
    '５',
  ],
  ...[
    '<script>alert(1)</script>',
    '{{7*7}}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the test sends a template expression
    '${7*7}',
    '`id`',
    '| id',
    '& ping',
    '%24%7Bjndi:ldap://x%7D',
    '(((((((((((((((',
    '*',
    'a'.repeat(3000),
  ],
  ...[
    '2026-01-01',
    '2026-02-30T00:00:00Z',
    '9999-12-31T23:59:59-23:59',
    '0001-01-01T00:00:00+23:59',
    'infinity',
    'now()',
    '-infinity',
    'epoch',
  ],
  ...[
    '250',
    '251',
    'paid',
    'active',
    UNKNOWN_ID,
    UNKNOWN_ID.toUpperCase(),
    `{${UNKNOWN_ID}}`,
    'A'.repeat(56),
    '_'.repeat(56),
    '%E2%80%A8',
    '\u00ad',
  ],
]
const PARAMETERS = [
  'limit',
  'cursor',
  'updated_since',
  'created_since',
  'status',
  'x-api-key',
  'page',
  'sort',
  '__proto__',
  'id',
  '',
]
const PATHS = [
  ...SPEC_ENDPOINTS.map(({ path }) => path),
  '/api/v1',
  '/api/v2/orders',
  '/',
  '/docs',
  '/openapi.json',
  '/errors',
  '/llms.txt',
  '',
]
const METHODS = [
  'GET',
  'GET',
  'GET',
  'GET',
  'GET',
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
]

/** Escapes text for the request line. framing.test.ts tests text that HTTP forbids. */
const inTarget = (text: string): string =>
  [...text]
    .map((each) => (/^[\x21-\x7e]$/.test(each) && each !== '#' ? each : encodeURIComponent(each.toWellFormed())))
    .join('')

const text = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...NASTY) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  {
    weight: 1,
    arbitrary: fc
      .uint8Array({ maxLength: 30 })
      .map((bytes) => Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...NASTY), fc.constantFrom(...NASTY)).map((both) => both.join('')) },
)
const pair = fc.tuple(
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...PARAMETERS) }, { weight: 1, arbitrary: text }),
  text,
)
const path = fc
  .tuple(fc.constantFrom(...PATHS), text, fc.option(text, { freq: 6 }))
  .map(([base, id, tail]) => base.replace('{id}', inTarget(id)) + (tail === null ? '' : `/${inTarget(tail)}`))
const request = fc.record({
  method: fc.constantFrom(...METHODS),
  path,
  query: fc.array(pair, { maxLength: 5 }),
  key: fc.oneof(
    { weight: 12, arbitrary: fc.constant('good') },
    { weight: 1, arbitrary: fc.constantFrom('', 'sdx_x', 'none', '__proto__') },
  ),
  headers: fc.dictionary(
    fc.constantFrom(
      'accept',
      'accept-encoding',
      'origin',
      'x-forwarded-for',
      'range',
      'if-none-match',
      'content-type',
      'x-http-method-override',
      'cookie',
      'user-agent',
    ),
    fc
      .constantFrom(...NASTY, 'gzip', 'br;q=0.1', 'bytes=0-1', '*', 'POST', 'application/xml')
      .map((value) => value.replace(/[^\x20-\x7e]/g, '?')),
    { maxKeys: 3 },
  ),
})

async function send({ method, path, query, key, headers }: typeof request extends fc.Arbitrary<infer T> ? T : never) {
  const target = `${path.startsWith('/') ? path : `/${path}`}${query.length === 0 ? '' : '?'}${query
    .map(([name, value]) => `${inTarget(name)}=${inTarget(value)}`)
    .join('&')}`
  const keyHeader = key === 'none' ? {} : { 'x-api-key': key === 'good' ? store.key : key }
  const response = await sendRequest(platform.service.url, {
    method,
    path: target,
    headers: { ...headers, ...keyHeader },
    agent,
  })
  return { method, target, response }
}

function checkResponse({ method, target, response }: Awaited<ReturnType<typeof send>>): void {
  const what = `${method} ${target.slice(0, 300)}`
  expect(response.status, what).toBeLessThan(500)
  expect(
    Object.keys(response.headers).filter((name) => CORS.test(name)),
    what,
  ).toEqual([])
  if (method === 'HEAD') {
    expect(response.body.length, what).toBe(0)
    return
  }
  expect(response.headers['content-length'], what).toBe(String(response.body.length))
  if (response.headers['content-encoding'] !== undefined) return
  if (response.status >= 400) {
    expect([Object.keys(response.json ?? {}), Object.keys(response.json?.error ?? {})], what).toEqual([
      ['error'],
      ['code', 'message'],
    ])
    expect(response.json.error.message.length, what).toBeLessThan(500)
  }
  if (method === 'GET' && target.startsWith('/api/v1/'))
    validateResponse({ path: target, status: response.status, json: response.json })
}

test(`[GEN-5, ERR-1] if ${REQUESTS} random hostile requests are sent, each gets a documented status below 500 and no CORS header`, async () => {
  const statuses = new Map<number, number>()
  const requests = fc.sample(request, { numRuns: REQUESTS, seed: SEED })
  const next = requests.values()
  const worker = async () => {
    for (const each of next) {
      const done = await send(each)
      statuses.set(done.response.status, (statuses.get(done.response.status) ?? 0) + 1)
      try {
        checkResponse(done)
      } catch (error) {
        throw new Error(`HOSTILE_SEED=${SEED}: ${JSON.stringify(each).slice(0, 1000)}`, { cause: error })
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  // The requests must cause all kinds of responses, not only one error.
  for (const status of [200, 400, 401, 404, 405])
    expect(statuses.get(status) ?? 0, `status ${status}`).toBeGreaterThan(20)
  expect(platform.events.filter(({ event }) => event.endsWith('failed'))).toEqual([])
  const [row] = await store.sql`select count(*)::int from orders`
  expect(row?.count).toBe(30)
}, 60_000)
