import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { LATEST_REVISION } from '@store-export/contract'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createDatabase } from '../../../test/support/databases.ts'
import { PlainBrowser } from '../../../test/support/merchant.ts'
import {
  dropAfterTest,
  newSecret,
  openClientForTest,
  type RunningCommand,
  runCommand,
  SLOW_TEST_TIMEOUTS,
  startCommand,
} from './support/command-process.ts'
import { freePort } from './support/embedded-server.ts'

vi.setConfig(SLOW_TEST_TIMEOUTS)

/** Starts a service on a migrated control database with one store. */
async function startService(more: Readonly<Record<string, string>> = {}) {
  const control = await createDatabase()
  onTestFinished(() => control.drop())
  const operations = `http://127.0.0.1:${await freePort()}`
  const settings = {
    DATABASE_URL: control.url,
    SECRET: newSecret(),
    PORT: '0',
    DASHBOARD_PORT: '0',
    OPERATIONS_PORT: new URL(operations).port,
    STORE_TIMEOUT_MS: '60000',
    ...more,
  }
  expect((await runCommand(['migrate'], { settings })).code).toBe(0)
  const store = (
    await runCommand(['stores', 'provision', '--name', 'S', '--revision', LATEST_REVISION, '--json'], { settings })
  ).json
  dropAfterTest(store.id)
  const { key } = (await runCommand(['keys', 'create', '--store', store.id, '--name', 'k', '--json'], { settings }))
    .json
  const service = startCommand(['serve', '--dashboard'], { settings })
  const [, url = ''] = await service.waitForOutput(/"listener":"api","address":"(http:[^"]+)"/)
  const [, dashboardUrl = ''] = await service.waitForOutput(/"listener":"dashboard","address":"(http:[^"]+)"/)
  const get = (path: string) => fetch(url + path, { headers: { 'x-api-key': key } })
  return { control, settings, store, key, service, url, dashboardUrl, operations, get }
}

/** Returns the lines of the log. Throws if a line is not JSON. */
function linesOf(service: RunningCommand): { event: string }[] {
  return service
    .output()
    .stdout.trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test('after SIGTERM, readyz returns 503, requests in flight complete, and serve exits with code 0', async () => {
  const { service, store, key, operations, get } = await startService()
  expect((await get('/api/v1/orders')).status).toBe(200)
  const getOperations = async (path: string) => {
    const response = await fetch(operations + path)
    return { status: response.status, text: await response.text() }
  }
  expect(await getOperations('/healthz')).toEqual({ status: 200, text: 'alive\n' })
  expect(await getOperations('/readyz')).toEqual({ status: 200, text: 'ready\n' })
  expect((await getOperations('/secrets')).status).toBe(404)
  // The running service reads these files.
  const guide = await get('/guides/store-sync')
  expect([guide.status, await guide.text()]).toEqual([200, expect.stringContaining('store-sync')])
  expect((await fetch(`${operations}/healthz`, { method: 'POST' })).status).toBe(405)
  const metrics = (await getOperations('/metrics')).text
  expect(metrics).toMatch(/^store_export_requests_total\{endpoint="\/api\/v1\/orders",status="200"\} 1$/m)
  expect(metrics).toMatch(/^store_export_pools\{pool="stores"\} 1$/m)

  // The signal arrives while a request waits for a lock.
  const owner = openClientForTest(store.database_url)
  await owner`begin`
  await owner`lock table orders in access exclusive mode`
  const slow = get('/api/v1/orders')
  await expect.poll(async () => (await getOperations('/metrics')).text).toMatch(/connections_busy\{pool="stores"\} 1/)
  service.process.kill('SIGTERM')
  await expect
    .poll(() => getOperations('/readyz'))
    .toEqual({ status: 503, text: 'not ready: this node is shutting down\n' })
  expect((await getOperations('/healthz')).status).toBe(200)
  await owner`rollback`
  expect((await slow).status).toBe(200)
  expect(await service.end()).toEqual({ code: 0, signal: null })

  const events = linesOf(service).map(({ event }) => event)
  const expected = ['node.started', 'listener.opened', 'request.completed', 'shutdown.started', 'node.stopped']
  expect(events).toEqual(expect.arrayContaining(expected))
  const { stdout, stderr } = service.output()
  expect(stdout + stderr).not.toContain(key)
  expect(stdout + stderr).not.toContain(new URL(store.reader_url).password)
})

test('during LAME_DUCK_SECONDS after SIGTERM, readyz returns 503, and the node still accepts new requests', async () => {
  const { operations, service, get, dashboardUrl } = await startService({ LAME_DUCK_SECONDS: '600' })
  const seen = ({ status, headers }: Response) => [status, headers.get('connection')]
  expect(seen(await get('/api/v1/store'))).toEqual([200, 'keep-alive'])
  service.process.kill('SIGTERM')
  await expect.poll(() => fetch(`${operations}/readyz`).then(({ status }) => status)).toBe(503)
  expect((await fetch(`${operations}/healthz`)).status).toBe(200)
  // Each response closes its connection.
  for (let count = 0; count < 5; count += 1) expect(seen(await get('/api/v1/store'))).toEqual([200, 'close'])
  expect(seen(await fetch(`${dashboardUrl}/sign-in`))).toEqual([200, 'close'])
})

test('if serve gets Ctrl-C, serve exits with code 0 without waiting for LAME_DUCK_SECONDS', async () => {
  const { settings, service } = await startService({ LAME_DUCK_SECONDS: '1' })
  const startedAt = performance.now()
  expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null })
  expect(performance.now() - startedAt).toBeGreaterThan(1000)
  const second = startCommand(['serve'], { settings: { ...settings, LAME_DUCK_SECONDS: '600' } })
  await second.waitForOutput(/"listener":"api"/)
  expect(await second.end('SIGINT')).toEqual({ code: 0, signal: null })
})

