import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClient } from '../../../test/support/client.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { combine, type ServiceEvent } from '../../operator/src/events.ts'
import { createLog } from '../../operator/src/log.ts'
import { filledStore } from './support/filled-store.ts'
import { type RawResponse, sendBytes, sendRequest } from './support/http.ts'
import { CORS, pathsWith, SPEC_BY_ID, SPEC_LISTS, UNKNOWN_ID } from './support/spec-endpoints.ts'
import { storeWithoutDatabase } from './support/store-without-database.ts'

const HASH = '$argon2id$v=19$never-to-be-seen'
let platform: TestPlatform
let store: TestStore
let other: TestStore
let gone: TestStore
const responses: RawResponse[] = []
const raw: string[] = []
const cursors = new Set<string>()

beforeAll(async () => {
  platform = await startPlatform({ STORE_TIMEOUT_MS: '2000' })
  ;[store, other, gone] = await Promise.all([
    filledStore(platform),
    filledStore(platform, 'v1.3'),
    platform.provision(),
  ])
  await store.sql`update customers set password_hash = ${HASH} || id, updated_at = updated_at`
  const admin = openClient(platform.controlUrl)
  await admin.unsafe(`drop database "${new URL(gone.ownerUrl).pathname.slice(1)}" with (force)`)
  await admin.end()
  await requestEverything()
})
afterAll(() => platform.close())

/**
 * Sends requests to every endpoint: with valid and invalid keys, cursors, wrong parameters, database errors, and
 * malformed requests.
 */
async function requestEverything(): Promise<void> {
  const keys = [
    store.key,
    other.key,
    gone.key,
    (await storeWithoutDatabase(platform, 'imported')).key,
    `${store.key.slice(0, -1)}!`,
  ]
  for (const key of keys) for (const path of pathsWith(UNKNOWN_ID)) await send(path, key)
  for (const { path } of SPEC_LISTS) {
    for (let cursor = '', pages = 0; pages < 8; pages += 1) {
      const { json } = await send(`${path}?limit=3&x=${store.key}${cursor}`, store.key)
      if (!json.meta.has_more) break
      cursors.add(json.meta.next_cursor)
      cursor = `&cursor=${json.meta.next_cursor}`
    }
    for (const cursor of cursors) await send(`${path}?cursor=${cursor}x`, store.key)
  }
  const { json } = await send('/api/v1/customers?limit=250', store.key)
  for (const { id } of json.data) await send(`/api/v1/customers/${id}`, store.key)
  for (const method of ['POST', 'OPTIONS', 'TRACE']) await send('/api/v1/orders', store.key, method)
  await send(`/api/v1/orders?limit=${store.key}`, store.key)
  await send(`/api/v1/orders?${store.key}=1`, store.key)
  await send(`/api/v1/orders/${store.key}`, store.key)
  await send(`/api/v1/${store.key}`, store.key)
  raw.push(
    await sendBytes(platform.service.url, `GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\nx-api-key: ${store.key}\r\n\r\n`),
  )
  raw.push(await sendBytes(platform.service.url, `GET /${store.key} HTTP/9\r\nx-api-key: ${store.key}\r\n\r\n`))
}

async function send(path: string, key: string, method = 'GET'): Promise<RawResponse> {
  const response = await sendRequest(platform.service.url, {
    method,
    path,
    headers: { 'x-api-key': key, origin: 'https://a.example' },
  })
  responses.push(response)
  return response
}

const logged = (): string => {
  const lines: string[] = []
  const handleEvent = combine(
    createLog({ level: 'debug', to: { write: (line: string) => lines.push(line) } }).handleEvent,
  )
  for (const event of platform.events) handleEvent(event)
  return lines.join('')
}
const passwords = (): string[] =>
  [store, other, gone].flatMap(({ ownerUrl, readerUrl }) => [ownerUrl, readerUrl].map((url) => new URL(url).password))
const keysOf = (): string[] => [store, other, gone].map(({ key }) => key)
const everything = (): string =>
  [...responses.flatMap(({ headers, text }) => [JSON.stringify(headers), text]), ...raw].join('\n')

test('the requests of the leak tests get 200, 400, 401, 403, 404, 405, and 502, and cause events of rejected, malformed, and failed requests', () => {
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 400, 401, 403, 404, 405, 502]))
  expect(cursors.size).toBeGreaterThan(10)
  const events = new Set(platform.events.map(({ event }) => event))
  for (const event of [
    'request.completed',
    'key.rejected',
    'store.query_failed',
    'request.malformed',
  ] as const satisfies ServiceEvent['event'][])
    expect(events).toContain(event)
  expect(logged().split('\n').length).toBeGreaterThan(responses.length)
})

