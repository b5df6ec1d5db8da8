// Tests the text and charts that the benchmarks write into docs/concepts/performance.md, with results made by hand.

import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { type BenchResult, compared, type Figure, inOrder } from '../bench/lib/results.ts'
import type { PeersResult } from '../bench/peers/peers-results.ts'
import { performanceChart } from '../bench/service/chart.ts'
import { DOCUMENT, storedPage } from '../bench/service/document.ts'
import { performancePage } from '../bench/service/performance-page.ts'
import { summary } from '../bench/service/report.ts'

const run = {
  server: 'system',
  version: 'PostgreSQL 15.18',
  date: '2026-01-01',
  machine: '2 cores',
  node: '24.0.0',
  command: 'npm run bench',
  orders: 200_000,
  rounds: 21,
} as const

function figure(name: string, ratio: number | null): Figure {
  return { name, processMs: 4.954, databaseMs: 0.5, totalMs: 5.454, wallMs: 6.5, kibibytes: 495.8, ratio }
}

/** A result from before throughput and earlier ratios were stored. */
const old: BenchResult = {
  ...run,
  rows: 755_067,
  bounded: [{ name: 'Time of the store', value: 5.04, most: 5, unit: 'ms' }],
  figures: [figure('orders, pages of 250: COPY', null), figure('orders, pages of 250', 1.391)],
  parallel: { pages: 1000, failed: 0, pagesPerSecond: 33.4 },
}

const fullResult: BenchResult = {
  ...compared({ ...old, figures: [...old.figures, figure('a new <page> & "more"', 1.2)] }, old),
  throughput: [
    {
      what: 'order by id',
      connections: 8,
      requestsPerSecond: 2345.6,
      processMs: 0.4,
      databaseMs: 0.1,
      clientMs: 0.02,
      failed: 0,
    },
  ],
}

const peers: PeersResult = {
  ...run,
  comparisons: [
    {
      what: 'page of 250 orders',
      connections: 1,
      figures: [
        { ...figure('the service', null), version: '', checksKey: true, cpuRatio: 1, wallRatio: 1 },
        { ...figure('another', null), version: '1.0', checksKey: false, cpuRatio: 4.321, wallRatio: 3 },
      ],
    },
  ],
}

describe('the benchmark report', () => {
  test('if an earlier run measured the same benchmark, the report shows the ratios of both runs', () => {
    const text = summary(fullResult)
    expect(text).toContain('| orders, pages of 250: COPY | 496 | 4.95 | 0.500 | 5.45 | 6.50 |  |  |')
    expect(text).toContain('| orders, pages of 250 | 496 | 4.95 | 0.500 | 5.45 | 6.50 | 1.39 | 1.39 |')
    expect(text).toContain('| a new <page> & "more" | 496 | 4.95 | 0.500 | 5.45 | 6.50 | 1.20 |  |')
  })

  test('if a benchmark misses a goal in milliseconds, the report marks the goal as missed and shows tenths of a millisecond', () => {
    expect(summary(fullResult)).toContain('| Time of the store | 5.0 ms | 5 ms | **missed** |')
  })

  test('if a benchmark measured throughput, the report shows the time per request for service, database, and client', () => {
    expect(summary(fullResult)).toContain('| order by id | 8 | 2,346 | 0.400 | 0.100 | 0.500 | 0.020 | 0 |')
  })

  test('if a benchmark result lacks throughput and earlier ratios, the report omits the throughput table and leaves the earlier ratios empty', () => {
    const text = summary(old)
    expect(text).toContain('| orders, pages of 250 | 496 | 4.95 | 0.500 | 5.45 | 6.50 | 1.39 |  |')
    expect(text).not.toContain('requests/s')
    expect(text).not.toContain('undefined')
  })

  test('if a benchmark ran with 2,000,000 instead of 200,000 orders, the performance page shows this number in the header of its column', () => {
    const text = performancePage({ results: [old, { ...old, orders: 2_000_000 }], peers: [], sync: null })
    expect(text).toContain('|  | Installed | Installed, 2,000,000 orders |')
    expect(text).toContain('| orders, pages of 250 | 1.39 | 1.39 |')
  })

  test('if a benchmark misses a goal, the performance page shows the value in bold', () => {
    const text = performancePage({ results: [old], peers: [], sync: null })
    expect(text).toContain('| Time of the store | 5 ms | **5.0 ms** |')
  })

  test('if other servers were measured, the first table of the performance page compares their pages with the same pages of the service', () => {
    const text = performancePage({ results: [old], peers: [peers], sync: null })
    expect(text).toContain('| a page of 250 orders from other servers | the same page from the service | 4.32 |')
  })

  test('the committed performance page equals the page that is generated from the committed results', async () => {
    expect(await readFile(DOCUMENT, 'utf8')).toBe(await storedPage())
  })

  test('if a server was measured with several numbers of orders, the result with 200,000 orders comes first', () => {
    const sizes = [2_000_000, 10_000, 200_000].map((orders) => ({ ...old, orders }))
    const kept = inOrder([...sizes, { ...old, server: 'embedded', orders: 2_000_000 }])
    expect(kept.map(({ server, orders }) => `${server} ${orders}`)).toEqual([
      'embedded 2000000',
      'system 200000',
      'system 10000',
      'system 2000000',
    ])
  })

  test('in the benchmark report, every row of a table has as many cells as its header', () => {
    const page = performancePage({ results: [fullResult], peers: [peers], sync: null })
    const tables = page.match(/(?:^\|.*\n)+/gm) ?? []
    expect(tables.length).toBe(8)
    for (const lines of tables.map((table) => table.trim().split('\n')))
      expect(new Set(lines.map((line) => line.split('|').length)).size).toBe(1)
  })
})

