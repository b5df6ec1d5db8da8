// Generates a dashboard for Grafana from the declarations of the metrics. Each metric has a panel, whose query follows
// from the type of the metric. The first row shows the state of the fleet.

import { SATURATED } from '../../packages/operator/src/fleet-screen.ts'
import { METRICS, type MetricDeclaration } from '../../packages/operator/src/metric-declarations.ts'
import { CRITICAL_SHARE, JOB, SLOW_SECONDS } from './alerts.ts'

type MetricName = keyof typeof METRICS

/** A query of a panel. `legend` is a Grafana template: `{{label}}` becomes the value of the label. */
interface Query {
  readonly expr: string
  readonly legend: string
}

interface Panel {
  readonly title: string
  readonly description: string
  readonly type: 'stat' | 'timeseries'
  readonly unit: string
  /** Colors of a number, from the least value that has the color. The first value is null. */
  readonly steps?: readonly Step[]
  readonly queries: readonly Query[]
}

interface Step {
  readonly value: number | null
  readonly color: string
}

/** Rows of the dashboard with their metrics. A metric that no row names is in the last row, `Other`. */
const ROWS: Readonly<Record<string, readonly MetricName[]>> = {
  Requests: ['requests', 'errors', 'latency', 'rows', 'bytes', 'rejections', 'malformedRequests'],
  Databases: [
    'queryFailures',
    'serverFailures',
    'serverFailing',
    'storeRetries',
    'schemaMismatches',
    'schemaChanges',
    'contractViolations',
    'transactionWaits',
    'transactionWaitSeconds',
  ],
  Connections: [
    'serverSaturation',
    'serverConnections',
    'serverWaiters',
    'pools',
    'connections',
    'busy',
    'waiting',
    'connectionsLimit',
  ],
}
const OTHER = 'Other'
/** Metrics that exist for so many combinations of labels that a panel shows their sums over one label. */
const SHOWN_LABELS: Partial<Readonly<Record<MetricName, readonly string[]>>> = { errors: ['code'] }

// biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana replaces the variable
const DATA_SOURCE = '${datasource}'
/** Width of a dashboard, and sizes of panels, in cells of Grafana's grid. */
const WIDTH = 24
const PANEL = { w: 8, h: 8 }
const STAT = { w: 4, h: 4 }
// Grafana replaces these variables: the shortest range with enough samples, and the chosen job.
const RATE = '$__rate_interval'
const SELECTOR = 'job=~"$job"'
/** Quantiles of a histogram. */
const QUANTILES = [0.5, 0.99]

/** Returns the dashboard as JSON for Grafana's import, with a data source and a job to choose. */
export function grafanaDashboard(): string {
  const named = new Set<MetricName>(Object.values(ROWS).flat())
  const others = (Object.keys(METRICS) as MetricName[]).filter((name) => !named.has(name))
  const rows = [...Object.entries(ROWS), [OTHER, others] as const].map(([title, names]) => ({
    title,
    panels: names.map((name) => panelOf(METRICS[name], SHOWN_LABELS[name])),
  }))
  const dashboard = {
    description: 'Generated from the declarations of the metrics. Do not edit: run npm run generate.',
    uid: 'store-export',
    title: 'Store data export',
    tags: ['store-export'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [dataSource(), job()] },
    panels: placed([{ title: 'Now', panels: statePanels() }, ...rows]),
  }
  return `${JSON.stringify(dashboard, null, 2)}\n`
}

/**
 * Returns the panel of a metric. Counters show rates, histograms show quantiles, and gauges show their values. Rates
 * and values are sums over all nodes, with one series for each combination of labels. A ratio is the highest of all
 * nodes.
 */
function panelOf(metric: MetricDeclaration, labels: readonly string[] = Object.keys(metric.labels)): Panel {
  const { name, type, help } = metric
  const panel = { title: titleOf(name), description: `${name}. ${help}`, type: 'timeseries' } as const
  const legend = labels.length === 0 ? 'all nodes' : labels.map((label) => `{{${label}}}`).join(' ')
  const sumBy = (series: string, labels: readonly string[]) =>
    labels.length === 0 ? `sum(${series})` : `sum by (${labels.join(', ')}) (${series})`
  if (type === 'counter')
    return {
      ...panel,
      unit: rateUnitOf(name),
      queries: [{ expr: sumBy(`rate(${name}{${SELECTOR}}[${RATE}])`, labels), legend }],
    }
  if (type === 'histogram') {
    const buckets = sumBy(`rate(${name}_bucket{${SELECTOR}}[${RATE}])`, ['le', ...labels])
    const queries = QUANTILES.map((quantile) => ({
      expr: `histogram_quantile(${quantile}, ${buckets})`,
      legend: `p${quantile * 100} ${legend}`,
    }))
    return { ...panel, unit: 's', queries }
  }
  if (name.endsWith('_ratio'))
    return {
      ...panel,
      unit: 'percentunit',
      queries: [{ expr: `max by (${labels.join(', ')}) (${name}{${SELECTOR}})`, legend }],
    }
  return { ...panel, unit: 'short', queries: [{ expr: sumBy(`${name}{${SELECTOR}}`, labels), legend }] }
}

