// Work on the rows of merchants runs in the process that answers the API. Jobs take timeSlicer: one works for some milliseconds,
// then the process does other work for as long as that took, then the next job continues.

import { setTimeout } from 'node:timers/promises'
import type { Steps } from './json-bytes.ts'

/** Longest turn of a job. One step of a job can exceed it. */
const SLICE_MS = 3

/** Schedules the timeSlicer of jobs. */
export class TimeSlicer {
  #last: Promise<void> = Promise.resolve()

  /** Runs the job to its end, in as many timeSlicer as that takes. Rejects with what the job throws. */
  async run<T>(job: Steps<T>): Promise<T> {
    for (;;) {
      const step = await this.runSlice(job)
      if (step.done) return step.value
    }
  }

  /** Gives the job one turn, which ends early when `isEnough`. Rejects with what the job throws. */
  async runSlice<T>(job: Steps<T>, isEnough = () => false): Promise<IteratorResult<void, T>> {
    const before = this.#last
    const ended = Promise.withResolvers<void>()
    this.#last = ended.promise
    await before
    const startedAt = performance.now()
    try {
      for (;;) {
        const step = job.next()
        if (step.done || isEnough() || performance.now() - startedAt >= SLICE_MS) return step
      }
    } finally {
      void setTimeout(performance.now() - startedAt).then(ended.resolve)
    }
  }
}
