// What the bench of store-sync found out, as data, and where it is kept.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** A walk of a whole store, fetched and dropped or kept in a copy. */
export interface SyncFigure {
  /** Where the pages came from. */
  readonly source: string
  readonly what: string
  /** Rows of all tables, children counted; null for a run that finds nothing new. */
  readonly rows: number | null
  readonly wallMs: number
  /** Processor time of the process that asks, alone. */
  readonly cpuMs: number
  /** Most memory that was resident at once; null where it was not measured. */
  readonly residentMebibytes: number | null
  /** Time as a multiple of that of fetching and dropping the same pages; null for a second run. */
  readonly ratio: number | null
}

/** What a minute of requests under the limit costs. */
export interface PacedFigure {
  readonly name: string
  /** Processor seconds for 120 pages of 250 orders, the start of the process included. */
  readonly cpuSeconds: number
  /** Of these, what fetching and parsing the same pages costs. */
  readonly parseSeconds: number
}

/** All that was measured. */
export interface SyncResult {
  readonly version: string
  readonly date: string
  readonly machine: string
  readonly node: string
  readonly command: string
  readonly orders: number
  readonly figures: readonly SyncFigure[]
  readonly paced: readonly PacedFigure[]
}

const FOLDER = fileURLToPath(new URL('../results/sync', import.meta.url))
const FILE = `${FOLDER}/sync.json`

/** What runs cost, beside fetching and parsing. */
export function pacedOf(
  parsed: { readonly cpuMs: number },
  runs: readonly { readonly name: string; readonly cpuMs: number }[],
): PacedFigure[] {
  return runs.map(({ name, cpuMs }) => ({ name, cpuSeconds: cpuMs / 1000, parseSeconds: parsed.cpuMs / 1000 }))
}

/** Keeps a result in place of the last one. */
export async function writeSyncResult(result: SyncResult): Promise<void> {
  await mkdir(FOLDER, { recursive: true })
  await writeFile(FILE, `${JSON.stringify(result, null, 2)}\n`)
}

/** The result that is kept; null where there is none. */
export async function readSyncResult(): Promise<SyncResult | null> {
  const text = await readFile(FILE, 'utf8').catch(() => null)
  return text === null ? null : (JSON.parse(text) as SyncResult)
}