describe('the benchmark chart', () => {
  test('if names contain XML characters, the benchmark chart is well-formed and has a bar for each ratio and peer', () => {
    const svg = performanceChart([fullResult], [peers])
    expect(elementsOf(svg).filter((name) => name === 'rect')).toHaveLength(1 + 2 + 1)
    expect(svg).toContain('>a new &#60;page&#62; &#38; &#34;more&#34;</text>')
    expect(svg).toContain('>4.32</text>')
  })

  test('if there are no benchmark results, the chart is still well-formed', () => {
    expect(elementsOf(performanceChart([], []))).toContain('svg')
  })

  test('if pages from a part of a list were measured, the benchmark chart leaves them out, as the tables do', () => {
    const result = { ...old, figures: [...old.figures, figure('orders, last 20 pages of 250', 1.001)] }
    for (const text of [performanceChart([result], []), performancePage({ results: [result], peers: [], sync: null })])
      expect(text).not.toMatch(/last 20 pages|1\.00\b/)
  })

  test('the benchmark chart has a text alternative', () => {
    expect(performancePage({ results: [fullResult], peers: [], sync: null })).toMatch(
      /^!\[Processor time [^[\]]{80,}\]\(\.\.\/images\/performance\.svg\)$/m,
    )
  })
})

/**
 * Returns the names of all elements of an XML document. Throws for an attribute that repeats, a tag without its
 * counterpart, and a character that is not escaped.
 */
function elementsOf(xml: string): string[] {
  const names: string[] = []
  const open: string[] = []
  const rest = xml.replace(
    /<!--(?:(?!--)[\s\S])*-->|<(\/?)([a-z]+)((?: [a-zA-Z0-9-]+="[^"<&]*")*)(\/?)>/g,
    (tag, ...of) => {
      const [closes, name, attributes, isEmpty]: string[] = of
      if (name === undefined) return ''
      const keys = [...(attributes ?? '').matchAll(/ ([a-zA-Z0-9-]+)=/g)].map(([, key]) => key)
      if (new Set(keys).size < keys.length) throw new Error(`repeated attributes: ${tag}`)
      if (closes === '/') {
        if (open.pop() !== name) throw new Error(`closes what is not open: ${tag}`)
        return ''
      }
      names.push(name)
      if (isEmpty === '') open.push(name)
      return ''
    },
  )
  if (open.length > 0) throw new Error(`left open: ${open}`)
  const stray = /<|&(?!#\d+;)/.exec(rest)
  if (stray !== null) throw new Error(`a bare ${stray[0]}: ${rest.slice(stray.index, stray.index + 40)}`)
  return names
}
