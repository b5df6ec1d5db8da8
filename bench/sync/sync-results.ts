// Reads and writes the results of the store-sync benchmark.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** The result of a full read of a store. The pages are dropped or written to a copy. */
export interface SyncFigure {
  /** Source of the pages. */
  readonly source: string
  readonly what: string
  /** Number of rows of all tables, including embedded rows; null for a run without changes. */
  readonly rows: number | null
  readonly wallMs: number
  /** Processor time of the requesting process, in ms. */
  readonly cpuMs: number
  /** Maximum resident memory in MiB; null if it was not measured. */
  readonly residentMebibytes: number | null
  /** Time as a multiple of fetching and dropping the same pages; null for a second run. */
  readonly ratio: number | null
}

/** The cost of as many pages as the rate limit permits in one minute. */
export interface PacedFigure {
  readonly name: string
  /** Processor seconds for 120 pages of 250 orders, including the start of the process. */
  readonly cpuSeconds: number
  /** Processor seconds for fetching and parsing the same pages. */
  readonly parseSeconds: number
}

/** A result of `npm run bench:sync`. `orders` is the number of orders of the generated store. */
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

/** Returns the processor time of each run, and that of only fetching and parsing the same pages. */
export function pacedOf(
  parsed: { readonly cpuMs: number },
  runs: readonly { readonly name: string; readonly cpuMs: number }[],
): PacedFigure[] {
  return runs.map(({ name, cpuMs }) => ({ name, cpuSeconds: cpuMs / 1000, parseSeconds: parsed.cpuMs / 1000 }))
}

/** Stores a result, which replaces the previous one. */
export async function writeSyncResult(result: SyncResult): Promise<void> {
  await mkdir(FOLDER, { recursive: true })
  await writeFile(FILE, `${JSON.stringify(result, null, 2)}\n`)
}

/** Returns the stored result; null if there is none. */
export async function readSyncResult(): Promise<SyncResult | null> {
  const text = await readFile(FILE, 'utf8').catch(() => null)
  return text === null ? null : (JSON.parse(text) as SyncResult)
}
