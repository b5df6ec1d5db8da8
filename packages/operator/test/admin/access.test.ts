// Tests tokens, problems, limits, idempotency, and TLS of the admin API.

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import https from 'node:https'
import os from 'node:os'
import path from 'node:path'
import { createAdminToken, deleteOldResponses, EncryptionKey, revokeAdminToken } from '@store-export/control'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { openAdmin } from '../../src/open-admin.ts'
import { type AdminScene, startAdminScene } from '../support/admin-scene.ts'
import { freePort, waitUntil } from '../support/embedded-server.ts'

let scene: AdminScene

beforeAll(async () => {
  scene = await startAdminScene()
})

afterAll(() => scene.close())

test.each([
  ['no token', {}],
  ['an unknown token', { token: `sdx_admin_${'0'.repeat(49)}` }],
  ['an API key instead of an admin token', { token: `sdx_${'0'.repeat(49)}` }],
  ['Basic authentication', { token: '', headers: { authorization: 'Basic YTpi' } }],
])('if a request to the admin API has %s, the response is 401 for every path', async (_, options) => {
  for (const request of ['GET /v1/stores', 'GET /nothing']) {
    const { status, headers, json } = await scene.send(request, { token: '', ...options })
    expect([status, headers.get('www-authenticate'), json.type]).toEqual([
      401,
      'Bearer',
      '/operate/admin-api.html#unauthorized',
    ])
  }
})

test('if an admin token is revoked, the next request with this token gets 401, and a request with another admin token gets 200', async () => {
  const { id, text: token } = await scene.createToken('short')
  expect((await scene.send('GET /v1/stores', { token })).status).toBe(200)
  expect(await revokeAdminToken(scene.registry.database, id)).toBe('revoked')
  expect((await scene.send('GET /v1/stores', { token })).status).toBe(401)
  expect((await scene.send('GET /v1/stores')).status).toBe(200)
  expect(await revokeAdminToken(scene.registry.database, id)).toBe('already revoked')
})

test('if an admin token expires, the next request with this token gets 401', async () => {
  const end = new Date(Date.now() + 60_000)
  const { database } = scene.registry
  const { id, token } = await createAdminToken({ database, name: 'old', expiresAt: end, random: randomBytes })
  expect((await scene.send('GET /v1/stores', { token: token.reveal() })).status).toBe(200)
  await scene.sql`update admin_tokens set expires_at = now() - interval '1 s' where id = ${id}`
  expect((await scene.send('GET /v1/stores', { token: token.reveal() })).status).toBe(401)
})

test('the admin API rejects an unknown path with 404, and a wrong method with 405 and the allowed methods', async () => {
  const missing = await scene.send('GET /v2/stores')
  expect([missing.status, missing.json.type]).toEqual([404, '/operate/admin-api.html#not-found'])
  const method = await scene.send('PUT /v1/stores', { body: {} })
  expect([method.status, method.headers.get('allow')]).toEqual([405, 'POST, GET'])
})

test('the admin API rejects a malformed body with 400, a wrong content type with 415, and an oversized body with 413', async () => {
  const invalid = await scene.send('POST /v1/stores', { body: '{"name":' })
  expect([invalid.status, invalid.json.errors[0].field]).toEqual([400, 'body'])
  const missing = await scene.send('POST /v1/stores')
  expect([missing.status, missing.json.errors]).toEqual([400, [{ field: 'body', message: 'missing' }]])
  const headers = { 'content-type': 'text/plain' }
  expect((await scene.send('POST /v1/stores', { body: '{}', headers })).status).toBe(415)
  const large = await scene.send('POST /v1/stores', { body: { name: 'x'.repeat(1_000_001) } })
  expect([large.status, large.json.type]).toEqual([413, '/operate/admin-api.html#body-too-large'])
})

test('if an admin API request completes, its event has the route, the status, and the ID of the admin token', async () => {
  const { headers } = await scene.send('GET /v1/stores/unknown')
  const requestId = headers.get('x-request-id')
  const event = scene.events.find((each) => 'requestId' in each && each.requestId === requestId)
  expect(event).toEqual({
    event: 'admin.request_completed',
    requestId,
    method: 'GET',
    route: '/v1/stores/{store}',
    status: 404,
    durationMs: expect.any(Number),
    tokenId: scene.token.id,
  })
})

