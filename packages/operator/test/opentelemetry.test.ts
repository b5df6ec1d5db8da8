// Tests the traces and metrics that a node with `--import` sends to a collector.

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import os from 'node:os'
import path from 'node:path'
import { LATEST_REVISION } from '@store-export/contract'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { createDatabase } from '../../../test/support/databases.ts'
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
import { startCollector } from './support/otlp-collector.ts'

vi.setConfig(SLOW_TEST_TIMEOUTS)

const command = inject('builtCommand')
const PROGRAM = ['--import', path.join(path.dirname(command), 'opentelemetry.js'), command]
const [TRACE, PARENT] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']

/** Starts a node that sends to `collectorUrl`, with a store and a key. `more` are settings without their prefix. */
async function startNode(
  collectorUrl: string,
  environment: Readonly<Record<string, string>> = {},
  more: Readonly<Record<string, string>> = {},
) {
  const control = await createDatabase()
  onTestFinished(() => control.drop())
  const options = {
    program: PROGRAM,
    environment: {
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
      ...environment,
    },
    settings: {
      ...{ DATABASE_URL: control.url, SECRET: newSecret(), PORT: '0', DASHBOARD_PORT: '0', OPERATIONS_PORT: '0' },
      ...more,
    },
  }
  await runCommand(['migrate'], options)
  const run = async (words: readonly string[], input = '') =>
    (await runCommand([...words, '--json'], { ...options, input })).json
  const store = await run(['stores', 'provision', '--name', 'S', '--revision', LATEST_REVISION])
  dropAfterTest(store.id)
  const { key, id: keyId } = await run(['keys', 'create', '--store', store.id, '--name', 'k'])
  const service = startCommand(['serve', '--dashboard'], options)
  const api = await addressOf(service, 'api')
  const get = async (name: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${api}/api/v1/${name}`, { headers: { 'x-api-key': key, ...headers } })
    await response.arrayBuffer()
    return response
  }
  return { service, store, key, keyId, get, run }
}

async function addressOf(service: RunningCommand, listener: string): Promise<string> {
  const [, url = ''] = await service.waitForOutput(new RegExp(`"listener":"${listener}","address":"(http:[^"]+)"`))
  return url
}

const linesOf = ({ output }: RunningCommand) =>
  output()
    .stdout.trim()
    .split('\n')
    .map((line) => JSON.parse(line))

test("if a client sends traceparent, the spans of the request and of its database calls reach the collector with the client's trace ID", async () => {
  const collector = await startCollector()
  const { service, store, key, keyId, get } = await startNode(collector.url)
  const response = await get('orders?limit=2', { traceparent: `00-${TRACE}-${PARENT}-01` })
  expect(response.status).toBe(200)
  expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null })
  const spans = collector.spans()
  const [request] = spans.filter(({ kind }) => kind === 2)
  expect(request).toMatchObject({ name: 'GET /api/v1/orders', traceId: TRACE, parentSpanId: PARENT })
  expect(request?.attributes).toEqual({
    'http.request.method': 'GET',
    'http.route': '/api/v1/orders',
    'http.response.status_code': 200,
    'url.scheme': 'http',
    'url.path': '/api/v1/orders',
    'store_export.request_id': response.headers.get('x-request-id'),
    'store_export.key_id': keyId,
    'store_export.store_id': store.id,
  })
  const calls = spans.filter(({ kind }) => kind === 3)
  expect(calls.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
    ['SELECT api_keys', request?.spanId],
    ['SELECT orders', request?.spanId],
  ])
  expect(calls[1]?.attributes).toMatchObject({
    'db.system.name': 'postgresql',
    'db.query.summary': 'SELECT orders',
    'server.address': new URL(inject('postgresUrl')).host,
  })
  expect(calls[1]?.events).toMatchObject([{ name: 'connected' }])
  // The clock of the spans is the time of day, and a call is within its request.
  const [start, end] = [BigInt(request?.startTimeUnixNano ?? 0), BigInt(request?.endTimeUnixNano ?? 0)]
  expect(Math.abs(Number(start / 1_000_000n) - Date.now())).toBeLessThan(60_000)
  for (const { startTimeUnixNano, endTimeUnixNano } of calls) {
    expect(BigInt(startTimeUnixNano)).toBeGreaterThanOrEqual(start)
    expect(BigInt(endTimeUnixNano)).toBeLessThanOrEqual(end)
  }
  const [logged] = linesOf(service).filter(({ event }) => event === 'request.completed')
  expect(logged).toMatchObject({ traceId: TRACE, parentId: PARENT })
  expect(collector.bodies.join()).not.toContain(key)
})

test('if a node sends metrics to a collector, the durations of requests and database calls have the names of the OpenTelemetry semantic conventions', async () => {
  const collector = await startCollector()
  const { service, get } = await startNode(collector.url, { OTEL_SERVICE_NAME: 'export-eu' })
  for (let n = 0; n < 3; n++) await get('orders')
  await get('nothing')
  await fetch(`${await addressOf(service, 'dashboard')}/sign-in`)
  await service.end('SIGTERM')
  const points = collector.points().map(({ metric, unit, count, attributes }) => {
    const { 'http.route': route, 'db.query.summary': summary, 'db.client.connection.pool.name': pool } = attributes
    return [metric, unit, route ?? summary ?? pool, attributes['http.response.status_code'], count]
  })
  expect(points.toSorted()).toEqual([
    ['db.client.connection.wait_time', 's', 'stores', undefined, 3],
    ['db.client.operation.duration', 's', 'SELECT api_keys', undefined, 4],
    ['db.client.operation.duration', 's', 'SELECT orders', undefined, 3],
    ['http.server.request.duration', 's', '/api/v1/orders', 200, 3],
    ['http.server.request.duration', 's', '/sign-in', 200, 1],
    ['http.server.request.duration', 's', 'unknown', 404, 1],
  ])
  expect(collector.resource()).toMatchObject({ 'service.name': 'export-eu', 'service.version': '0.1.0' })
})

