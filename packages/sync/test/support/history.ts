// Runs one random history: a store is written before, between and during runs, and runs fail in different ways. When
// the writes have stopped, the copy must equal the store after one more run, a run with --prune, and a full sync.

import { LATEST_REVISION, REVISIONS, type RevisionId } from '@store-export/contract'
import { expect } from 'vitest'
import { run } from '../../src/index.ts'
import { compareDestination, findTornRows } from './compare.ts'
import type { HistoryDestination } from './destinations.ts'
import { type ConnectionPlan, createClient, pickUrl } from './faulty-connection.ts'
import type { HistoryPlatform } from './history-platform.ts'
import { Random } from './random.ts'
import type { RowsByTable } from './rows-by-table.ts'
import { readSource } from './source.ts'
import { SourceStore, type WrittenStore } from './source-store.ts'
import { UnfinishedWalks } from './unfinished-walks.ts'

const MINUTE_MS = 60_000
const PAUSES_MS = [1000, MINUTE_MS, 10 * MINUTE_MS, 120 * MINUTE_MS, 36 * 60 * MINUTE_MS]
/** Largest difference between the clocks of the run and of the platform. Must be less than the overlap. */
const SKEW_MS = 60_000
const OVERLAP_MS = 300_000

/** Runs a history. Throws if the copy differs from the store. */
export async function runHistory(
  seed: number,
  platform: HistoryPlatform,
  destination: HistoryDestination,
): Promise<void> {
  const random = new Random(seed)
  const isUpgraded = seed % 25 === 24
  const revision = REVISIONS[seed % REVISIONS.length]?.id ?? LATEST_REVISION
  const store = await platform.storeAt(revision, isUpgraded)
  const history = new History({ random, platform, destination, store, revision })
  try {
    await history.start()
    for (let round = 1 + random.below(3); round > 0; round -= 1) await history.round(isUpgraded)
    await history.finish()
  } finally {
    await history.close()
    if (isUpgraded) await platform.drop(store)
  }
}

interface HistoryOptions {
  readonly random: Random
  readonly platform: HistoryPlatform
  readonly destination: HistoryDestination
  readonly store: WrittenStore
  readonly revision: RevisionId
}

interface RunPlan {
  readonly isFull: boolean
  readonly prunes: boolean
  readonly connection: Partial<ConnectionPlan>
  readonly abort: AbortController
  /** Whether the run may fail. */
  mayFail: boolean
}

class History {
  readonly #options: HistoryOptions
  readonly #source: SourceStore
  readonly #movesChildren: boolean
  readonly #skewMs: number
  readonly #sendsWatermark: boolean
  readonly #walks = new UnfinishedWalks()
  /** Functions that undo the damage to the destination. */
  readonly #repairs: (() => Promise<void>)[] = []

  constructor(options: HistoryOptions) {
    const { random, store, revision } = options
    this.#options = options
    this.#movesChildren = random.chance(0.3)
    this.#skewMs = random.below(2 * SKEW_MS) - SKEW_MS
    this.#sendsWatermark = random.chance(0.3)
    this.#source = new SourceStore(store, { random, revision, movesChildren: this.#movesChildren })
  }

  async start(): Promise<void> {
    await this.#options.platform.service.start()
    await this.#source.fill()
  }