test('if a table of the control database is missing, the response is 500 without the name of the table, and an event has the cause', async () => {
  const own = await startAdminScene()
  onTestFinished(() => own.close())
  await own.sql`alter table memberships rename to lost`
  const id = await own.store()
  const { status, text, headers } = await own.send(`GET /v1/stores/${id}/members`)
  expect([status, text]).toEqual([500, expect.not.stringContaining('memberships')])
  const requestId = headers.get('x-request-id')
  expect(own.events).toContainEqual({ event: 'admin.request_failed', requestId, cause: expect.any(Error) })
})

test("if a live node does not have the encryption secret, saving a database URL with a password gets 503 with the node's name", async () => {
  const own = await startAdminScene()
  onTestFinished(() => own.close())
  await own.sql`insert into nodes (id, name, secrets) values (gen_random_uuid(), 'other (pid 7)', '{}')`
  const body = { name: 'Shop', database_url: 'postgres://reader:secret@127.0.0.1:1/shop' }
  const { status, json } = await own.send('POST /v1/stores', { body })
  expect([status, json.type, json.detail]).toEqual([
    503,
    '/operate/admin-api.html#secrets-differ',
    expect.stringContaining('other (pid 7)'),
  ])
  const change = await own.send(`PATCH /v1/stores/${await own.store()}`, { body: { database_url: body.database_url } })
  expect(change.status).toBe(503)
})

test('if the database URL of an upgrade names a missing database, the response is 502 and says that the database does not exist', async () => {
  const url = new URL(scene.controlUrl)
  url.pathname = '/does_not_exist'
  const body = { to: 'v1.6', database_url: url.href }
  const { status, json } = await scene.send(`POST /v1/stores/${await scene.store()}/upgrade`, { body })
  expect([status, json.type]).toEqual([502, '/operate/admin-api.html#database-error'])
  expect(json.detail).toContain('the store database does not exist')
})

test('if the control database is unreachable, the admin API responds with 503', async () => {
  const { config } = readConfig({ STORE_EXPORT_ADMIN_PORT: String(await freePort()) })
  const controlUrl = `postgres://control@127.0.0.1:${await freePort()}/control`
  const other = await openAdmin({ config, controlUrl, keys: scene.keys, emit: () => undefined })
  onTestFinished(() => other.stop(0))
  const response = await fetch(`${other.url}/v1/stores`, { headers: { authorization: `Bearer ${scene.token.text}` } })
  expect([response.status, await response.json()]).toMatchObject([
    503,
    { type: '/operate/admin-api.html#database-unreachable' },
  ])
})

test('if /openapi.json of the admin API is requested without a token, the response is 200 with the OpenAPI document', async () => {
  const { status, json } = await scene.send('GET /openapi.json', { token: '' })
  expect([status, json.openapi]).toEqual([200, '3.1.0'])
  expect(Object.keys(json.paths)).toContain('/v1/stores/batch')
})

const BODY = { name: 'Shop', state: 'generating', keys: [{ name: 'one' }] }

test('if a request is repeated with the same Idempotency-Key, the response is the same, and the audit log gets no second event', async () => {
  const headers = { 'idempotency-key': 'order-1' }
  const first = await scene.send('POST /v1/stores', { body: BODY, headers })
  const before = await scene.audit()
  const again = await scene.send('POST /v1/stores', { body: BODY, headers })
  expect([again.status, again.text]).toEqual([first.status, first.text])
  expect([first, again].map((each) => each.headers.get('idempotent-replayed'))).toEqual([null, 'true'])
  expect(await scene.audit()).toEqual(before)
  const [row] = await scene.sql`select response from idempotency_keys where status = 201`
  expect(Buffer.from(row?.response, 'base64').toString('latin1')).not.toContain('sdx_')
})

test('if an Idempotency-Key is sent again with another body or path, the response is 422', async () => {
  const headers = { 'idempotency-key': 'order-2' }
  const body = { name: 'Stock' }
  const [first, second] = [await scene.store(), await scene.store()]
  await scene.send(`POST /v1/stores/${first}/keys`, { body, headers })
  const responses = [
    await scene.send(`POST /v1/stores/${first}/keys`, { body: { name: 'Other' }, headers }),
    await scene.send(`POST /v1/stores/${second}/keys`, { body, headers }),
  ]
  for (const { status, json } of responses)
    expect([status, json.type]).toEqual([422, '/operate/admin-api.html#idempotency-key-reused'])
})

