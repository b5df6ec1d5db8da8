// Writes docs/concepts/performance.md and its chart from bench/results.

import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { readResults } from '../lib/results.ts'
import { readPeersResults } from '../peers/peers-results.ts'
import { withSyncSection } from '../sync/sync-report.ts'
import { readSyncResult } from '../sync/sync-results.ts'
import { CHART_FROM_DOCUMENT, performanceChart } from './chart.ts'
import { performanceDocument } from './report.ts'

const DOCUMENT = fileURLToPath(new URL('../../docs/concepts/performance.md', import.meta.url))
const CHART = path.join(path.dirname(DOCUMENT), CHART_FROM_DOCUMENT)

/** Writes the document and the chart from the stored results of all benchmarks. */
export async function writeDocument(): Promise<void> {
  const [results, peers] = await Promise.all([readResults(), readPeersResults()])
  await mkdir(path.dirname(CHART), { recursive: true })
  await writeFile(CHART, performanceChart(results, peers))
  await writeFile(DOCUMENT, withSyncSection(performanceDocument(results, peers), await readSyncResult()))
}
