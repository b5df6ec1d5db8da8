// Tests that alerts, runbooks, the dashboard, and the metrics fit together. test/fleet runs them in Prometheus.

import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import { METRICS, type MetricDeclaration } from '../packages/operator/src/metric-declarations.ts'
import { ALERTS } from '../scripts/monitoring/alerts.ts'
import { dashboardPanels, dashboardQueries } from './support/dashboard.ts'

const metrics: readonly MetricDeclaration[] = Object.values(METRICS)
const alertQueries = ALERTS.map(({ expr }) => expr((seconds) => `${seconds}s`))

/** Returns the declaration of a series; undefined if there is none. */
function declarationOf(series: string): MetricDeclaration | undefined {
  return metrics.find(
    ({ name, type }) =>
      name === series ||
      (type === 'histogram' && /^_(bucket|count|sum)$/.test(series.slice(name.length)) && series.startsWith(name)),
  )
}

/** Returns the series in a query with the labels that the query selects. */
function seriesIn(query: string): { name: string; labels: string[] }[] {
  return [...query.matchAll(/\b(store_export_\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', selector = '']) => ({
    name,
    labels: [...selector.matchAll(/(\w+)(?:=~|=)/g)].map(([, label = '']) => label),
  }))
}

describe('alerts and the dashboard', () => {
  test('each query of an alert or the Grafana dashboard uses only declared metrics and their declared labels', () => {
    for (const query of [...alertQueries, ...dashboardQueries()])
      for (const { name, labels } of seriesIn(query)) {
        const declaration = declarationOf(name)
        expect(declaration, `${name} in ${query}`).toBeDefined()
        const known = ['job', 'instance', 'le', ...Object.keys(declaration?.labels ?? {})]
        expect(known).toEqual(expect.arrayContaining(labels))
      }
  })

  test('each query of an alert or the Grafana dashboard groups only by labels of its metrics', () => {
    for (const query of [...alertQueries, ...dashboardQueries()]) {
      const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(', '))
      const known = seriesIn(query).flatMap(({ name }) => Object.keys(declarationOf(name)?.labels ?? {}))
      expect(['job', 'instance', 'le', ...known]).toEqual(expect.arrayContaining(grouped))
    }
  })

  test('the Grafana dashboard shows each metric', () => {
    const shown = new Set(
      dashboardQueries()
        .flatMap(seriesIn)
        .map(({ name }) => declarationOf(name)?.name),
    )
    expect([...shown].toSorted()).toEqual(metrics.map(({ name }) => name).toSorted())
  })

  test('no two panels of the Grafana dashboard have the same ID or overlap, and no panel exceeds 24 columns', () => {
    const panels = dashboardPanels()
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
      expect(x + w).toBeLessThanOrEqual(24)
      return Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`)
    })
    expect(new Set(cells).size).toBe(cells.length)
    for (const { type, title, targets } of panels) {
      expect(title).not.toBe('')
      expect(type === 'row').toBe(targets === undefined)
    }
  })

  test('each title of the Grafana dashboard fits into its panel on a screen with 1440 pixels', () => {
    for (const { title, gridPos } of dashboardPanels()) expect(title.length, title).toBeLessThanOrEqual(gridPos.w * 6)
  })

  test('each number of the Grafana dashboard is current and has its own thresholds, in ascending order', () => {
    const numbers = dashboardPanels().filter(({ type }) => type === 'stat')
    expect(numbers).toHaveLength(6)
    for (const { title, targets, fieldConfig } of numbers) {
      expect(targets, title).toEqual([expect.objectContaining({ instant: true, range: false })])
      const [first, ...others] = (fieldConfig?.defaults.thresholds?.steps ?? []).map(({ value }) => value)
      expect(first, title).toBeNull()
      expect(others.toSorted(), title).toEqual(others)
    }
  })

  test('the axis of each share on the Grafana dashboard ends at 100 %', () => {
    const shares = dashboardPanels().filter(({ fieldConfig }) => fieldConfig?.defaults.unit === 'percentunit')
    expect(shares.map(({ fieldConfig }) => fieldConfig?.defaults.max)).toEqual([1, 1, 1])
  })
})

describe('runbooks', () => {
  const pages = globSync('docs/operate/runbooks/*.md').map((page) => basename(page, '.md'))

  test('each alert has its own runbook, and each runbook has an alert', () => {
    expect(ALERTS.map(({ runbook }) => runbook).toSorted()).toEqual(pages.filter((page) => page !== 'index').toSorted())
  })

  test.for(ALERTS)('the runbook of the alert $name mentions this alert in its first lines', ({ name, runbook }) => {
    const page = readFileSync(`docs/operate/runbooks/${runbook}.md`, 'utf8')
    expect(page.slice(0, page.indexOf('**Meaning.**'))).toContain(`the alert \`${name}\``)
  })

  test.for(ALERTS)(
    'the runbook of the alert $name has the sections Meaning, Fix, and Done when, and one section that confirms the cause',
    ({ runbook }) => {
      const page = readFileSync(`docs/operate/runbooks/${runbook}.md`, 'utf8')
      const parts = [...page.matchAll(/^\*\*(.*?)\*\*/gm)].map(([, part]) => part)
      expect(parts).toEqual(expect.arrayContaining(['Meaning.', 'Fix', 'Done when']))
      expect(parts.filter((part) => part === 'Confirm' || part === 'Find out what was read')).toHaveLength(1)
    },
  )
})