describe('[GEN-3] passwords in responses and logs', () => {
  test('after requests to every endpoint, no response and no log line contains the password hash of a customer', () => {
    for (const text of [everything(), logged()]) expect(text).not.toMatch(/argon2|never-to-be-seen|password_hash/)
  })

  test('after requests to every endpoint, no response and no log line contains the password of a store database', () => {
    for (const password of passwords()) {
      expect(password.length).toBeGreaterThan(20)
      expect(everything()).not.toContain(password)
      expect(logged()).not.toContain(password)
    }
  })

  test('if the reader role selects a password hash or updates a customer, PostgreSQL rejects the statement', async () => {
    const reader = openClient(store.readerUrl)
    await expect(reader`select * from customers`).rejects.toMatchObject({ code: '42501' })
    await expect(reader`select password_hash from customers`).rejects.toMatchObject({ code: '42501' })
    const write = reader.begin('read write', (sql) => sql`update customers set name = 'x'`)
    await expect(write).rejects.toMatchObject({ code: '42501' })
    await reader.end()
  })
})

test('[AUTH-3] if clients send API keys in the header, a path, or a parameter, no response and no log line contains a key', () => {
  // Two responses repeat what the client sent: an invalid value of `limit`, and the name of an unknown parameter.
  expect(everything()).toContain('got \\"sdx_…\\"')
  expect(everything()).toContain(`"x-ignored-params":"${encodeURIComponent('sdx_…')}"`)
  for (const key of keysOf()) {
    expect(everything()).not.toContain(key.slice(4, -6))
    expect(logged()).not.toContain(key.slice(4, -6))
  }
})

test('[R15] if clients send valid and invalid cursors, no log line contains a cursor', () => {
  for (const cursor of cursors) expect(logged()).not.toContain(cursor)
})

test('after all customers were read, no log line contains an email address or a name of a customer', async () => {
  const people = await store.sql`select email, name from customers where name is not null`
  const text = logged()
  for (const { email, name } of people) {
    expect(text).not.toContain(email)
    expect(text).not.toContain(name)
  }
})

test('[GEN-5] if requests have an Origin header, no response of any status has a CORS header', () => {
  for (const { headers } of responses) expect(Object.keys(headers).filter((name) => CORS.test(name))).toEqual([])
  for (const received of raw) expect(received.toLowerCase()).not.toContain('access-control')
})

test('an error response of any status contains no SQL, file name, or database name', () => {
  for (const { status, text } of responses)
    if (status >= 400)
      expect(text).not.toMatch(/select |postgres|relation|column|\.ts|node_modules|ECONN|127\.0\.0\.1|at async/i)
})

describe('[GEN-2, EP-ID-MISSING] IDs of another store', () => {
  test.each(SPEC_BY_ID.map(({ path, idOf }) => [path, idOf ?? 'orders'] as const))(
    'if the ID in the path belongs to a row of another store, %s returns 404',
    async (path, table) => {
      // Demo stores with the same seed have the same rows, so this row exists only in the other store.
      const [row] = await other.sql`insert into ${other.sql(table)} ${other.sql(OWN[table] ?? {})} returning id::text`
      const at = path.replace('{id}', String(row?.id))
      expect((await send(at, other.key)).status).toBe(200)
      expect([(await send(at, store.key)).status, (await send(at, store.key)).json.error.code]).toEqual([
        404,
        'NOT_FOUND',
      ])
      await other.sql`delete from ${other.sql(table)} where id = ${String(row?.id)}`
    },
  )
})

const OWN: Readonly<Record<string, Record<string, string>>> = {
  orders: { id: '00000000-0000-4000-8000-0000000000f1', email: 'own@example.com' },
  customers: { id: '00000000-0000-4000-8000-0000000000f2', email: 'own@example.com' },
  products: { id: '00000000-0000-4000-8000-0000000000f3', name: 'own', slug: 'own', price: '1' },
}

test('[GEN-2] if the email addresses of orders differ between two stores, each key lists only the addresses of its own store', async () => {
  await other.sql`update orders set email = 'of-the-other@example.com'`
  for (let cursor = ''; ; ) {
    const { json } = await send(`/api/v1/orders?limit=250${cursor}`, store.key)
    expect(json.data.some(({ email }: { email: string }) => email === 'of-the-other@example.com')).toBe(false)
    if (!json.meta.has_more) break
    cursor = `&cursor=${json.meta.next_cursor}`
  }
  const { json } = await send('/api/v1/orders?limit=250', other.key)
  expect(json.data.every(({ email }: { email: string }) => email === 'of-the-other@example.com')).toBe(true)
})
