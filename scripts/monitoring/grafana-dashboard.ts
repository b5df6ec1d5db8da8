// Generates a dashboard for Grafana from the declarations of the metrics. Each metric has a panel, whose query follows
// from the type of the metric. The first row shows the state of the fleet.

import { METRICS, type MetricDeclaration } from '../../packages/operator/src/metric-declarations.ts'
import { JOB } from './alerts.ts'

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
  readonly queries: readonly Query[]
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
    panels: names.map((name) => panelOf(METRICS[name])),
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
function panelOf(metric: MetricDeclaration): Panel {
  const { name, type, help } = metric
  const labels = Object.keys(metric.labels)
  const panel = { title: help.replace(/\.$/, ''), description: `${name}. ${help}`, type: 'timeseries' } as const
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

/** Returns the unit of a counter's rate. */
function rateUnitOf(name: string): string {
  if (name.includes('_bytes_')) return 'Bps'
  // Seconds per second are a share of the time.
  return name.includes('_seconds_') ? 'short' : 'cps'
}

/** Returns the panels that show the state of the fleet as numbers. */
function statePanels(): Panel[] {
  const { requests, errors, latency, serverSaturation, waiting } = METRICS
  const stat = (title: string, unit: string, expr: string): Panel => ({
    title,
    description: title,
    type: 'stat',
    unit,
    queries: [{ expr, legend: '' }],
  })
  const rate = (series: string) => `sum(rate(${series}[${RATE}]))`
  return [
    stat('Nodes up', 'short', `sum(up{${SELECTOR}})`),
    stat('Alerts that fire', 'short', 'count(ALERTS{alertname=~"StoreExport.*", alertstate="firing"}) or vector(0)'),
    stat('Requests', 'reqps', rate(`${requests.name}{${SELECTOR}}`)),
    stat(
      'Share of requests with STORE_DB_ERROR',
      'percentunit',
      `${rate(`${errors.name}{${SELECTOR}, code="STORE_DB_ERROR"}`)} / ${rate(`${requests.name}{${SELECTOR}}`)}`,
    ),
    stat(
      '99 % of the requests are faster than',
      's',
      `histogram_quantile(0.99, sum by (le) (rate(${latency.name}_bucket{${SELECTOR}}[${RATE}])))`,
    ),
    stat(
      'Highest saturation of a server',
      'percentunit',
      // A fleet without connections reports no saturation. Then the panel shows 0.
      `max(${serverSaturation.name}{${SELECTOR}}) or max(${waiting.name}{${SELECTOR}}) * 0`,
    ),
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
  const { title, description, type, unit, queries } = panel
  return {
    id,
    type,
    title,
    description,
    gridPos,
    datasource: { type: 'prometheus', uid: DATA_SOURCE },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: type === 'stat' ? { reduceOptions: { calcs: ['lastNotNull'] } } : { tooltip: { mode: 'multi' } },
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      expr,
      legendFormat: legend,
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
