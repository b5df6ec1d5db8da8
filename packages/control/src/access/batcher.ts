// Loads values in batches, as dataloader does: calls that arrive during a batch share the next one. A statement
// costs this process and its database nearly the same for one value as for many.

import { PostgresConnectionError, within } from '@store-export/postgres'

/** How a batcher loads. */
export interface BatcherOptions<In, Out> {
  /** Loads a batch. The results have the order of `values`. */
  readonly load: (values: readonly In[]) => Promise<readonly (Out | Promise<Out>)[]>
  readonly sizeMax: number
  /** Batches under way at once. */
  readonly batchesMax: number
  /** Calls that may wait for their batch. Further calls are rejected at once. */
  readonly waitingMax: number
  /** Maximum time of a call, from its start to its result. */
  readonly timeoutMs: number
  /** Called when no call waits and no batch is under way. */
  readonly onIdle?: () => void
}

interface Call<In, Out> extends PromiseWithResolvers<Out> {
  readonly value: In
}

/** Longest wait for a running batch before the next one starts. It bounds the delay that a hanging batch causes. */
const GATHER_MS = 2

/** Batches of one kind. Sends a call at once if no other call arrived recently. */
export class Batcher<In, Out> {
  readonly #options: BatcherOptions<In, Out>
  readonly #waiting = new Set<Call<In, Out>>()
  #running = 0
  #lastSize = 1
  #isScheduled = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: BatcherOptions<In, Out>) {
    this.#options = options
  }

  /** How many calls wait for their batch. */
  get waitingCount(): number {
    return this.#waiting.size
  }

  /** The result for a value. Rejects as the batch does, with `TimeLimitPassed`, and with `POOL_FULL` if too many calls wait. */
  async load(value: In): Promise<Out> {
    if (this.#waiting.size >= this.#options.waitingMax)
      throw new PostgresConnectionError('POOL_FULL', 'too many calls wait')
    const call = { value, ...Promise.withResolvers<Out>() }
    this.#waiting.add(call)
    this.#schedule()
    return await within(this.#options.timeoutMs, call.promise, () => void this.#waiting.delete(call))
  }

  #schedule(): void {
    if (this.#isScheduled || this.#running >= this.#options.batchesMax) return
    this.#isScheduled = true
    const begin = () => this.#begin()
    if (this.#running > 0) this.#timer = setTimeout(begin, GATHER_MS)
    // a turn of the event loop reads the requests that have arrived already; for one request alone it is a loss
    else if (this.#lastSize > 1) setImmediate(begin)
    else queueMicrotask(begin)
  }

  #begin(): void {
    clearTimeout(this.#timer)
    this.#isScheduled = false
    const calls = [...this.#waiting].slice(0, this.#options.sizeMax)
    if (calls.length === 0) return
    for (const call of calls) this.#waiting.delete(call)
    this.#running++
    this.#lastSize = calls.length
    void this.#run(calls)
    if (this.#waiting.size > 0) this.#schedule()
  }

  async #run(calls: readonly Call<In, Out>[]): Promise<void> {
    try {
      const results = await this.#options.load(calls.map(({ value }) => value))
      for (const [index, call] of calls.entries()) call.resolve(results[index] as Out | Promise<Out>)
    } catch (error) {
      for (const call of calls) call.reject(error)
    }
    this.#running--
    if (this.#waiting.size > 0) this.#begin()
    else if (this.#running === 0) this.#options.onIdle?.()
  }
}
