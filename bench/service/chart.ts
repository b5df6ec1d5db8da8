// Draws the ratios of all results: each kind of request compared with COPY of its rows, and the same pages from other
// servers. bars.ts does the drawing.

import { type Bar, type BarGroup, type BarPanel, drawBars } from '../lib/bars.ts'
import type { BenchResult, Figure } from '../lib/results.ts'
import type { PeersResult } from '../peers/peers-results.ts'
import { KEY_CHECK } from './key-check.ts'
import { LIST_PARTS } from './variants.ts'

/** Path of the picture, relative to docs/concepts/performance.md. */
export const CHART_FROM_DOCUMENT = '../images/performance.svg'

const TITLE = 'Processor time of a request'
const SERVERS = { embedded: 'Embedded PostgreSQL', system: 'Installed PostgreSQL' } as const
/** Name of the comparison of the peers benchmark that the picture shows. */
const COMPARED = 'page of 250 orders'

/** Returns the picture as an SVG document. */
export function performanceChart(results: readonly BenchResult[], peers: readonly PeersResult[]): string {
  return drawBars({ title: TITLE, description: chartDescription(results, peers), panels: panelsOf(results, peers) })
}

/** Returns the description of the picture, for people who don't see it. */
export function chartDescription(results: readonly BenchResult[], peers: readonly PeersResult[]): string {
  const panels = panelsOf(results, peers).map(({ groups, unit }) => `${unit}: ${groups.map(rangeText).join('; ')}.`)
  return [`${TITLE}, service and database together.`, ...panels, 'The tables have all figures.'].join(' ')
}

function rangeText({ title, bars }: BarGroup): string {
  const values = bars.map(({ value }) => value)
  return `${title}, from ${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`
}

function panelsOf(results: readonly BenchResult[], peers: readonly PeersResult[]): BarPanel[] {
  const panels: BarPanel[] = [
    { unit: 'As a multiple of COPY of the same rows', one: 'COPY', groups: results.map(groupOf) },
    { unit: 'As a multiple of a bare select 1', one: 'select 1', groups: [keyGroupOf(results)] },
    { unit: 'A page of 250 orders, as a multiple of the service', one: 'the service', groups: peers.map(peersGroupOf) },
  ]
  return panels
    .map((panel) => ({ ...panel, groups: panel.groups.filter(({ bars }) => bars.length > 0) }))
    .filter(({ groups }) => groups.length > 0)
}

/**
 * Returns a bar for each variant that is compared with COPY, except parts of a list, which no table has. The key check
 * is compared with another statement, so it has its own group.
 */
function groupOf({ figures, ...run }: BenchResult): BarGroup {
  const compared = figures.filter(({ name }) => name !== KEY_CHECK.name && !LIST_PARTS.test(name))
  return { title: titleOf(run), bars: compared.flatMap((figure) => barOf(figure.name, figure)) }
}

function keyGroupOf(results: readonly BenchResult[]): BarGroup {
  const bars = results.flatMap(({ figures, ...run }) =>
    figures.filter(({ name }) => name === KEY_CHECK.name).flatMap((figure) => barOf(titleOf(run), figure)),
  )
  return { title: 'Check and count of a key', bars }
}

function barOf(label: string, { ratio }: Figure): Bar[] {
  return ratio === null ? [] : [{ label, value: ratio }]
}

function peersGroupOf({ comparisons, ...run }: PeersResult): BarGroup {
  const figures = comparisons.find(({ what }) => what === COMPARED)?.figures ?? []
  // Only the service's own figure has no version.
  const others = figures.filter(({ version }) => version !== '')
  return { title: titleOf(run), bars: others.map(({ name, cpuRatio }) => ({ label: name, value: cpuRatio })) }
}

function titleOf({ server, orders }: Pick<BenchResult, 'server' | 'orders'>): string {
  return `${SERVERS[server]}, ${orders.toLocaleString('en')} orders`
}
