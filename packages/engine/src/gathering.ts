// Who asks while an answer to others is under way shares the next question with all who do: a statement costs a process and
// its database nearly the same for one and for many.

/** How questions are asked. */
export interface GatheringOptions<In, Out> {
  /** Resolves when there is room to ask; who comes meanwhile still joins. */
  readonly ready?: () => Promise<void>
  /** Asks for all of them at once; the answers stand in their order. The first came at `since`, by `performance.now()`. */
  readonly ask: (all: readonly In[], since: number) => Promise<readonly (Out | Promise<Out>)[]>
  /** Most that one question asks for. */
  readonly gatheredMax: number
  /** Called when nothing is asked any more. */
  readonly onIdle?: () => void
}

/** Longest wait for others: a question that hangs holds nobody up as long as there is room for another. */
const GATHER_MS = 2

/** Questions that are still open for others. */
interface Batch<In, Out> {
  readonly all: In[]
  readonly answers: Promise<readonly (Out | Promise<Out>)[]>
}

/** Gathers questions of one kind. The first is asked at once. */
export class Gathering<In, Out> {
  private readonly options: GatheringOptions<In, Out>
  private open: Batch<In, Out> | null = null
  private underWay = 0
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
      await this.turn()
      await this.options.ready?.()
    } finally {
      if (this.open?.all === all) this.open = null
      this.unasked -= all.length
    }
    this.underWay++
    try {
      return await this.options.ask(all, since)
    } finally {
      this.underWay--
      const [next] = this.waiting
      next?.()
      if (this.underWay === 0 && this.open === null) this.options.onIdle?.()
    }
  }

  private turn(): Promise<void> {
    if (this.underWay === 0) return new Promise((resolve) => void setImmediate(resolve))
    return new Promise((resolve) => {
      const go = () => {
        clearTimeout(timer)
        this.waiting.delete(go)
        resolve()
      }
      const timer = setTimeout(go, GATHER_MS)
      this.waiting.add(go)
    })
  }
}
