// Writes docs/concepts/performance.md and its chart from bench/results.

import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { readResults } from '../lib/results.ts'
import { readPeersResults } from '../peers/peers-results.ts'
import { readSyncResult } from '../sync/sync-results.ts'
import { CHART_FROM_DOCUMENT, performanceChart } from './chart.ts'
import { performancePage } from './performance-page.ts'

/** Path of the page. */
export const DOCUMENT = fileURLToPath(new URL('../../docs/concepts/performance.md', import.meta.url))
const CHART = path.join(path.dirname(DOCUMENT), CHART_FROM_DOCUMENT)

/** Writes the page and the chart from the stored results of all benchmarks. */
export async function writeDocument(): Promise<void> {
  await mkdir(path.dirname(CHART), { recursive: true })
  await writeFile(CHART, performanceChart(await readResults(), await readPeersResults()))
  await writeFile(DOCUMENT, await storedPage())
}

/** Returns the page with the stored results, as Markdown. */
export async function storedPage(): Promise<string> {
  const [results, peers, sync] = await Promise.all([readResults(), readPeersResults(), readSyncResult()])
  return performancePage({ results, peers, sync })
}
