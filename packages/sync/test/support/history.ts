// One history: a store that is written by chance before, between and while runs copy it, and everything that can happen to
// a run; then quiet, one more run, in some one that prunes, and one that walks everything. After each the copy is the store.

import { LATEST_REVISION, REVISIONS, type RevisionId } from '@store-export/contract'
import { expect } from 'vitest'
import { run } from '../../src/index.ts'
import { tornRowsOf, wrongIn } from './compare.ts'
import type { Destination } from './destinations.ts'
import type { HistoryPlatform } from './history-platform.ts'
import { KeptWalks } from './kept-walks.ts'
import { clientOn, type Road, wayOf } from './mishaps.ts'
import { Random } from './random.ts'
import type { RowsByTable } from './rows-by-table.ts'
import { readSource } from './source.ts'
import { SourceStore, type WrittenStore } from './source-store.ts'

const MINUTE_MS = 60_000
const PAUSES_MS = [1000, MINUTE_MS, 10 * MINUTE_MS, 120 * MINUTE_MS, 36 * 60 * MINUTE_MS]
/** By how much the clock of who runs differs from the platform's: less than the overlap leaves. */
const SKEW_MS = 60_000
const OVERLAP_MS = 300_000

/** Runs a history to its end; throws what went wrong. */
export async function runHistory(seed: number, platform: HistoryPlatform, destination: Destination): Promise<void> {
  const random = new Random(seed)
  const climbs = seed % 25 === 24
  const revision = REVISIONS[seed % REVISIONS.length]?.id ?? LATEST_REVISION
  const store = await platform.storeAt(revision, climbs)
  const history = new History({ random, platform, destination, store, revision })
  try {
    await history.begin()
    for (let round = 1 + random.below(3); round > 0; round -= 1) await history.round(climbs)
    await history.end()
  } finally {
    await history.close()
    if (climbs) await platform.drop(store)
  }
}

interface Parts {
  readonly random: Random
  readonly platform: HistoryPlatform
  readonly destination: Destination
  readonly store: WrittenStore
  readonly revision: RevisionId
}

/** What a run is to meet. */
interface RunPlan {
  readonly isFull: boolean
  readonly prunes: boolean
  readonly road: Partial<Road>
  /** Ends the run by hand. */
  readonly abort: AbortController
  /** Whether it may fail. */
  mayFail: boolean
}

class History {
  readonly #parts: Parts
  readonly #source: SourceStore
  readonly #movesChildren: boolean
  readonly #skewMs: number
  readonly #saysWatermark: boolean
  readonly #kept = new KeptWalks()
  /** Ends what was done to the copy. */
  readonly #repairs: (() => Promise<void>)[] = []

  constructor(parts: Parts) {
    const { random, store, revision } = parts
    this.#parts = parts
    this.#movesChildren = random.chance(0.3)
    this.#skewMs = random.below(2 * SKEW_MS) - SKEW_MS
    this.#saysWatermark = random.chance(0.3)
    this.#source = new SourceStore(store, { random, revision, movesChildren: this.#movesChildren })
  }

  async begin(): Promise<void> {
    await this.#parts.platform.service.start()
    await this.#source.fill()
  }

