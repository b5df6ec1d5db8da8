// The command, killed at random moments of first, later, pruning and full runs, and run again: right each time.

import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../../../test/support/platform.ts'
import { differencesOf, tornRowsOf, withoutZeros, wrongIn } from './support/compare.ts'
import { times } from './support/describe-histories.ts'
import {
  csvDestinations,
  type Destination,
  type Destinations,
  postgresDestinations,
  sqliteDestinations,
  xlsxDestinations,
} from './support/destinations.ts'
import { type CommandEnd, CommandOnWay, type Kill, LONGEST_RUN_MS } from './support/killed-command.ts'
import { parquetDestinations } from './support/parquet-destinations.ts'
import { Random } from './support/random.ts'
import type { RowsByTable } from './support/rows-by-table.ts'
import { readSource } from './support/source.ts'
import { SourceStore, type WrittenStore, writtenStore } from './support/source-store.ts'

const KILLS_OF_A_LIFE = 3
/** A kill that comes too late is none. */
const ROUNDS_MAX = 5 * KILLS_OF_A_LIFE
/** Two that are killed, and one that is not. */
const RUNS_OF_A_ROUND = 3
const MINUTE_MS = 60_000
/** Rows of a table at most: a few pages. */
const MOST_ROWS = 400

let platform: TestPlatform
let store: WrittenStore
let readingKey: string
beforeAll(async () => {
  platform = await startPlatform({ COUNTS_MAX_AGE_SECONDS: '0' })
  store = writtenStore(await platform.provision())
  readingKey = (await platform.newKey(store.store.id)).key
})
afterAll(async () => {
  await store.late.end()
  await platform.close()
})

/** The life of one copy. */
class Life {
  readonly #random: Random
  readonly #destination: Destination
  readonly #source: SourceStore
  readonly #way: CommandOnWay
  /** How the last run went that came to its end. */
  #last: CommandEnd | null = null
  kills = 0

  private constructor(random: Random, destination: Destination, parts: { source: SourceStore; way: CommandOnWay }) {
    this.#random = random
    this.#destination = destination
    this.#source = parts.source
    this.#way = parts.way
  }

  static async begin(seed: number, destination: Destination): Promise<Life> {
    const random = new Random(seed)
    const source = new SourceStore(store, { random, revision: LATEST_REVISION, movesChildren: false })
    await source.fill(MOST_ROWS)
    const way = await CommandOnWay.open(platform.service.url, () => new Date(source.clock.now).toISOString())
    return new Life(random, destination, { source, way })
  }

