// Tests the alert rules and the queries of the dashboard with promtool, Prometheus's checker, on written series.

import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { alertRules } from '../../scripts/monitoring/alert-rules.ts'
import { ALERTS, type Alert } from '../../scripts/monitoring/alerts.ts'
import { dashboardPanels, dashboardQueries } from '../support/dashboard.ts'
import { pathOf } from '../support/programs.ts'

type SeriesValues = Readonly<Record<string, string>>

const NODE = 'job="store-export", instance="10.0.0.11:9090"'
const errors = (code: string) => `store_export_errors_total{${NODE}, endpoint="/api/v1/orders", code="${code}"}`
const failures = (database: string, reason: string) =>
  `store_export_query_failures_total{${NODE}, database="${database}", reason="${reason}"}`
const serverFailures = (reason: string) =>
  `store_export_server_failures_total{${NODE}, server="db-1:5432", reason="${reason}"}`
const serverFailing = (reason: string) => `store_export_server_failing{${NODE}, server="db-1:5432", reason="${reason}"}`
const histogram = (part: string) => `store_export_request_duration_seconds_${part}, endpoint="/api/v1/orders"}`

const OVERLOADED = `store_export_rejections_total{${NODE}, reason="node_overloaded"}`

/** Series of a node that serves 10 requests per second, with a value every 15 s for ten minutes. */
const HEALTHY: SeriesValues = {
  [`up{${NODE}}`]: '1x40',
  [`store_export_requests_total{${NODE}, endpoint="/api/v1/orders", status="200"}`]: '0+150x40',
  [histogram(`count{${NODE}`)]: '0+150x40',
  [histogram(`bucket{${NODE}, le="2.5"`)]: '0+150x40',
  [errors('STORE_DB_ERROR')]: '0x40',
  [errors('RATE_LIMITED')]: '0+2x40',
  [failures('control', 'query')]: '0x40',
  [failures('store', 'query')]: '0x40',
  [failures('store', 'no_connection')]: '0x40',
  [OVERLOADED]: '0x40',
  [serverFailures('unreachable')]: '0x40',
  [serverFailures('timeout')]: '0x40',
  [serverFailures('full')]: '0x40',
  [serverFailing('unreachable')]: '0x40',
  [serverFailing('timeout')]: '0x40',
  [serverFailing('full')]: '0x40',
  [`store_export_leaked_keys_revoked_total{${NODE}}`]: '0x40',
  [`store_export_internal_errors_total{${NODE}}`]: '0x40',
  [`store_export_log_lines_dropped_total{${NODE}}`]: '0x40',
  [`store_export_usage_requests_dropped_total{${NODE}}`]: '0x40',
}

const SERVER = { server: 'db-1:5432' }
const COLUMN = { table: 'orders', column: 'locale', kind: 'column_unreadable' }

/** Series that start to differ after two minutes, and the labels of the alert that they cause. */
interface Case {
  readonly series: SeriesValues
  readonly labels?: Readonly<Record<string, string>>
}

const CASES: Readonly<Record<string, Case>> = {
  StoreExportNodeDown: {
    series: { [`up{${NODE}}`]: '1x8 0x32' },
    labels: { job: 'store-export', instance: '10.0.0.11:9090' },
  },
  StoreExportControlDatabaseDown: { series: { [failures('control', 'query')]: '0x8 1+1x31' } },
  StoreExportStoreServerDown: {
    series: {
      [serverFailures('unreachable')]: '0x8 1+30x31',
      [failures('store', 'server_unreachable')]: '0x8 1+30x31',
      [errors('STORE_DB_ERROR')]: '0x8 1+30x31',
    },
    labels: SERVER,
  },
  StoreExportStoreServerFull: { series: { [serverFailures('full')]: '0x8 1+3x31' }, labels: SERVER },
  StoreExportStoreFailing: {
    series: { [failures('store', 'query')]: '0x8 1+1x31', [errors('STORE_DB_ERROR')]: '0x8 1+1x31' },
    labels: { severity: 'warning' },
  },
  StoreExportNoFreeConnection: {
    series: { [failures('store', 'no_connection')]: '0x8 9+9x31' },
    labels: { severity: 'critical' },
  },
  StoreExportSlowResponses: { series: { [histogram(`bucket{${NODE}, le="2.5"`)]: '0+150x8 1340+140x31' } },
  StoreExportKeysOverLimit: { series: { [errors('RATE_LIMITED')]: '0+2x8 16+60x31' } },
  StoreExportKeyLeaked: { series: { [`store_export_leaked_keys_revoked_total{${NODE}}`]: '0x8 2x31' } },
  StoreExportSchemaMismatch: {
    series: {
      [`store_export_schema_mismatches_total{${NODE}, table="orders", column="locale", kind="column_unreadable"}`]:
        '_x8 1x31',
    },
    labels: COLUMN,
  },
  StoreExportInternalErrors: { series: { [`store_export_internal_errors_total{${NODE}}`]: '0x8 1x31' } },
  StoreExportRecordsLost: { series: { [`store_export_log_lines_dropped_total{${NODE}}`]: '0x8 70x31' } },
}

