import { ENDPOINTS, ERRORS } from '@store-export/contract'
import { describe, expect, test } from 'vitest'
import { combine, type ServiceEvent } from './events.ts'
import { METRICS } from './metric-declarations.ts'
import { createMetrics } from './metrics.ts'

const COMPLETED: ServiceEvent = {
  event: 'request.completed',
  requestId: 'r',
  endpoint: '/api/v1/orders',
  method: 'GET',
  status: 200,
  durationMs: 40,
  rows: 250,
  bytes: 1000,
  keyId: 'k',
  storeId: 's',
}

describe('metrics', () => {
  test('when a request completes, the metrics of the endpoint count the request by status and error code, and its latency, rows, and bytes', async () => {
    const metrics = createMetrics()
    metrics.handleEvent(COMPLETED)
    metrics.handleEvent({ ...COMPLETED, status: 429, code: 'RATE_LIMITED', rows: 0, bytes: 90 })
    const text = await metrics.text()
    expect(text).toContain('store_export_requests_total{endpoint="/api/v1/orders",status="200"} 1')
    expect(text).toContain('store_export_errors_total{endpoint="/api/v1/orders",code="RATE_LIMITED"} 1')
    expect(text).toContain('store_export_request_duration_seconds_bucket{le="0.05",endpoint="/api/v1/orders"} 2')
    expect(text).toContain('store_export_rows_served_total{endpoint="/api/v1/orders"} 250')
    expect(text).toContain('store_export_bytes_served_total{endpoint="/api/v1/orders"} 1090')
  })

  test('if contract violations, rejections, or query failures occur, the metrics count them without the ID of a store', async () => {
    const metrics = createMetrics()
    const seen: string[] = []
    const emit = combine(metrics.handleEvent, (event) => seen.push(event.event))
    emit({
      event: 'store.schema_mismatched',
      storeId: 'store-1',
      table: 'orders',
      column: 'locale',
      kind: 'column_unreadable',
    })
    emit({
      event: 'store.contract_violated',
      storeId: 'store-1',
      resource: 'order',
      field: 'total',
      kind: 'not finite',
      count: 3,
    })
    emit({ event: 'key.rejected', requestId: 'r', reason: 'missing' })
    emit({ event: 'store.request_rejected', storeId: 'store-1', reason: 'full' })
    emit({
      event: 'store.query_failed',
      storeId: 'store-1',
      requestId: 'r',
      cause: new Error('x'),
      reason: 'query',
      retried: false,
    })
    emit({
      event: 'store.query_failed',
      storeId: 'store-1',
      requestId: 'r',
      cause: new Error('x'),
      reason: 'query',
      retried: true,
    })
    emit({ event: 'pool.sampled', pool: 'stores', pools: 2, connections: 8, busy: 3, waiting: 1 })
    const text = await metrics.text()
    expect(text).toContain(
      'store_export_schema_mismatches_total{table="orders",column="locale",kind="column_unreadable"} 1',
    )
    expect(text).toContain('store_export_contract_violations_total{resource="order",field="total",kind="not finite"} 3')
    expect(text).toContain('store_export_rejections_total{reason="key_missing"} 1')
    expect(text).toContain('store_export_rejections_total{reason="queue_full"} 1')
    expect(text).toContain('store_export_query_failures_total{database="store",reason="query"} 1')
    expect(text).toContain('store_export_store_retries_total 1')
    expect(text).toContain('store_export_connections_busy{pool="stores"} 3')
    expect(text).not.toContain('store-1')
    expect(seen).toHaveLength(7)
  })

  test('if the admin API completes requests, the metrics count the requests by route and status', async () => {
    const metrics = createMetrics()
    const facts = { requestId: 'r', method: 'GET', route: '/v1/stores/{store}', durationMs: 12, tokenId: null } as const
    for (const status of [200, 200, 404]) metrics.handleEvent({ event: 'admin.request_completed', ...facts, status })
    metrics.handleEvent({ event: 'admin.request_failed', requestId: 'r', cause: new Error('failed') })
    const text = await metrics.text()
    expect(text).toContain('store_export_admin_requests_total{route="/v1/stores/{store}",status="200"} 2')
    expect(text).toContain('store_export_admin_requests_total{route="/v1/stores/{store}",status="404"} 1')
    expect(text).toContain('store_export_admin_request_duration_seconds_count{route="/v1/stores/{store}"} 3')
    expect(text).toContain('store_export_internal_errors_total 1')
  })

  test('if a node has more than 50 database servers, the remaining servers share the label server="other", with their highest saturation', async () => {
    const metrics = createMetrics()
    const use = { limit: 20, open: 3, inUse: 2, waiting: 1, failure: null, failureAgeMs: null }
    const servers = Array.from({ length: 60 }, (_, n) => ({ ...use, server: `db-${n}:5432`, inUse: n === 59 ? 20 : 2 }))
    metrics.handleEvent({ event: 'servers.sampled', servers })
    metrics.handleEvent({ event: 'store.server_failed', server: 'db-59:5432', reason: 'full' })
    const text = await metrics.text()
    expect(text.match(/^store_export_server_saturation_ratio\{/gm)).toHaveLength(51)
    expect(text).toContain('store_export_server_saturation_ratio{server="db-0:5432"} 0.1')
    expect(text).toContain('store_export_server_saturation_ratio{server="other"} 1')
    expect(text).toContain('store_export_server_connections{server="other"} 30')
    expect(text).toContain('store_export_server_waiters{server="other"} 10')
    expect(text).toContain('store_export_server_failures_total{server="db-0:5432",reason="unreachable"} 0')
    expect(text).toContain('store_export_server_failures_total{server="other",reason="full"} 1')
  })

  test('if the last attempt to connect to a server failed, store_export_server_failing is 1 for 20 minutes', async () => {
    const metrics = createMetrics()
    const use = { server: 'db-1:5432', limit: 20, open: 0, inUse: 0, waiting: 0, failure: 'unreachable' } as const
    for (const [minutes, value] of [
      [19, 1],
      [21, 0],
    ] as const) {
      metrics.handleEvent({ event: 'servers.sampled', servers: [{ ...use, failureAgeMs: minutes * 60_000 }] })
      const text = await metrics.text()
      expect(text).toContain(`store_export_server_failing{server="db-1:5432",reason="unreachable"} ${value}`)
      expect(text).toContain('store_export_server_failing{server="db-1:5432",reason="full"} 0')
    }
  })

  test('if scanners report leaked keys, the metrics count the reports and the revoked keys', async () => {
    const metrics = createMetrics()
    expect(await metrics.text()).toContain('store_export_leaked_keys_revoked_total 0')
    metrics.handleEvent({ event: 'leak_report.accepted', requestId: 'r', tokens: 3, knownKeys: 2, revokedKeys: 2 })
    metrics.handleEvent({ event: 'leak_report.rejected', requestId: 'r', reason: 'wrong_signature' })
    const text = await metrics.text()
    expect(text).toContain('store_export_leaked_keys_revoked_total 2')
    expect(text).toContain('store_export_leak_reports_total{outcome="rejected"} 1')
  })

  test('if a process creates two metrics objects, each has the process metrics and only its own counts', async () => {
    const facts = { version: '1.2.3', connectionLimits: { stores: 200, control: 10 } }
    const [one, two] = [createMetrics(facts), createMetrics(facts)]
    one.handleEvent(COMPLETED)
    const text = await two.text()
    expect(text).not.toContain('store_export_requests_total{')
    expect(text).toContain(`store_export_build_info{version="1.2.3",node="${process.versions.node}"} 1`)
    expect(text).toContain('store_export_connections_limit{pool="stores"} 200')
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m)
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
    expect(text).not.toContain('store_export_nodejs')
  })

  test('the exported metrics have the declared names, types, and help texts', async () => {
    const text = await createMetrics({ version: '1.2.3', connectionLimits: {} }).text()
    const exported = [...text.matchAll(/^# HELP (store_export_\S+) (.*)\n# TYPE \S+ (\w+)$/gm)]
    const declared = Object.values(METRICS).map(({ name, type, help }) => [name, help, type])
    expect(exported.map(([, ...each]) => each).toSorted()).toEqual(declared.toSorted())
  })

  test('before the first request, the metrics have a count of 0 for every error code of every endpoint', async () => {
    const text = await createMetrics().text()
    const series = text.match(/^store_export_errors_total\{.*\} 0$/gm) ?? []
    expect(series).toHaveLength((ENDPOINTS.length + 1) * Object.keys(ERRORS).length)
    expect(series).toContain('store_export_errors_total{endpoint="/api/v1/orders",code="STORE_DB_ERROR"} 0')
    expect(text).toContain('store_export_query_failures_total{database="control",reason="query"} 0')
    expect(text).toContain('store_export_rejections_total{reason="queue_timeout"} 0')
    expect(text).toContain('store_export_rejections_total{reason="queue_overloaded"} 0')
  })
})