test('[ERR-3] if the control database is dropped, readyz returns 503, and requests get 502', async () => {
  const { control, operations, service, get } = await startService()
  await control.drop()
  await expect.poll(async () => (await fetch(`${operations}/readyz`)).status).toBe(503)
  expect((await get('/api/v1/orders')).status).toBe(502)
  expect((await fetch(`${operations}/healthz`)).status).toBe(200)
  // Docker must not restart the container because its control database is gone.
  expect(await healthOfContainer(operations)).toBe(0)
  expect((await service.end('SIGTERM')).code).toBe(0)
  expect(await healthOfContainer(operations)).toBe(1)
})

/** Runs the HEALTHCHECK of the Dockerfile against this operations listener; resolves to its exit code. */
async function healthOfContainer(operations: string): Promise<number> {
  const dockerfile = await readFile(path.join(import.meta.dirname, '..', '..', '..', 'Dockerfile'), 'utf8')
  const [, words = '[]'] = /^HEALTHCHECK [^[]*CMD (\[.*\])$/m.exec(dockerfile) ?? []
  const [, ...parameters]: string[] = JSON.parse(words.replace('http://127.0.0.1:9090', operations))
  const [code] = await once(spawn(process.execPath, parameters), 'exit')
  return code
}

test('if a port is in use, serve exits with code 1, names the setting of the port, and no node remains in the control database', async () => {
  const control = await createDatabase()
  onTestFinished(() => control.drop())
  const nodes = () => openClientForTest(control.url)`select name from nodes`
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  onTestFinished(() => void taken.close())
  const address = taken.address()
  const port = String(address !== null && typeof address === 'object' ? address.port : 0)
  const settings = { DATABASE_URL: control.url, SECRET: newSecret(), PORT: port, OPERATIONS_PORT: '0' }
  expect((await runCommand(['migrate'], { settings })).code).toBe(0)
  const api = await runCommand(['serve'], { settings })
  expect([api.code, api.stderr]).toEqual([
    1,
    expect.stringMatching(/^store-export: another program uses port .* STORE_EXPORT_PORT .*\n$/),
  ])
  expect(await nodes()).toEqual([])
  const ports = { ...settings, PORT: '0', DASHBOARD_PORT: port }
  const dashboard = await runCommand(['serve', '--dashboard'], { settings: ports })
  expect([dashboard.code, dashboard.stderr]).toEqual([1, expect.stringContaining('STORE_EXPORT_DASHBOARD_PORT')])
  expect(await nodes()).toEqual([])
  const operations = await runCommand(['serve'], { settings: { ...settings, PORT: '0', OPERATIONS_PORT: port } })
  expect(operations.code).toBe(1)
  expect(operations.stderr).toMatch(/^store-export: another program uses port .* STORE_EXPORT_OPERATIONS_PORT .*\n$/)
})

test('if two nodes run with --dashboard, a merchant who signed in on the first node can create a key on the second node', async () => {
  const { settings, store, service, url, key } = await startService()
  await service.end('SIGTERM')
  const nodes = [1, 2].map(() =>
    startCommand(['serve', '--dashboard'], { settings: { ...settings, OPERATIONS_PORT: '0' } }),
  )
  const addressOf = async (node: RunningCommand) =>
    (await node.waitForOutput(/"listener":"dashboard","address":"(http:[^"]+)"/))[1] ?? ''
  const [first = '', second = ''] = await Promise.all(nodes.map(addressOf))
  const email = 'merchant@example.com'
  expect((await runCommand(['merchants', 'add', '--email', email, '--store', store.id], { settings })).code).toBe(0)
  const { json } = await runCommand(['merchants', 'link', '--email', email, '--json'], { settings })
  const token = new URL(json.url).pathname.slice('/link/'.length)
  const visitor = new PlainBrowser(first)
  expect((await visitor.send(`/link/${token}`, '/link', { token })).status).toBe(303)
  const other = new PlainBrowser(second)
  for (const [name, value] of visitor.cookies) other.cookies.set(name, value)
  const page = `/stores/${store.id}/settings/api`
  const made = await other.follow(await other.send(page, `${page}/keys`, { name: 'made on the second node' }))
  expect(made.text).toMatch(/sdx_\w{49}/)
  // Each listener serves only its own pages.
  expect((await visitor.get('/api/v1/store')).status).toBe(404)
  const [, api = ''] = await (nodes[0] ?? service).waitForOutput(/"listener":"api","address":"(http:[^"]+)"/)
  expect((await fetch(`${api}/sign-in`, { headers: { 'x-api-key': key } })).status).toBe(404)
  expect(api).not.toBe(url)
  for (const node of nodes) expect(await node.end('SIGTERM')).toEqual({ code: 0, signal: null })
  expect(nodes.map((node) => node.output().stdout).join()).not.toContain(token)
})

