// Who asks while an answer to others is under way shares the next question with all who do: a statement costs a process and
// its database nearly the same for one and for many.

/** How questions are asked. */
export interface GatheringOptions<In, Out> {
  /**
   * Resolves when there is room to ask; who comes meanwhile still joins. Where it rejects, whoever came later than the
   * first waits once more.
   */
  readonly ready?: () => Promise<void>
  /** Asks for all of them at once; the answers stand in their order. The first came at `since`, by `performance.now()`. */
  readonly ask: (all: readonly In[], since: number) => Promise<readonly (Out | Promise<Out>)[]>
  /** Most that one question asks for. */
  readonly gatheredMax: number
  /** Longest wait for the answer to those before, in which others may join; 2 ms where it is left out. */
  readonly gatherMs?: number
  /** Called when a question that there was room for has its answer, or none. */
  readonly onAsked?: () => void
  /** Called when nothing is asked any more. */
  readonly onIdle?: () => void
}

/** Longest wait for others: a question that hangs holds nobody up as long as there is room for another. */
const GATHER_MS = 2

/** There was no room for a question that was begun at `since`. */
class NoRoom extends Error {
  override readonly name = 'NoRoom'
  readonly since: number

  constructor(since: number, cause: unknown) {
    super('there was no room for the question', { cause })
    this.since = since
  }
}

/** Questions that are still open for others. */
interface Batch<In, Out> {
  readonly all: In[]
  readonly answers: Promise<readonly (Out | Promise<Out>)[]>
}

/** Gathers questions of one kind. One that has had no company lately is asked at once. */
export class Gathering<In, Out> {
  private readonly options: GatheringOptions<In, Out>
  private open: Batch<In, Out> | null = null
  private underWay = 0
  /** For how many the last question was: a sign of who comes with the next. */
  private lastCount = 1
  private unasked = 0
  private readonly waiting = new Set<() => void>()

  constructor(options: GatheringOptions<In, Out>) {
    this.options = options
  }

  /** How many have not been asked for yet. */
  get waitingCount(): number {
    return this.unasked
  }

  /** The answer to this one; rejects as it does, or as the whole question does. */
  async ask(one: In): Promise<Out> {
    const askedAt = performance.now()
    try {
      return await this.join(one)
    } catch (error) {
      if (!(error instanceof NoRoom)) throw error
      // who came later than the first has not had his own wait
      if (error.since >= askedAt) throw error.cause
    }
    return await this.join(one).catch((error: unknown) => {
      throw error instanceof NoRoom ? error.cause : error
    })
  }

  private async join(one: In): Promise<Out> {
    const { all, answers } = this.batchWithRoom()
    this.unasked++
    const index = all.push(one) - 1
    return (await answers)[index] as Out | Promise<Out>
  }

  private batchWithRoom(): Batch<In, Out> {
    if (this.open !== null && this.open.all.length < this.options.gatheredMax) return this.open
    const all: In[] = []
    const batch = { all, answers: this.answer(all) }
    this.open = batch
    return batch
  }

  private async answer(all: In[]): Promise<readonly (Out | Promise<Out>)[]> {
    const since = performance.now()
    try {
      await this.room(all, since)
      this.underWay++
      this.lastCount = all.length
      try {
        return await this.options.ask(all, since)
      } finally {
        this.underWay--
        this.options.onAsked?.()
        const [next] = this.waiting
        next?.()
      }
    } finally {
      if (this.underWay === 0 && this.open === null) this.options.onIdle?.()
    }
  }

  /** Others may join until there is room to ask. */
  private async room(all: In[], since: number): Promise<void> {
    try {
      await this.turn()
      await this.options.ready?.().catch((cause: unknown) => {
        throw new NoRoom(since, cause)
      })
    } finally {
      if (this.open?.all === all) this.open = null
      this.unasked -= all.length
    }
  }

  private turn(): Promise<void> {
    // a turn of the event loop brings those whose requests have arrived already, and costs who is alone a tenth of a page
    if (this.underWay === 0 && this.lastCount === 1) return Promise.resolve()
    if (this.underWay === 0) return new Promise((resolve) => void setImmediate(resolve))
    return new Promise((resolve) => {
      const go = () => {
        clearTimeout(timer)
        this.waiting.delete(go)
        resolve()
      }
      const timer = setTimeout(go, this.options.gatherMs ?? GATHER_MS)
      this.waiting.add(go)
    })
  }
}

/** Gatherings of one kind, each of what belongs together; they come and go as they are asked. */
export class Gatherings<In, Out> {
  private readonly all = new Map<string, Gathering<In, Out>>()
  private readonly optionsFor: (first: In) => GatheringOptions<In, Out>

  constructor(optionsFor: (first: In) => GatheringOptions<In, Out>) {
    this.optionsFor = optionsFor
  }

  /** How many questions have not been asked yet. */
  get waitingCount(): number {
    return [...this.all.values()].reduce((sum, { waitingCount }) => sum + waitingCount, 0)
  }

  /** The answer of the gathering at `place`, as `Gathering` gives it. */
  ask(place: string, one: In): Promise<Out> {
    const known = this.all.get(place)
    if (known !== undefined) return known.ask(one)
    const onIdle = () => {
      if (this.all.get(place) === begun) this.all.delete(place)
    }
    const begun: Gathering<In, Out> = new Gathering({ ...this.optionsFor(one), onIdle })
    this.all.set(place, begun)
    return begun.ask(one)
  }
}