test('if requests with different admin tokens use the same Idempotency-Key, each request creates its own store', async () => {
  const headers = { 'idempotency-key': 'order-3' }
  const { text: token } = await scene.createToken('second')
  const first = await scene.send('POST /v1/stores', { body: BODY, headers })
  const other = await scene.send('POST /v1/stores', { body: BODY, headers, token })
  expect(other.json.id).not.toBe(first.json.id)
})

test('if a request with an Idempotency-Key is still running, a second request with the same Idempotency-Key gets 409', async () => {
  const headers = { 'idempotency-key': 'order-4' }
  const id = await scene.store()
  const lock = await scene.sql.reserve()
  await lock`begin`
  await lock`select from stores where id = ${id} for update`
  const first = scene.send(`POST /v1/stores/${id}/keys`, { body: { name: 'a' }, headers })
  await waitUntil(async () => (await scene.sql`select from idempotency_keys where status is null`).length > 0)
  const second = await scene.send(`POST /v1/stores/${id}/keys`, { body: { name: 'a' }, headers })
  expect([second.status, second.json.type]).toEqual([409, '/operate/admin-api.html#request-running'])
  await lock`rollback`
  lock.release()
  expect((await first).status).toBe(201)
  expect((await scene.send(`GET /v1/stores/${id}/keys`)).json.data).toHaveLength(1)
})

test('if a request with an Idempotency-Key gets 404 for a missing store, a repetition gets the same 404, even if the store exists by then', async () => {
  const headers = { 'idempotency-key': 'order-5' }
  const refused = await scene.send('POST /v1/stores/later/keys', { body: { name: 'a' }, headers })
  await scene.send('POST /v1/stores', { body: { name: 'Later', external_id: 'later', state: 'generating' } })
  const again = await scene.send('POST /v1/stores/later/keys', { body: { name: 'a' }, headers })
  expect([refused.status, again.status, again.text]).toEqual([404, 404, refused.text])
})

test('if a request with an Idempotency-Key gets a 5xx response, a repetition runs the request again', async () => {
  const headers = { 'idempotency-key': 'order-6' }
  const id = await scene.store()
  const body = { to: 'v1.6', database_url: 'postgres://owner@127.0.0.1:1/shop' }
  expect((await scene.send(`POST /v1/stores/${id}/upgrade`, { body, headers })).status).toBe(503)
  const again = await scene.send(`POST /v1/stores/${id}/upgrade`, { body, headers })
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([503, null])
})

test('if the node stopped during a request with an Idempotency-Key, a repetition gets 409 for a minute, and then runs the request again', async () => {
  const headers = { 'idempotency-key': 'order-9' }
  const first = await scene.send('POST /v1/stores', { body: BODY, headers })
  const abandon = (seconds: number) => scene.sql`
    update idempotency_keys set status = null, content_type = null, response = null,
      active_at = now() - make_interval(secs => ${seconds})`
  await abandon(50)
  expect((await scene.send('POST /v1/stores', { body: BODY, headers })).status).toBe(409)
  await abandon(70)
  const again = await scene.send('POST /v1/stores', { body: BODY, headers })
  expect([again.status, again.json.id === first.json.id]).toEqual([201, false])
})

test('if the response stored for an Idempotency-Key is 25 hours old, a repetition runs the request again, and the cleanup deletes the response', async () => {
  const headers = { 'idempotency-key': 'order-7' }
  const first = await scene.send('POST /v1/stores', { body: BODY, headers })
  await scene.sql`update idempotency_keys set active_at = now() - interval '25 hours'`
  const again = await scene.send('POST /v1/stores', { body: BODY, headers })
  expect(again.json.id).not.toBe(first.json.id)
  await scene.sql`update idempotency_keys set active_at = now() - interval '25 hours'`
  expect(await deleteOldResponses(scene.registry.database)).toBeGreaterThan(0)
  expect(await scene.sql`select from idempotency_keys`).toHaveLength(0)
})