test('if DASHBOARD_URL is http:// and not a loopback address, serve exits with code 1 and says that the URL must begin with https://', async () => {
  const { settings, service } = await startService()
  await service.end('SIGTERM')
  const { code, stderr } = await runCommand(['serve', '--dashboard'], {
    settings: { ...settings, OPERATIONS_PORT: '0', DASHBOARD_URL: 'http://dashboard.example.com' },
  })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^store-export: STORE_EXPORT_DASHBOARD_URL: must begin with https:\/\/ [^\n]+\n$/)
})

test('[R47] if the file of leak-report keys does not exist, serve exits with code 1 and names STORE_EXPORT_LEAK_REPORT_KEYS_FILE', async () => {
  const { settings, service } = await startService()
  await service.end('SIGTERM')
  const { code, stderr } = await runCommand(['serve'], {
    settings: { ...settings, OPERATIONS_PORT: '0', LEAK_REPORT_KEYS_FILE: '/nowhere.json' },
  })
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /^store-export: STORE_EXPORT_LEAK_REPORT_KEYS_FILE: cannot read "\/nowhere\.json" \(ENOENT\)/,
    ),
  ])
})

test('if no control database is set, serve exits with code 1 and says that STORE_EXPORT_DATABASE_URL is not set', async () => {
  const { code, stderr } = await runCommand(['serve'])
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^store-export: STORE_EXPORT_DATABASE_URL: not set; .*\n$/)])
})

test('[LIM-1, AUTH-5] if a client uses one key on two nodes, they together accept 120 requests a minute, and reject the key after its revocation', async () => {
  const { control, settings, store, url } = await startService()
  const second = startCommand(['serve'], { settings: { ...settings, OPERATIONS_PORT: '0' } })
  const [, otherUrl = ''] = await second.waitForOutput(/"listener":"api","address":"(http:[^"]+)"/)
  const sql = openClientForTest(control.url)
  const minute = async () => (await sql`select date_trunc('minute', clock_timestamp())::text as minute`)[0]?.minute
  const burst = async () => {
    const made = (await runCommand(['keys', 'create', '--store', store.id, '--name', 'burst', '--json'], { settings }))
      .json
    const before = await minute()
    const responses = await Promise.all(
      Array.from({ length: 150 }, (_, index) =>
        fetch(`${index % 2 === 0 ? url : otherUrl}/api/v1/locations`, { headers: { 'x-api-key': made.key } }),
      ),
    )
    return { made, statuses: responses.map(({ status }) => status), isOneMinute: before === (await minute()) }
  }
  // A new minute can start in one burst, but not in two bursts in a row.
  const first = await burst()
  const { made, statuses } = first.isOneMinute ? first : await burst()
  expect(statuses.filter((status) => status === 200)).toHaveLength(120)
  expect(statuses.filter((status) => status === 429)).toHaveLength(30)

  expect((await runCommand(['keys', 'revoke', made.id], { settings })).code).toBe(0)
  for (const node of [url, otherUrl])
    expect((await fetch(`${node}/api/v1/store`, { headers: { 'x-api-key': made.key } })).status).toBe(401)
})

test('if DASHBOARD_URL is https://, dashboard cookies have the prefix __Host-, and a form without the origin of this URL gets 403', async () => {
  const { settings, store, service } = await startService()
  await service.end('SIGTERM')
  const port = await freePort()
  const url = 'https://dashboard.example.com'
  const secured = { ...settings, OPERATIONS_PORT: '0', DASHBOARD_URL: url, DASHBOARD_PORT: String(port) }
  const node = startCommand(['serve', '--dashboard'], { settings: secured })
  await node.waitForOutput(/"listener":"dashboard","address":"https:\/\/dashboard\.example\.com"/)
  await runCommand(['merchants', 'add', '--email', 'm@example.com', '--store', store.id], { settings: secured })
  const { json } = await runCommand(['merchants', 'link', '--email', 'm@example.com', '--json'], { settings: secured })
  expect(json.url).toMatch(/^https:\/\/dashboard\.example\.com\/link\/\w+$/)
  const token = new URL(json.url).pathname.slice('/link/'.length)
  const visitor = new PlainBrowser(`http://127.0.0.1:${port}`)
  const form_token = await visitor.formTokenOf(`/link/${token}`, '/link')
  expect([...visitor.cookies.keys()]).toEqual(['__Host-visitor'])
  expect((await visitor.post('/link', { token, form_token })).status).toBe(403)
  const done = await visitor.post('/link', { token, form_token }, { origin: url })
  expect(done.headers.getSetCookie().join()).toMatch(/^__Host-session=[^;]+;.*Path=\/;.*Secure/)
  expect(done.headers.get('strict-transport-security')).toBe('max-age=31536000')
})