test('if the admin API uses TLS, its spans have the scheme https, and those of the API have http', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), `store-export-test-${process.pid}-`))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [cert, key] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')]
  const options = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost'.split(' ')
  execFileSync('openssl', ['req', '-x509', ...options, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  const collector = await startCollector()
  const port = String(await freePort())
  const settings = { ADMIN_PORT: port, ADMIN_TLS_CERT_FILE: cert, ADMIN_TLS_KEY_FILE: key }
  const { service, get, run } = await startNode(collector.url, { OTEL_TRACES_SAMPLER: 'always_on' }, settings)
  const { token } = await run(['admin-tokens', 'create', '--name', 'backend'])
  await get('orders')
  await service.waitForOutput(/"listener":"admin"/)
  const headers = { authorization: `Bearer ${token}` }
  const request = https.get(`https://127.0.0.1:${port}/v1/stores`, { headers, rejectUnauthorized: false, agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  await once(response.resume(), 'end')
  await service.end('SIGTERM')
  const requests = collector.spans().filter(({ kind }) => kind === 2)
  expect(requests.map(({ name, attributes }) => [name, attributes['url.scheme']])).toEqual([
    ['GET /api/v1/orders', 'http'],
    ['GET /v1/stores', 'https'],
  ])
})

test('[ERR-3] if a store database rejects connections, the spans of the request and of its failed database calls have the error', async () => {
  const collector = await startCollector()
  const { service, store, get } = await startNode(collector.url, { OTEL_TRACES_SAMPLER: 'always_on' })
  await get('orders')
  const admin = openClientForTest(inject('postgresUrl'))
  const database = new URL(store.database_url ?? store.databaseUrl).pathname.slice(1)
  await admin.unsafe(`alter database ${database} allow_connections false`)
  await admin.unsafe(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`)
  expect((await get('orders')).status).toBe(502)
  await service.end('SIGTERM')
  const request = collector.spans().find(({ kind, status }) => kind === 2 && status.code === 2)
  expect(request?.attributes).toMatchObject({
    'http.response.status_code': 502,
    'error.type': 'STORE_DB_ERROR',
  })
  const failed = collector.spans().filter(({ kind, status }) => kind === 3 && status.code === 2)
  for (const { parentSpanId } of failed) expect(parentSpanId).toBe(request?.spanId)
  // If the node has not noticed the end of its session yet, the first attempt fails with 57P01.
  expect(failed.map(({ attributes }) => attributes['error.type']).join()).toMatch(/^(57P01,)?55000$/)
})

test('if the URL of a store names two servers, requests succeed, and the span of the read names both servers', async () => {
  const collector = await startCollector()
  const { service, store, get, run } = await startNode(collector.url, { OTEL_TRACES_SAMPLER: 'always_on' })
  const { host } = new URL(store.reader_url)
  const input = store.reader_url.replace(host, `127.0.0.1:1,${host}`)
  await run(['stores', 'set', store.id, '--database-url', '-'], input)
  expect((await get('orders')).status).toBe(200)
  await service.end('SIGTERM')
  const read = collector.spans().find(({ name }) => name === 'SELECT orders')
  expect(read?.attributes['server.address']).toBe([`127.0.0.1:1`, host].toSorted().join(','))
})

test('if no collector listens, the node serves requests, logs telemetry.failed, and stops with code 0', async () => {
  const { service, get } = await startNode(`http://127.0.0.1:${await freePort()}`, {
    OTEL_TRACES_SAMPLER: 'always_on',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  })
  expect((await get('orders')).status).toBe(200)
  await service.waitForOutput(/"event":"telemetry.failed"/)
  expect((await get('orders')).status).toBe(200)
  expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null })
  expect(linesOf(service).filter(({ event }) => event === 'telemetry.failed')).toHaveLength(1)
})

test('by default, fewer than half of the requests without traceparent are traced, and a request with an unsampled traceparent is not traced', async () => {
  const collector = await startCollector()
  const { service, get } = await startNode(collector.url)
  for (let n = 0; n < 60; n++) await get('store')
  await get('orders', { traceparent: `00-${TRACE}-${PARENT}-00` })
  await service.end('SIGTERM')
  // On average, 6 of 60 requests have a trace.
  const requests = collector.spans().filter(({ kind }) => kind === 2)
  expect(requests.length).toBeLessThan(30)
  expect(requests.filter(({ name }) => name !== 'GET /api/v1/store')).toEqual([])
})

test('if OTEL_SDK_DISABLED is true, the node sends nothing to the collector', async () => {
  const collector = await startCollector()
  const { service, get } = await startNode(collector.url, { OTEL_SDK_DISABLED: 'true' })
  expect((await get('orders')).status).toBe(200)
  expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null })
  expect(collector.bodies).toEqual([])
})
