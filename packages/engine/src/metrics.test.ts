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

  test('two instances share nothing', async () => {
    const [one, two] = [createMetrics({ processMetrics: true }), createMetrics({ processMetrics: true })]
    one.observe(ANSWER)
    expect(await two.text()).not.toContain('/api/v1/orders')
    expect(await two.text()).toContain('store_export_process_resident_memory_bytes')
  })
})
