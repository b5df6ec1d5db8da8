// What the bench of peers found out, as data, and where it is kept.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { BenchRun } from '../lib/results.ts'

/** Medians of one who serves; milliseconds a request. */
export interface PeerFigure {
  readonly name: string
  /** What it is made of, with versions; empty for the service. */
  readonly version: string
  readonly checksKey: boolean
  readonly processMs: number
  readonly databaseMs: number
  readonly totalMs: number
  readonly wallMs: number
  readonly kibibytes: number
  /** Processor time as a multiple of the service's in the same round. */
  readonly cpuRatio: number
  /** Time, likewise. */
  readonly wallRatio: number
}

/** Everyone's figures for one kind of request. */
export interface PeerComparison {
  readonly what: string
  /** Requests that are under way at once. */
  readonly connections: number
  readonly figures: readonly PeerFigure[]
}

/** All that was measured on one server. */
export interface PeersResult extends BenchRun {
  readonly comparisons: readonly PeerComparison[]
}

const FILE = fileURLToPath(new URL('../results/peers.json', import.meta.url))

/** Keeps a result in place of the last one of its server. */
export async function writePeersResult(result: PeersResult): Promise<void> {
  const others = (await readPeersResults()).filter(({ server }) => server !== result.server)
  const all = [...others, result].sort((a, b) => (a.server < b.server ? -1 : 1))
  await mkdir(new URL('../results', import.meta.url), { recursive: true })
  await writeFile(FILE, `${JSON.stringify(all, null, 2)}\n`)
}

/** The results that are kept; none where there is no file. */
export async function readPeersResults(): Promise<PeersResult[]> {
  const text = await readFile(FILE, 'utf8').catch(() => null)
  return text === null ? [] : (JSON.parse(text) as PeersResult[])
}