/** Returns a title that fits into the panel: the name of the metric in words. The description has its meaning. */
function titleOf(name: string): string {
  const words = name
    .replace(/^store_export_|_(total|seconds|ratio)$/g, '')
    .replace('sign_ins', 'sign-ins')
    .replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Returns the unit of a counter's rate. */
function rateUnitOf(name: string): string {
  if (name.includes('_bytes_')) return 'Bps'
  // Seconds per second are a share of the time.
  return name.includes('_seconds_') ? 'short' : 'cps'
}

/** Returns the panels that show the state of the fleet as numbers. */
function statePanels(): Panel[] {
  const { requests, errors, latency, serverSaturation, waiting } = METRICS
  const rate = (series: string) => `sum(rate(${series}[${RATE}]))`
  const requestRate = rate(`${requests.name}{${SELECTOR}}`)
  return [
    statPanel(
      'Nodes up',
      'Nodes that respond to Prometheus.',
      {
        unit: 'short',
        steps: [
          { value: null, color: 'red' },
          { value: 1, color: 'green' },
        ],
      },
      `sum(up{${SELECTOR}})`,
    ),
    statPanel(
      'Firing alerts',
      'Alerts of the service that fire. To show them, Prometheus needs the alert rules.',
      { unit: 'short', steps: redFrom(1) },
      'count(ALERTS{alertname=~"StoreExport.*", alertstate="firing"}) or vector(0)',
    ),
    statPanel(
      'Request rate',
      'Completed API requests per second.',
      { unit: 'reqps', steps: [{ value: null, color: 'text' }] },
      requestRate,
    ),
    statPanel(
      'Database errors',
      'Share of the requests that fail with STORE_DB_ERROR.',
      { unit: 'percentunit', steps: redFrom(CRITICAL_SHARE) },
      // Without requests, the share is 0/0. Then the panel shows 0.
      `${rate(`${errors.name}{${SELECTOR}, code="STORE_DB_ERROR"}`)} / ${requestRate} > 0 or ${requestRate} * 0`,
    ),
    statPanel(
      'Request duration (p99)',
      '99 % of the requests are faster. Without requests, the panel shows no number.',
      { unit: 's', steps: redFrom(SLOW_SECONDS) },
      // The comparison removes the value NaN, which Prometheus returns without requests.
      `histogram_quantile(0.99, sum by (le) (rate(${latency.name}_bucket{${SELECTOR}}[${RATE}]))) >= 0`,
    ),
    statPanel(
      'Highest saturation',
      "Highest share of a node's connections to a database server that requests use.",
      { unit: 'percentunit', steps: redFrom(SATURATED) },
      // A fleet without connections reports no saturation. Then the panel shows 0.
      `max(${serverSaturation.name}{${SELECTOR}}) or max(${waiting.name}{${SELECTOR}}) * 0`,
    ),
  ]
}

/** Returns a panel that shows one number. `steps` is required: by default, Grafana shows numbers from 80 in red. */
function statPanel(
  title: string,
  description: string,
  look: Required<Pick<Panel, 'unit' | 'steps'>>,
  expr: string,
): Panel {
  return { title, description, type: 'stat', ...look, queries: [{ expr, legend: '' }] }
}

/** Returns the colors of a number that is green if it is lower than `value`. */
function redFrom(value: number): readonly Step[] {
  return [
    { value: null, color: 'green' },
    { value, color: 'red' },
  ]
}

/** Returns the panels of all rows with their positions and IDs. */
function placed(rows: readonly { readonly title: string; readonly panels: readonly Panel[] }[]) {
  let y = 0
  let id = 0
  return rows.flatMap(({ title, panels }) => {
    const row = { id: ++id, type: 'row', title, collapsed: false, panels: [], gridPos: { x: 0, y, w: WIDTH, h: 1 } }
    y += 1
    const size = panels.every(({ type }) => type === 'stat') ? STAT : PANEL
    const perLine = WIDTH / size.w
    const cells = panels.map((panel, index) => {
      const [column, line] = [index % perLine, Math.floor(index / perLine)]
      return grafanaPanel(panel, ++id, { ...size, x: column * size.w, y: y + line * size.h })
    })
    y += Math.ceil(panels.length / perLine) * size.h
    return [row, ...cells]
  })
}

function grafanaPanel(panel: Panel, id: number, gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>) {
  const { title, description, type, unit, steps, queries } = panel
  const defaults = {
    unit,
    min: 0,
    // Without a maximum, the axis of shares that are all 0 ends at 10000 %.
    ...(unit === 'percentunit' ? { max: 1 } : {}),
    ...(steps === undefined ? {} : { thresholds: { mode: 'absolute', steps } }),
  }
  return {
    id,
    type,
    title,
    description,
    gridPos,
    datasource: { type: 'prometheus', uid: DATA_SOURCE },
    fieldConfig: { defaults, overrides: [] },
    options:
      type === 'stat'
        ? { reduceOptions: { calcs: ['lastNotNull'] }, graphMode: 'none' }
        : { tooltip: { mode: 'multi', sort: 'desc', hideZeros: true } },
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      expr,
      legendFormat: legend,
      // The last value of a range can be hours old, if the series ended.
      ...(type === 'stat' ? { instant: true, range: false } : {}),
    })),
  }
}

function dataSource() {
  return { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }
}

function job() {
  const { name } = METRICS.buildInfo
  return {
    name: 'job',
    label: 'Job',
    type: 'query',
    datasource: { type: 'prometheus', uid: DATA_SOURCE },
    query: `label_values(${name}, job)`,
    current: { text: JOB, value: JOB },
    includeAll: false,
    // Loads the jobs again when the time range changes.
    refresh: 2,
  }
}
