// Kills the command at random moments of first, incremental, pruning and full runs. The next run must complete the
// copy.

import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'
import { CommandProxy, type Kill, RUN_MS_MAX, type StoreSyncResult } from './support/command-proxy.ts'
import { compareDestination, findDifferences, findTornRows, withoutTrailingZeros } from './support/compare.ts'
import { historyFactor } from './support/describe-histories.ts'
import {
  csvDestinations,
  type HistoryDestination,
  type HistoryDestinations,
  postgresDestinations,
  sqliteDestinations,
  xlsxDestinations,
} from './support/destinations.ts'
import { duckDbDestinations } from './support/duckdb-files.ts'
import { parquetDestinations } from './support/parquet-destinations.ts'
import { Random } from './support/random.ts'
import type { RowsByTable } from './support/rows-by-table.ts'
import { readSource } from './support/source.ts'
import { openWrittenStore, SourceStore, type WrittenStore } from './support/source-store.ts'

const KILLS_PER_LIFE = 3
/** A kill that comes too late does not count, so there are more rounds than kills. */
const ROUNDS_MAX = 5 * KILLS_PER_LIFE
/** At most two killed runs, and one that completes. */
const RUNS_PER_ROUND = 3
const MINUTE_MS = 60_000
/** Maximum rows of a table: a few pages. */
const ROWS_MAX = 400

let platform: TestPlatform
let store: WrittenStore
let readingKey: string
beforeAll(async () => {
  platform = await startPlatform({ COUNTS_MAX_AGE_SECONDS: '0' })
  store = openWrittenStore(await platform.provision())
  readingKey = (await platform.newKey(store.store.id)).key
})
afterAll(async () => {
  await store.late.end()
  await platform.close()
})

/** One copy and its sequence of runs. */
class CopyLife {
  readonly #random: Random
  readonly #destination: HistoryDestination
  readonly #source: SourceStore
  readonly #proxy: CommandProxy
  #last: StoreSyncResult | null = null
  kills = 0

  private constructor(
    random: Random,
    destination: HistoryDestination,
    { source, proxy }: { source: SourceStore; proxy: CommandProxy },
  ) {
    this.#random = random
    this.#destination = destination
    this.#source = source
    this.#proxy = proxy
  }

  static async start(seed: number, destination: HistoryDestination): Promise<CopyLife> {
    const random = new Random(seed)
    const source = new SourceStore(store, { random, revision: LATEST_REVISION, movesChildren: false })
    await source.fill(ROWS_MAX)
    const proxy = await CommandProxy.open(platform.service.url, () => new Date(source.clock.now).toISOString())
    return new CopyLife(random, destination, { source, proxy })
  }