/** Runs promtool in a temporary folder with these files. Throws if it is not installed. */
async function promtool(args: readonly string[], files: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-export-promtool-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text)
  const { status, stdout, stderr } = spawnSync(pathOf('promtool'), args, { cwd: folder, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

/** Returns a test for promtool. At each of these times, exactly the `expected` alert fires. */
function unitTest(series: SeriesValues, times: readonly string[], expected?: Alert, labels: SeriesValues = {}) {
  return {
    interval: '15s',
    external_labels: { store_export_docs: 'https://docs.example.com' },
    input_series: Object.entries({ ...HEALTHY, ...series }).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: times.flatMap((time) =>
      ALERTS.map((alert) => ({
        eval_time: time,
        alertname: alert.name,
        exp_alerts: alert.name === expected?.name ? [alertOf(expected, labels)] : [],
      })),
    ),
  }
}

function alertOf({ severity, summary, runbook }: Alert, labels: SeriesValues) {
  return {
    exp_labels: { ...(severity === 'by_share' ? {} : { severity }), ...labels },
    exp_annotations: {
      summary: summary.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, label) => labels[label] ?? ''),
      runbook_url: `https://docs.example.com/operate/runbooks/${runbook}.md`,
    },
  }
}

const runTests = (tests: readonly unknown[]) =>
  promtool(['test', 'rules', 'tests.json'], {
    'rules.yaml': alertRules(),
    'tests.json': JSON.stringify({ rule_files: ['rules.yaml'], evaluation_interval: '15s', tests }),
  })

test('promtool accepts the alert rules, and there are at most 12', async () => {
  const { status, output } = await promtool(['check', 'rules', 'rules.yaml'], { 'rules.yaml': alertRules() })
  expect(output).toContain(`SUCCESS: ${ALERTS.length} rules found`)
  expect(status).toBe(0)
  expect(ALERTS.length).toBeLessThanOrEqual(12)
})

test('every alert rule has a test case', () => {
  expect(Object.keys(CASES)).toEqual(ALERTS.map(({ name }) => name))
})

test.for(ALERTS)(
  'if the cause of $name starts, $name fires within two minutes, and no other alert fires',
  async (alert) => {
    const { series = {}, labels = {} } = CASES[alert.name] ?? {}
    const before = unitTest(series, ['1m45s'])
    expect(await runTests([before, unitTest(series, ['4m', '5m'], alert, labels)])).toEqual({
      status: 0,
      output: expect.stringContaining('SUCCESS'),
    })
  },
)

test('if queries on stores fail for more than 1 % of the requests, StoreExportStoreFailing is critical', async () => {
  const alert = ALERTS.find(({ name }) => name === 'StoreExportStoreFailing')
  const series = { [failures('store', 'query')]: '0x8 3+3x31' }
  const { status, output } = await runTests([unitTest(series, ['4m', '5m'], alert, { severity: 'critical' })])
  expect(output).toContain('SUCCESS')
  expect(status).toBe(0)
})

test('if a node rejects requests because its processor is overloaded, StoreExportNoFreeConnection fires', async () => {
  const alert = ALERTS.find(({ name }) => name === 'StoreExportNoFreeConnection')
  const series = { [OVERLOADED]: '0x8 9+9x31', [errors('STORE_DB_ERROR')]: '0x8 9+9x31' }
  const tests = [unitTest(series, ['1m45s']), unitTest(series, ['4m', '5m'], alert, { severity: 'critical' })]
  expect(await runTests(tests)).toEqual({ status: 0, output: expect.stringContaining('SUCCESS') })
})

