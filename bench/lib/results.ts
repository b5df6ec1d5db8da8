// Reads and writes the results of a benchmark.

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import { ORDERS_DEFAULT, type ServerKind } from './options.ts'

/** Medians of one variant. Times are per request. */
export interface Figure {
  readonly name: string
  /** Processor time of the service, or of the process that runs COPY or the key check, in ms. */
  readonly processMs: number
  /** Processor time of the PostgreSQL server, in ms. */
  readonly databaseMs: number
  /** Sum of both processor times, in ms. */
  readonly totalMs: number
  /** Elapsed time, in ms. */
  readonly wallMs: number
  /** Size of the response; 0 if it is unknown, as for psql and for the key check. */
  readonly kibibytes: number
  /** Total processor time as a multiple of the baseline's; null without a baseline. */
  readonly ratio: number | null
  /** `ratio` in the previous result of this server and size; null if it had none, absent without a previous result. */
  readonly before?: number | null
}

/** Medians of the bursts of one kind of request. Times are per request. */
export interface ThroughputFigure {
  readonly what: string
  readonly connections: number
  readonly requestsPerSecond: number
  readonly processMs: number
  readonly databaseMs: number
  /** Processor time of the client in ms. The client must not be the bottleneck. */
  readonly clientMs: number
  /** Number of responses of all bursts with another status than 200. */
  readonly failed: number
}

/** A measured value with a goal. */
export interface Bounded {
  readonly name: string
  readonly value: number
  /** The goal: `value` should not be greater. */
  readonly most: number
  /** Unit of `value`; empty for a ratio. */
  readonly unit: string
}

/** Facts of a run that every result contains. */
export interface BenchRun {
  readonly server: ServerKind
  readonly version: string
  readonly date: string
  readonly machine: string
  readonly node: string
  readonly command: string
  readonly orders: number
  readonly rounds: number
}

/** A result of `npm run bench`, as stored in bench/results. */
export interface BenchResult extends BenchRun {
  readonly rows: number
  readonly bounded: readonly Bounded[]
  readonly figures: readonly Figure[]
  /** Requests per second by kind of request; absent in results from before throughput was measured. */
  readonly throughput?: readonly ThroughputFigure[]
  /** The pages of all parallel full syncs together. */
  readonly parallel: { readonly pages: number; readonly failed: number; readonly pagesPerSecond: number }
}

/** Files of other benchmarks in the folder. */
const OTHERS = new Set(['peers.json'])

const FOLDER = fileURLToPath(new URL('../results', import.meta.url))

/** Returns a description of the machine for reports, without its name. */
export function describeMachine(): string {
  const cpus = os.cpus()
  const memory = Math.round(os.totalmem() / 2 ** 30)
  return `${cpus.length} cores of ${cpus[0]?.model ?? 'an unknown processor'}, ${memory} GiB, ${os.type()} ${os.arch()}`
}

/** Returns the facts of the current run. `script` is a script of package.json. */
export function describeRun(script: string, run: Pick<BenchRun, 'server' | 'version' | 'orders' | 'rounds'>): BenchRun {
  const options = process.argv.slice(2)
  return {
    ...run,
    date: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    node: process.versions.node,
    command: [`npm run ${script}`, ...(options.length > 0 ? ['--', ...options] : [])].join(' '),
  }
}

/** Stores a result, which replaces the previous one of the same server and size. */
export async function writeResult(result: BenchResult): Promise<void> {
  await mkdir(FOLDER, { recursive: true })
  await writeFile(fileOf(result), `${JSON.stringify(result, null, 2)}\n`)
}

/** Returns the result with the ratios of the stored one of the same server and size; unchanged if none is stored. */
export async function withRatiosBefore(result: BenchResult): Promise<BenchResult> {
  const text = await readFile(fileOf(result), 'utf8').catch(() => null)
  return text === null ? result : compared(result, JSON.parse(text) as BenchResult)
}

/** Returns the result with the ratios of `before`. */
export function compared(result: BenchResult, before: BenchResult): BenchResult {
  const ratios = new Map(before.figures.map(({ name, ratio }) => [name, ratio]))
  const figures = result.figures.map((figure) => ({ ...figure, before: ratios.get(figure.name) ?? null }))
  return { ...result, figures }
}

/** Returns the stored results, in the order of `inOrder`; none if the folder is missing. */
export async function readResults(): Promise<BenchResult[]> {
  const files = (await readdir(FOLDER).catch(() => [])).filter(isResult)
  return inOrder(
    await Promise.all(
      files.map(async (file) => JSON.parse(await readFile(`${FOLDER}/${file}`, 'utf8')) as BenchResult),
    ),
  )
}

/** Returns the results by server. For each server, the default size comes first, then the others by size. */
export function inOrder(results: readonly BenchResult[]): BenchResult[] {
  const size = ({ orders }: BenchResult) => (orders === ORDERS_DEFAULT ? 0 : orders)
  return results.toSorted((a, b) => (a.server === b.server ? size(a) - size(b) : a.server < b.server ? -1 : 1))
}

function fileOf({ server, orders }: BenchResult): string {
  return `${FOLDER}/${orders === ORDERS_DEFAULT ? server : `${server}-${orders}`}.json`
}

function isResult(file: string): boolean {
  return file.endsWith('.json') && !OTHERS.has(file)
}