  /** Writes, and a run that may meet anything. */
  async round(climbs: boolean): Promise<void> {
    const { random } = this.#parts
    await this.#source.write(8)
    if (climbs && random.chance(0.5)) await this.#climb()
    const plan = this.#planOf()
    const { destination } = this.#parts
    const before = destination.isWholeRuns ? await destination.read() : null
    const isDone = await this.#run(plan)
    for (const repair of this.#repairs.splice(0)) await repair()
    const after = await destination.read()
    if (!isDone && destination.isWholeRuns) expect(after).toEqual(before)
    if (after !== null && !this.#movesChildren) expect(tornRowsOf(after)).toEqual([])
    await this.#source.pass(random.pick(PAUSES_MS))
  }

  /** Last writes, then quiet, a run, and one that walks everything; in some histories that one alone. */
  async end(): Promise<void> {
    const { random } = this.#parts
    // behind the cursor of a walk that goes on, too
    await this.#source.write(this.#kept.isEmpty ? 5 : 60)
    await this.#source.endLate()
    const source = await this.#readSource()
    const quiet = () => ({
      isFull: false,
      prunes: false,
      road: { pageRows: 2 + random.below(40) },
      abort: new AbortController(),
      mayFail: false,
    })
    if (random.chance(0.8)) {
      await this.#run(quiet())
      await this.#compare(source)
    }
    const { model } = this.#source
    if (random.chance(model.revision === 'launch' ? 0.5 : 0.1)) {
      // of customers whose updates nobody can ask for, everything is known a day later
      await this.#source.pass(2 * 1440 * MINUTE_MS)
      await this.#run(quiet())
      if (model.revision === 'launch') model.caughtUp(model.moment, ['customers'])
      await this.#compare(source)
    }
    if (random.chance(0.5)) {
      // what was deleted is found by ids, also behind the cursor of a walk that goes on
      await this.#run({ ...quiet(), prunes: true })
      await this.#compare(source)
    }
    // one that goes on with a walk leaves what was removed behind its cursor; the next one is from the beginning
    for (let runs = this.#kept.isEmpty ? 1 : 2; runs > 0; runs -= 1) {
      await this.#run({ ...quiet(), isFull: true })
      await this.#compare(source)
    }
  }

  async close(): Promise<void> {
    for (const repair of this.#repairs) await repair()
    await this.#source.endLate()
    await this.#parts.destination.remove()
  }

  /** The platform brings the store to a newer revision, and the service is started again. */
  async #climb(): Promise<void> {
    const { random, platform, store } = this.#parts
    const { model } = this.#source
    const newer = REVISIONS.slice(1 + REVISIONS.findIndex(({ id }) => id === model.revision)).map(({ id }) => id)
    if (newer.length === 0) return
    await this.#source.endLate()
    model.revision = random.pick(newer)
    await platform.upgrade(store, model.revision)
  }

  #planOf(): RunPlan {
    const { random, platform, destination } = this.#parts
    const at = new Map<number, (path: string) => Promise<unknown>>()
    const plan: RunPlan = {
      isFull: random.chance(0.1),
      prunes: random.chance(0.3),
      road: {
        at,
        closedDuring: new Set(random.chance(0.1) ? [random.below(12)] : []),
        pageRows: random.pick([2, 3, 5, 250]),
      },
      abort: new AbortController(),
      mayFail: false,
    }
    for (let count = random.below(5); count > 0; count -= 1) at.set(random.below(25), (path) => this.#meanwhile(path))
    const damage = () => this.#mayFail(plan, async () => this.#repairs.push(await destination.damage(random)))
    const happenings: (() => Promise<unknown>)[] = [
      () => platform.service.restart(),
      () => platform.service.stop(),
      () => this.#mayFail(plan, () => plan.abort.abort(new Error('ended by hand'))),
      damage,
      damage,
    ]
    if (random.chance(0.5)) at.set(random.below(15), random.pick(happenings))
    return plan
  }

  /** Writes, in half of the cases of the table that is being read; in a long run hours pass after that. */
  async #meanwhile(path: string): Promise<void> {
    const { random } = this.#parts
    if (random.chance(0.5)) await this.#source.changeAt(path)
    else await this.#source.write(3)
    if (random.chance(0.4)) await this.#source.pass(random.pick(PAUSES_MS.slice(1, -1)))
  }

  async #mayFail(plan: RunPlan, happening: () => unknown): Promise<void> {
    plan.mayFail = true
    await happening()
  }

  /** Whether the run came to its end. */
  async #run(plan: RunPlan): Promise<boolean> {
    const { platform, destination, store } = this.#parts
    const { clock, model } = this.#source
    const road: Road = {
      url: await wayOf(platform.service.url, plan.road, this.#parts.random),
      key: store.store.key,
      service: platform.service,
      pageRows: 250,
      at: new Map(),
      closedDuring: new Set(),
      watermark: this.#saysWatermark ? () => new Date(clock.now).toISOString() : null,
      ...plan.road,
    }
    const begun = model.moment
    // A run that fails while it reads ahead leaves a request behind, and the writes before that request go on.
    const pending = new Set<Promise<unknown>>()
    const at = new Map(
      [...road.at].map(([number, happen]) => [number, (path: string) => tracked(happen(path), pending)]),
    )
    try {
      await run({
        client: clientOn({ ...road, at }),
        copy: destination.make(),
        isFull: plan.isFull,
        prunes: plan.prunes,
        // a history may delete all rows of a table
        allowsEmpty: true,
        overlapMs: OVERLAP_MS,
        now: () => clock.now + this.#skewMs,
        signal: plan.abort.signal,
      })
    } catch (error) {
      if (!plan.mayFail) throw error
      await Promise.allSettled(pending)
      await this.#kept.look(destination.make(), begun)
      return false
    }
    if (plan.isFull) this.#kept.caughtUp(model, begun)
    if (plan.prunes) model.pruned(begun)
    await this.#kept.look(destination.make(), begun)
    return true
  }

  async #readSource(): Promise<RowsByTable> {
    const { platform, store } = this.#parts
    await platform.service.start()
    return readSource({
      url: platform.service.url,
      store: store.store,
      key: await platform.readingKey(store),
      model: this.#source.model,
      untilLimit: () => platform.service.nextMinute(),
    })
  }

  async #compare(source: RowsByTable): Promise<void> {
    const { destination } = this.#parts
    expect(await wrongIn(destination, source, this.#source.model)).toEqual([])
  }
}

/** The same promise, listed in `pending` until it settles. */
function tracked<T>(promise: Promise<T>, pending: Set<Promise<unknown>>): Promise<T> {
  pending.add(promise)
  const forget = () => pending.delete(promise)
  promise.then(forget, forget)
  return promise
}