  /** A run that is killed, sometimes twice; then one that is not, and the copy is the store. */
  async killAndRun(words: readonly string[]): Promise<void> {
    const { model, clock } = this.#source
    const before = await this.#destination.read()
    const begun = model.moment
    const wasKilled = await this.#kill(words)
    if (wasKilled) await this.#expectGood(before)
    if (wasKilled && this.#random.chance(0.3)) await this.#kill(words)
    // the next run goes on behind a cursor, and has what was changed before it
    if (this.#random.chance(0.5)) await this.write()
    clock.advance(this.#random.pick([0, 10 * MINUTE_MS]))
    const end = await this.#run(words, null)
    expect(end, end.said).toMatchObject({ code: 0 })
    this.#last = end
    if (words.includes('--full')) model.caughtUp(begun)
    if (words.includes('--prune')) model.pruned(begun)
    expect(await wrongIn(this.#destination, await sourceOf(this.#source), model)).toEqual([])
    // what was there is not asked for again
    clock.advance(10 * MINUTE_MS)
  }

  write(): Promise<void> {
    return this.#source.write(10).then(() => this.#source.endLate())
  }

  close(): void {
    this.#way.close()
  }

  async #kill(words: readonly string[]): Promise<boolean> {
    const { isKilled } = await this.#run(words, this.#momentOf())
    if (isKilled) this.kills += 1
    return isKilled
  }

  /** Anywhere in a run: while it starts, at each of its requests, while it ends. */
  #momentOf(): Kill {
    const random = this.#random
    const { requests, headMs, tailMs } = this.#last ?? { requests: 10, headMs: 400, tailMs: 100 }
    const number = random.below(requests + 1)
    const longest = number === 0 ? headMs : number === requests ? tailMs : 30
    return { request: number, afterMs: random.below(Math.ceil(longest)) }
  }

  #run(words: readonly string[], kill: Kill | null): Promise<CommandEnd> {
    const { to } = this.#destination
    const env = { STORE_EXPORT_KEY: store.store.key, TARGET: to }
    return this.#way.run({ words: ['--to', to.startsWith('postgres') ? 'env:TARGET' : to, ...words], env }, kill)
  }

  /** Files are the old ones or the new ones, each whole; databases have whole pages. */
  async #expectGood(before: RowsByTable | null): Promise<void> {
    const after = await this.#destination.read()
    if (after === null) return
    if (!this.#destination.isWholeRuns) return expect(tornRowsOf(after)).toEqual([])
    const source = await sourceOf(this.#source)
    const [whole, written] = this.#destination.addsZeros ? [withoutZeros(source), withoutZeros(after)] : [source, after]
    for (const [table, rows] of written) {
      const lagging = differencesOf(
        new Map([[table, whole.get(table) ?? new Map()]]),
        new Map([[table, rows]]),
        this.#source.model,
      )
      if (lagging.length > 0) expect(after.get(table), table).toEqual(before?.get(table))
    }
  }
}

function sourceOf({ model }: SourceStore): Promise<RowsByTable> {
  const untilLimit = () => Promise.reject(new Error('there is no limit here'))
  return readSource({ url: platform.service.url, store: store.store, key: readingKey, model, untilLimit })
}

describe.each([
  ['a SQLite file', 15, sqliteDestinations],
  ['a folder of CSV files', 5, csvDestinations],
  ['an XLSX workbook', 5, xlsxDestinations],
  ['a folder of Parquet files', 5, parquetDestinations],
  ['a PostgreSQL schema', 5, postgresDestinations],
] as const)('%s', (_name, kills, open) => {
  let destinations: Destinations
  beforeAll(async () => {
    destinations = await open()
  })
  afterAll(() => destinations.close())

  const lives = Math.ceil((kills / KILLS_OF_A_LIFE) * Math.min(times(), 14))
  const seeds = Array.from({ length: lives }, (_, seed) => seed)
  const title = '[SYNC-3] killed at any moment and run again, it is right: life %i'
  // each run is bounded by itself: a life takes as long as its runs
  const timeout = ROUNDS_MAX * RUNS_OF_A_ROUND * LONGEST_RUN_MS
  test.each(seeds)(title, { timeout }, async (seed) => {
    const destination = await destinations.next()
    const life = await Life.begin(seed, destination)
    try {
      for (let round = 0; round < ROUNDS_MAX && life.kills < KILLS_OF_A_LIFE; round += 1) {
        await life.killAndRun([[], ['--prune'], ['--full']][round % 3] ?? [])
        await life.write()
      }
      expect(life.kills).toBeGreaterThanOrEqual(KILLS_OF_A_LIFE)
    } finally {
      life.close()
      await destination.remove()
    }
  })
})

test.each([
  ['a SQLite file', sqliteDestinations],
  ['a PostgreSQL schema', postgresDestinations],
] as const)('after a kill no page is asked for that was written into %s', async (_name, open) => {
  const { key, sql } = await platform.provision()
  await sql`
    insert into orders (id, email, status, subtotal, tax, shipping, total, created_at, updated_at)
    select gen_random_uuid(), 'o@example.com', 'paid', 10, 0, 0, 10.50, '2026-01-01', '2026-01-01'
    from generate_series(1, 2000)`
  const destinations = await open()
  const destination = await destinations.next()
  const way = await CommandOnWay.open(platform.service.url, () => new Date().toISOString())
  const { to } = destination
  const words = ['--tables', 'orders', '--to', to?.startsWith('postgres') === true ? 'env:TARGET' : String(to)]
  const options = { words, env: { STORE_EXPORT_KEY: key, TARGET: String(to) } }
  try {
    // the store, four pages, and the fifth is asked for
    expect((await way.run(options, { request: 6, afterMs: 0 })).isKilled).toBe(true)
    const written = (await destination.read())?.get('orders')?.size ?? 0
    expect([written % 250, written > 0 && written < 2000]).toEqual([0, true])
    const end = await way.run(options, null)
    expect(end.said).toContain(`${written.toLocaleString('en')} from the interrupted run`)
    // the store, the pages that were left, and what was changed meanwhile
    expect(end).toMatchObject({ code: 0, requests: 1 + (2000 - written) / 250 + 1 })
    expect((await destination.read())?.get('orders')?.size).toBe(2000)
  } finally {
    way.close()
    await destination.remove()
    await destinations.close()
  }
})