test('if the encryption secret was replaced after a request, repeating the request with the same Idempotency-Key gets 409', async () => {
  const headers = { 'idempotency-key': 'order-8' }
  await scene.send('POST /v1/stores', { body: BODY, headers })
  const port = await freePort()
  const { config } = readConfig({ STORE_EXPORT_ADMIN_PORT: String(port) })
  const keys = { current: new EncryptionKey(randomBytes(32)), previous: null }
  const other = await openAdmin({ config, controlUrl: scene.controlUrl, keys, emit: () => undefined })
  onTestFinished(() => other.stop(0))
  const response = await fetch(`${other.url}/v1/stores`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${scene.token.text}`, 'content-type': 'application/json' },
    body: JSON.stringify(BODY),
  })
  expect([response.status, await response.json()]).toMatchObject([
    409,
    { type: '/operate/admin-api.html#response-unreadable' },
  ])
})

test.each(['', 'a b', 'x'.repeat(256)])('if the Idempotency-Key is %j, the response is 400', async (key) => {
  const { status, json } = await scene.send('POST /v1/stores', { body: BODY, headers: { 'idempotency-key': key } })
  expect([status, json.errors?.[0]?.field]).toEqual([400, 'Idempotency-Key'])
})

test('if the admin API requires client certificates, a connection without a certificate fails, and a request with one gets 200', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), `store-export-test-${process.pid}-`))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'ignore' })
  const files = (name: string) => ['-keyout', `${name}.key`, '-out', `${name}.pem`]
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1']
  openssl(
    'req',
    '-x509',
    ...key,
    ...files('server'),
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=IP:127.0.0.1',
  )
  openssl('req', '-x509', ...key, ...files('client'), '-subj', '/CN=backend')
  const file = (name: string) => path.join(folder, name)
  const secure = await startAdminScene({
    ADMIN_TLS_CERT_FILE: file('server.pem'),
    ADMIN_TLS_KEY_FILE: file('server.key'),
    ADMIN_TLS_CLIENT_CA_FILE: file('client.pem'),
  })
  onTestFinished(() => secure.close())
  const ca = readFileSync(file('server.pem'))
  const certificate = { cert: readFileSync(file('client.pem')), key: readFileSync(file('client.key')) }
  const get = (options: https.RequestOptions) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization: `Bearer ${secure.token.text}` }
      https
        .get(`${secure.url}/v1/stores`, { ca, headers, agent: false, ...options }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        .on('error', reject)
    })
  expect(secure.url).toMatch(/^https:/)
  await expect(get({})).rejects.toThrow()
  expect(await get(certificate)).toBe(200)
})

test('if STORE_EXPORT_ADMIN_TLS_CERT_FILE is set without STORE_EXPORT_ADMIN_TLS_KEY_FILE, starting the admin API fails and names the missing setting', async () => {
  const { config } = readConfig({ STORE_EXPORT_ADMIN_PORT: '1', STORE_EXPORT_ADMIN_TLS_CERT_FILE: '/cert.pem' })
  const target = { config, controlUrl: scene.controlUrl, keys: scene.keys, emit: () => undefined }
  await expect(openAdmin(target)).rejects.toThrow('STORE_EXPORT_ADMIN_TLS_KEY_FILE: not set')
})

test('if STORE_EXPORT_ADMIN_HOST is not an address of the machine, starting the admin API fails and names this setting', async () => {
  const { config } = readConfig({ STORE_EXPORT_ADMIN_PORT: '9091', STORE_EXPORT_ADMIN_HOST: '192.0.2.1' })
  const target = { config, controlUrl: scene.controlUrl, keys: scene.keys, emit: () => undefined }
  await expect(openAdmin(target)).rejects.toThrow('set STORE_EXPORT_ADMIN_HOST to one of its addresses')
})

test('if the TLS certificate file is missing or is not valid PEM, starting the admin API fails and gives the reason', async () => {
  const start = (file: string) => {
    const files = { STORE_EXPORT_ADMIN_TLS_CERT_FILE: file, STORE_EXPORT_ADMIN_TLS_KEY_FILE: file }
    const { config } = readConfig({ STORE_EXPORT_ADMIN_PORT: '9091', ...files })
    return openAdmin({ config, controlUrl: scene.controlUrl, keys: scene.keys, emit: () => undefined })
  }
  await expect(start('/missing.pem')).rejects.toThrow('STORE_EXPORT_ADMIN_TLS_CERT_FILE: cannot read "/missing.pem"')
  await expect(start(import.meta.filename)).rejects.toThrow('must be valid PEM files that belong together')
})