test('if queries fail because two servers hang, the summary of StoreExportStoreFailing names the servers', async () => {
  const alert = ALERTS.find(({ name }) => name === 'StoreExportStoreFailing')
  if (alert === undefined) throw new Error('the alert is missing')
  const series = {
    [failures('store', 'query')]: '0x8 1+1x31',
    [serverFailures('timeout')]: '0x8 1+1x31',
    [serverFailing('timeout')]: '0x8 1x20 0x11',
    [serverFailing('timeout').replace('db-1', 'db-0')]: '0x8 1x20 0x11',
  }
  const hangs = (server: string) => ` The database server ${server}, or a database on it, doesn't respond.`
  const named = { ...alert, summary: alert.summary + hangs('db-0:5432') + hangs('db-1:5432') }
  const tests = [
    unitTest(series, ['4m', '7m'], named, { severity: 'warning' }),
    unitTest(series, ['8m'], alert, { severity: 'warning' }),
  ]
  expect(await runTests(tests)).toEqual({ status: 0, output: expect.stringContaining('SUCCESS') })
})

test('if only one request fails for each failure reason, no alert fires', async () => {
  const once = '0x8 1x31'
  const series = {
    [failures('control', 'query')]: once,
    [failures('store', 'query')]: once,
    [failures('store', 'no_connection')]: once,
    [OVERLOADED]: once,
    [serverFailures('unreachable')]: once,
    [serverFailures('timeout')]: once,
    [serverFailures('full')]: once,
    [serverFailing('unreachable')]: once,
    [serverFailing('timeout')]: once,
    [serverFailing('full')]: once,
    [errors('STORE_DB_ERROR')]: once,
    [`up{${NODE}}`]: '1x8 0x1 1x30',
  }
  const times = Array.from({ length: 20 }, (_, n) => `${15 * (n + 1)}s`)
  expect(await runTests([unitTest(series, times)])).toEqual({ status: 0, output: expect.stringContaining('SUCCESS') })
})

test('if a request fails every two minutes because its server is down, StoreExportStoreServerDown fires after the second failure', async () => {
  const alert = ALERTS.find(({ name }) => name === 'StoreExportStoreServerDown')
  const series = {
    [serverFailures('unreachable')]: '0x8 1x7 2x24',
    [failures('store', 'server_unreachable')]: '0x8 1x7 2x24',
    [serverFailing('unreachable')]: '0x8 1x31',
  }
  const tests = [unitTest(series, ['3m45s']), unitTest(series, ['5m30s', '9m'], alert, SERVER)]
  expect(await runTests(tests)).toEqual({ status: 0, output: expect.stringContaining('SUCCESS') })
})

test('if no node is a target of Prometheus, StoreExportNodeDown fires', async () => {
  const alert = ALERTS.find(({ name }) => name === 'StoreExportNodeDown')
  const series = Object.fromEntries(Object.keys(HEALTHY).map((name) => [name, '_x40']))
  expect(await runTests([unitTest(series, ['2m'], alert, { job: 'store-export' })])).toMatchObject({ status: 0 })
})

test('promtool accepts each query of the Grafana dashboard', async () => {
  const queries = dashboardQueries().map((query) => query.replaceAll('$__rate_interval', '1m'))
  expect(queries.length).toBeGreaterThan(30)
  const rules = queries.map((expr, index) => ({ record: `query:${index}`, expr }))
  const { status, output } = await promtool(['check', 'rules', 'rules.json'], {
    'rules.json': JSON.stringify({ groups: [{ name: 'dashboard', rules }] }),
  })
  expect(output).toContain(`SUCCESS: ${queries.length} rules found`)
  expect(status).toBe(0)
})

test('without requests, the Grafana dashboard shows no database errors and no duration', async () => {
  const shown = (title: string, samples: readonly { labels: string; value: number }[]) => {
    const panel = dashboardPanels().find((other) => other.title === title)
    const expr = panel?.targets?.[0]?.expr ?? ''
    const query = expr.replaceAll('$__rate_interval', '1m').replaceAll('$job', 'store-export')
    return { expr: query, eval_time: '10m', exp_samples: samples }
  }
  const queries = (errorShare: number, durations: readonly { labels: string; value: number }[]) => [
    shown('Database errors', [{ labels: '{}', value: errorShare }]),
    shown('Request duration (p99)', durations),
  ]
  const idle = Object.fromEntries(Object.keys(HEALTHY).map((name) => [name, '0x40']))
  const busy = { [errors('STORE_DB_ERROR')]: '0+75x40', [histogram(`bucket{${NODE}, le="+Inf"`)]: '0+150x40' }
  const tests = [
    { ...unitTest(idle, []), promql_expr_test: queries(0, []) },
    { ...unitTest(busy, []), promql_expr_test: queries(0.5, [{ labels: '{}', value: 2.475 }]) },
  ]
  expect(await runTests(tests)).toEqual({ status: 0, output: expect.stringContaining('SUCCESS') })
})