  /** Kills one or two runs, then completes one and compares the copy with the store. */
  async killAndRun(args: readonly string[]): Promise<void> {
    const { model, clock } = this.#source
    const before = await this.#destination.read()
    const startedAt = model.moment
    const wasKilled = await this.#kill(args)
    if (wasKilled) await this.#expectConsistent(before)
    if (wasKilled && this.#random.chance(0.3)) await this.#kill(args)
    // The next run resumes a walk and must also read rows that change now, before its cursor.
    if (this.#random.chance(0.5)) await this.write()
    clock.advance(this.#random.pick([0, 10 * MINUTE_MS]))
    const end = await this.#run(args, null)
    expect(end, end.messages).toMatchObject({ code: 0 })
    this.#last = end
    if (args.includes('--full')) model.fullySynced(startedAt)
    if (args.includes('--prune')) model.pruned(startedAt)
    expect(await compareDestination(this.#destination, await readStore(this.#source), model)).toEqual([])
    // Moves the clock beyond the overlap, so that the next run does not read these rows again.
    clock.advance(10 * MINUTE_MS)
  }

  write(): Promise<void> {
    return this.#source.write(10).then(() => this.#source.endOpenTransaction())
  }

  close(): void {
    this.#proxy.close()
  }

  async #kill(args: readonly string[]): Promise<boolean> {
    const { isKilled } = await this.#run(args, this.#pickKill())
    if (isKilled) this.kills += 1
    return isKilled
  }

  /** Picks any moment of a run: its start, one of its requests, or its end. */
  #pickKill(): Kill {
    const random = this.#random
    const { requests, headMs, tailMs } = this.#last ?? { requests: 10, headMs: 400, tailMs: 100 }
    const number = random.below(requests + 1)
    const longest = number === 0 ? headMs : number === requests ? tailMs : 30
    return { request: number, afterMs: random.below(Math.ceil(longest)) }
  }

  #run(args: readonly string[], kill: Kill | null): Promise<StoreSyncResult> {
    const { to } = this.#destination
    const env = { STORE_EXPORT_KEY: store.store.key, TARGET: to }
    return this.#proxy.run({ args: ['--to', to.startsWith('postgres') ? 'env:TARGET' : to, ...args], env }, kill)
  }

  /** Checks that each file is either the old or the new one, and that databases contain only complete pages. */
  async #expectConsistent(before: RowsByTable | null): Promise<void> {
    const after = await this.#destination.read()
    if (after === null) return
    if (!this.#destination.showsOnlyCompleteRuns) return expect(findTornRows(after)).toEqual([])
    const source = await readStore(this.#source)
    const [expected, written] = this.#destination.addsZeros
      ? [withoutTrailingZeros(source), withoutTrailingZeros(after)]
      : [source, after]
    for (const [table, rows] of written) {
      const differences = findDifferences(
        new Map([[table, expected.get(table) ?? new Map()]]),
        new Map([[table, rows]]),
        this.#source.model,
      )
      if (differences.length > 0) expect(after.get(table), table).toEqual(before?.get(table))
    }
  }
}

function readStore({ model }: SourceStore): Promise<RowsByTable> {
  const resetLimit = () => Promise.reject(new Error('this service has no limit'))
  return readSource({ url: platform.service.url, store: store.store, key: readingKey, model, resetLimit })
}

describe.each([
  ['a SQLite file', 15, sqliteDestinations],
  ['a folder of CSV files', 5, csvDestinations],
  ['an XLSX workbook', 5, xlsxDestinations],
  ['a folder of Parquet files', 5, parquetDestinations],
  ['a DuckDB file', 5, duckDbDestinations],
  ['a PostgreSQL schema', 5, postgresDestinations],
] as const)('%s', (_name, kills, open) => {
  let destinations: HistoryDestinations
  beforeAll(async () => {
    destinations = await open()
  })
  afterAll(() => destinations.close())

  const lives = Math.ceil((kills / KILLS_PER_LIFE) * Math.min(historyFactor(), 14))
  const seeds = Array.from({ length: lives }, (_, seed) => seed)
  const title = '[SYNC-3] if a run is killed at a random moment, the next run completes the copy: seed %i'
  // Each run has its own timeout.
  const timeout = ROUNDS_MAX * RUNS_PER_ROUND * RUN_MS_MAX
  test.each(seeds)(title, { timeout }, async (seed) => {
    const destination = await destinations.next()
    const life = await CopyLife.start(seed, destination)
    try {
      for (let round = 0; round < ROUNDS_MAX && life.kills < KILLS_PER_LIFE; round += 1) {
        await life.killAndRun([[], ['--prune'], ['--full']][round % 3] ?? [])
        await life.write()
      }
      expect(life.kills).toBeGreaterThanOrEqual(KILLS_PER_LIFE)
    } finally {
      life.close()
      await destination.remove()
    }
  })
})

test.each([
  ['a SQLite file', sqliteDestinations],
  ['a DuckDB file', duckDbDestinations],
  ['a PostgreSQL schema', postgresDestinations],
] as const)(
  'if the first run that writes to %s is killed, the next run skips the pages that the killed run wrote',
  async (_name, open) => {
    const { key, sql } = await platform.provision()
    await sql`
    insert into orders (id, email, status, subtotal, tax, shipping, total, created_at, updated_at)
    select gen_random_uuid(), 'o@example.com', 'paid', 10, 0, 0, 10.50, '2026-01-01', '2026-01-01'
    from generate_series(1, 2000)`
    const destinations = await open()
    const destination = await destinations.next()
    const proxy = await CommandProxy.open(platform.service.url, () => new Date().toISOString())
    const { to } = destination
    const args = ['--tables', 'orders', '--to', to?.startsWith('postgres') === true ? 'env:TARGET' : String(to)]
    const options = { args, env: { STORE_EXPORT_KEY: key, TARGET: String(to) } }
    try {
      // Request 6 is for the fifth page, after the store and four pages.
      expect((await proxy.run(options, { request: 6, afterMs: 0 })).isKilled).toBe(true)
      const written = (await destination.read())?.get('orders')?.size ?? 0
      expect([written % 250, written > 0 && written < 2000]).toEqual([0, true])
      const end = await proxy.run(options, null)
      expect(end.messages).toContain(`${written.toLocaleString('en')} from the interrupted run`)
      // The requests are for the store, the remaining pages, and the changes since the walk started.
      expect(end).toMatchObject({ code: 0, requests: 1 + (2000 - written) / 250 + 1 })
      expect((await destination.read())?.get('orders')?.size).toBe(2000)
    } finally {
      proxy.close()
      await destination.remove()
      await destinations.close()
    }
  },
)
