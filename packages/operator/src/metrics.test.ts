import { ENDPOINTS, ERRORS } from '@store-export/contract'
import { describe, expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'
import { combine, type Observation } from './observe.ts'

const ANSWER: Observation = {
  event: 'request answered',
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
  test('requests, latency, rows and bytes are counted by endpoint', async () => {
    const metrics = createMetrics()
    metrics.observe(ANSWER)
    metrics.observe({ ...ANSWER, status: 429, code: 'RATE_LIMITED', rows: 0, bytes: 90 })
    const text = await metrics.text()
    expect(text).toContain('store_export_requests_total{endpoint="/api/v1/orders",status="200"} 1')
    expect(text).toContain('store_export_errors_total{endpoint="/api/v1/orders",code="RATE_LIMITED"} 1')
    expect(text).toContain('store_export_request_duration_seconds_bucket{le="0.05",endpoint="/api/v1/orders"} 2')
    expect(text).toContain('store_export_rows_served_total{endpoint="/api/v1/orders"} 250')
    expect(text).toContain('store_export_bytes_served_total{endpoint="/api/v1/orders"} 1090')
  })

  test('surprises, refusals, faults and pools are counted, and no store or key becomes a label', async () => {
    const metrics = createMetrics()
    const seen: string[] = []
    const observe = combine(metrics.observe, (observation) => seen.push(observation.event))
    observe({ event: 'schema surprise', storeId: 'store-1', table: 'orders', column: 'locale', kind: 'no grant' })
    observe({
      event: 'value surprise',
      storeId: 'store-1',
      resource: 'order',
      field: 'total',
      kind: 'not finite',
      count: 3,
    })
    observe({ event: 'key refused', requestId: 'r', reason: 'missing' })
    observe({ event: 'queue refused', storeId: 'store-1', reason: 'full' })
    observe({ event: 'store fault', storeId: 'store-1', requestId: 'r', cause: new Error('x'), retried: false })
    observe({ event: 'store fault', storeId: 'store-1', requestId: 'r', cause: new Error('x'), retried: true })
    observe({ event: 'pool state', pool: 'stores', pools: 2, connections: 8, busy: 3, waiting: 1 })
    const text = await metrics.text()
    expect(text).toContain('store_export_schema_surprises_total{table="orders",column="locale",kind="no grant"} 1')
    expect(text).toContain('store_export_value_surprises_total{resource="order",field="total",kind="not finite"} 3')
    expect(text).toContain('store_export_refusals_total{reason="key missing"} 1')
    expect(text).toContain('store_export_refusals_total{reason="queue full"} 1')
    expect(text).toContain('store_export_faults_total{where="store"} 1')
    expect(text).toContain('store_export_store_retries_total 1')
    expect(text).toContain('store_export_connections_busy{pool="stores"} 3')
    expect(text).not.toContain('store-1')
    expect(seen).toHaveLength(7)
  })

  test('two instances share nothing, and a node tells its version, its limits and its process by their usual names', async () => {
    const facts = { version: '1.2.3', connectionLimits: { stores: 200, control: 10 } }
    const [one, two] = [createMetrics(facts), createMetrics(facts)]
    one.observe(ANSWER)
    const text = await two.text()
    expect(text).not.toContain('store_export_requests_total{')
    expect(text).toContain(`store_export_build_info{version="1.2.3",node="${process.versions.node}"} 1`)
    expect(text).toContain('store_export_connections_limit{pool="stores"} 200')
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m)
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
    expect(text).not.toContain('store_export_nodejs')
  })

  test('every error of every endpoint is there from the start', async () => {
    const text = await createMetrics().text()
    const series = text.match(/^store_export_errors_total\{.*\} 0$/gm) ?? []
    expect(series).toHaveLength((ENDPOINTS.length + 1) * Object.keys(ERRORS).length)
    expect(series).toContain('store_export_errors_total{endpoint="/api/v1/orders",code="STORE_DB_ERROR"} 0')
    expect(text).toContain('store_export_faults_total{where="control"} 0')
    expect(text).toContain('store_export_refusals_total{reason="queue too late"} 0')
  })
})