  /** Writes to the store, then does a run with random disturbances. */
  async round(isUpgraded: boolean): Promise<void> {
    const { random } = this.#options
    await this.#source.write(8)
    if (isUpgraded && random.chance(0.5)) await this.#upgrade()
    const plan = this.#planRun()
    const { destination } = this.#options
    const before = destination.showsOnlyCompleteRuns ? await destination.read() : null
    const isDone = await this.#run(plan)
    for (const repair of this.#repairs.splice(0)) await repair()
    const after = await destination.read()
    if (!isDone && destination.showsOnlyCompleteRuns) expect(after).toEqual(before)
    if (after !== null && !this.#movesChildren) expect(findTornRows(after)).toEqual([])
    await this.#source.advance(random.pick(PAUSES_MS))
  }

  /** Makes the last writes, then runs and compares: incremental in most histories, always full at the end. */
  async finish(): Promise<void> {
    const { random } = this.#options
    // An unfinished walk gets many writes, so that some are before its cursor.
    await this.#source.write(this.#walks.isEmpty ? 5 : 60)
    await this.#source.endOpenTransaction()
    const source = await this.#readSource()
    const quiet = () => ({
      isFull: false,
      prunes: false,
      connection: { pageRows: 2 + random.below(40) },
      abort: new AbortController(),
      mayFail: false,
    })
    if (random.chance(0.8)) {
      await this.#run(quiet())
      await this.#compare(source)
    }
    const { model } = this.#source
    if (random.chance(model.revision === 'launch' ? 0.5 : 0.1)) {
      // Without tracked updates, a full walk after a day must read the changed customers.
      await this.#source.advance(2 * 1440 * MINUTE_MS)
      await this.#run(quiet())
      if (model.revision === 'launch') model.fullySynced(model.moment, ['customers'])
      await this.#compare(source)
    }
    if (random.chance(0.5)) {
      // Pruning must find deleted rows, also before the cursor of a resumed walk.
      await this.#run({ ...quiet(), prunes: true })
      await this.#compare(source)
    }
    // A resumed full sync retains rows that were deleted before its cursor. The next one starts from the beginning.
    for (let runs = this.#walks.isEmpty ? 1 : 2; runs > 0; runs -= 1) {
      await this.#run({ ...quiet(), isFull: true })
      await this.#compare(source)
    }
  }

  async close(): Promise<void> {
    for (const repair of this.#repairs) await repair()
    await this.#source.endOpenTransaction()
    await this.#options.destination.remove()
  }

  /** Upgrades the store to a newer schema version and restarts the service. */
  async #upgrade(): Promise<void> {
    const { random, platform, store } = this.#options
    const { model } = this.#source
    const newer = REVISIONS.slice(1 + REVISIONS.findIndex(({ id }) => id === model.revision)).map(({ id }) => id)
    if (newer.length === 0) return
    await this.#source.endOpenTransaction()
    model.revision = random.pick(newer)
    await platform.upgrade(store, model.revision)
  }

  #planRun(): RunPlan {
    const { random, platform, destination } = this.#options
    const at = new Map<number, (path: string) => Promise<unknown>>()
    const plan: RunPlan = {
      isFull: random.chance(0.1),
      prunes: random.chance(0.3),
      connection: {
        at,
        closedDuring: new Set(random.chance(0.1) ? [random.below(12)] : []),
        pageRows: random.pick([2, 3, 5, 250]),
      },
      abort: new AbortController(),
      mayFail: false,
    }
    for (let count = random.below(5); count > 0; count -= 1)
      at.set(random.below(25), (path) => this.#changeSource(path))
    const damage = () => this.#allowFailure(plan, async () => this.#repairs.push(await destination.damage(random)))
    const disturbances: (() => Promise<unknown>)[] = [
      () => platform.service.restart(),
      () => platform.service.stop(),
      () => this.#allowFailure(plan, () => plan.abort.abort(new Error('interrupted'))),
      damage,
      damage,
    ]
    if (random.chance(0.5)) at.set(random.below(15), random.pick(disturbances))
    return plan
  }

  /** Writes to the table that is being read or to others, and may advance the clock by hours, as in a long run. */
  async #changeSource(path: string): Promise<void> {
    const { random } = this.#options
    if (random.chance(0.5)) await this.#source.changeAt(path)
    else await this.#source.write(3)
    if (random.chance(0.4)) await this.#source.advance(random.pick(PAUSES_MS.slice(1, -1)))
  }

  async #allowFailure(plan: RunPlan, disturb: () => unknown): Promise<void> {
    plan.mayFail = true
    await disturb()
  }

  /** Returns whether the run completed. */
  async #run(plan: RunPlan): Promise<boolean> {
    const { platform, destination, store } = this.#options
    const { clock, model } = this.#source
    const connection: ConnectionPlan = {
      url: await pickUrl(platform.service.url, plan.connection, this.#options.random),
      key: store.store.key,
      service: platform.service,
      pageRows: 250,
      at: new Map(),
      closedDuring: new Set(),
      watermark: this.#sendsWatermark ? () => new Date(clock.now).toISOString() : null,
      ...plan.connection,
    }
    const startedAt = model.moment
    // A run that fails while it reads ahead leaves a request behind, and the writes before that request continue.
    const pending = new Set<Promise<unknown>>()
    const at = new Map(
      [...connection.at].map(([number, disturb]) => [number, (path: string) => track(disturb(path), pending)]),
    )
    try {
      await run({
        client: createClient({ ...connection, at }),
        copy: destination.make(),
        isFull: plan.isFull,
        prunes: plan.prunes,
        // A history may delete all rows of a table.
        allowsEmpty: true,
        overlapMs: OVERLAP_MS,
        now: () => clock.now + this.#skewMs,
        signal: plan.abort.signal,
      })
    } catch (error) {
      if (!plan.mayFail) throw error
      await Promise.allSettled(pending)
      await this.#walks.update(destination.make(), startedAt)
      return false
    }
    if (plan.isFull) this.#walks.fullySynced(model, startedAt)
    if (plan.prunes) model.pruned(startedAt)
    await this.#walks.update(destination.make(), startedAt)
    return true
  }

  async #readSource(): Promise<RowsByTable> {
    const { platform, store } = this.#options
    await platform.service.start()
    return readSource({
      url: platform.service.url,
      store: store.store,
      key: await platform.readingKey(store),
      model: this.#source.model,
      resetLimit: () => platform.service.nextMinute(),
    })
  }

  async #compare(source: RowsByTable): Promise<void> {
    const { destination } = this.#options
    expect(await compareDestination(destination, source, this.#source.model)).toEqual([])
  }
}

/** Returns the promise, and lists it in `pending` until it settles. */
function track<T>(promise: Promise<T>, pending: Set<Promise<unknown>>): Promise<T> {
  pending.add(promise)
  const forget = () => pending.delete(promise)
  promise.then(forget, forget)
  return promise
}
