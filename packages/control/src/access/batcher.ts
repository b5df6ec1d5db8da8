// Loads values in batches, like the library dataloader, so that calls share the fixed cost of a statement. A batch
// begins:
// - in a microtask, if no batch runs and the last batch had one call. A lone request doesn't wait.
// - in the next turn of the event loop, if no batch runs and the last batch had several calls. By then, the process has
//   read all requests that had arrived, and they share the batch.
// - after at most 2 ms, if a batch runs and fewer than `batchesMax` run. A batch that hangs delays the next one only by
//   this time.
// - when a batch ends, in all other cases.
//
// What must hold: a call joins only a batch whose `load` was not called yet, so its result is not older than the call.
// The admitter needs this to reject a revoked key: docs/contribute/decisions/023-batch-key-checks.md.

import { PostgresConnectionError, within } from '@store-export/postgres'

/** The function that loads a batch, and the limits of the batcher. */
export interface BatcherOptions<In, Out> {
  /**
   * Loads a batch. The results are in the order of `values`. If a result is a promise, the batch doesn't wait for it.
   */
  readonly load: (values: readonly In[]) => Promise<readonly (Out | Promise<Out>)[]>
  /** Maximum number of calls in a batch. */
  readonly sizeMax: number
  /** Maximum number of batches that run at the same time. */
  readonly batchesMax: number
  /** Maximum number of calls that wait for their batch. The batcher rejects further calls immediately. */
  readonly waitingMax: number
  /** Maximum time of a call in ms, from its start to its result. */
  readonly timeoutMs: number
  /** Called when no call waits and no batch runs. */
  readonly onIdle?: () => void
}

interface Call<In, Out> extends PromiseWithResolvers<Out> {
  readonly value: In
}

/** Maximum time in ms that the next batch waits for a running batch, while fewer than `batchesMax` run. */
const GATHER_MS = 2

/** Groups calls of `load` into batches. The header of this file says when a batch begins. */
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

  /** Number of calls that wait for their batch. */
  get waitingCount(): number {
    return this.#waiting.size
  }

  /**
   * Returns the result for a value. Rejects in these cases:
   * - With the error of `BatcherOptions.load`, like all calls of the batch, or with the error of the value's own
   *   promise.
   * - With `TimeLimitPassed` after `timeoutMs`. A running batch continues.
   * - With `PostgresConnectionError` `POOL_FULL` if `waitingMax` calls already wait.
   */
  async load(value: In): Promise<Out> {
    if (this.#waiting.size >= this.#options.waitingMax)
      throw new PostgresConnectionError(
        'POOL_FULL',
        `more than ${this.#options.waitingMax} calls wait for the control database; check that it responds`,
      )
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
