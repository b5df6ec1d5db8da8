// Reads and writes the results of the peers benchmark.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { BenchRun } from '../lib/results.ts'

/** Medians of one peer or of the service, per request. Times are in ms. */
export interface PeerFigure {
  readonly name: string
  /** The software of the peer, with versions; empty for the service. */
  readonly version: string
  /** Whether the peer checks a key and counts the request, as the service does. */
  readonly checksKey: boolean
  /** Processor time of the peer. */
  readonly processMs: number
  /** Processor time of the database. */
  readonly databaseMs: number
  /** Processor time of both. */
  readonly totalMs: number
  /** Time until the response is complete. */
  readonly wallMs: number
  /** Size of the response in KiB. */
  readonly kibibytes: number
  /** `totalMs` as a multiple of the service's in the same round. */
  readonly cpuRatio: number
  /** Wall time as a multiple of the service's in the same round. */
  readonly wallRatio: number
}

/** Results of all peers and the service for one kind of request. */
export interface PeerComparison {
  /** The kind, such as `one order by ID`. */
  readonly what: string
  /** Number of connections that send requests at the same time. */
  readonly connections: number
  readonly figures: readonly PeerFigure[]
}

/** A result of `npm run bench:peers` on one PostgreSQL server. */
export interface PeersResult extends BenchRun {
  readonly comparisons: readonly PeerComparison[]
}

const FILE = fileURLToPath(new URL('../results/peers.json', import.meta.url))

/** Stores a result. It replaces the stored result for the same kind of PostgreSQL server. */
export async function writePeersResult(result: PeersResult): Promise<void> {
  const others = (await readPeersResults()).filter(({ server }) => server !== result.server)
  const all = [...others, result].sort((a, b) => (a.server < b.server ? -1 : 1))
  await mkdir(new URL('../results', import.meta.url), { recursive: true })
  await writeFile(FILE, `${JSON.stringify(all, null, 2)}\n`)
}

/**
 * Returns the stored results, at most one for each kind of PostgreSQL server; none if the file can't be read, as before
 * the first run. Rejects if it is not JSON.
 */
export async function readPeersResults(): Promise<PeersResult[]> {
  const text = await readFile(FILE, 'utf8').catch(() => null)
  return text === null ? [] : (JSON.parse(text) as PeersResult[])
}
