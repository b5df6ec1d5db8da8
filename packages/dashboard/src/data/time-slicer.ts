// Limits how long work on large rows delays the API, which the same process serves. One job runs for a few
// milliseconds. Then the process does other work for the same time, before the next job continues.

import { setTimeout } from 'node:timers/promises'
import type { Steps } from './json-bytes.ts'

/** Length of a time slice, in ms. A single step of a job can exceed it. */
const SLICE_MS = 3

/** Runs the jobs of a process in time slices, one slice at a time. */
export class TimeSlicer {
  #last: Promise<void> = Promise.resolve()

  /** Runs the job to its end, and returns its result. Rejects with the error of the job. */
  async run<T>(job: Steps<T>): Promise<T> {
    for (;;) {
      const step = await this.runSlice(job)
      if (step.done) return step.value
    }
  }

  /** Runs one time slice of the job, and returns its last step. The slice ends early when `isEnough` returns true. */
  async runSlice<T>(job: Steps<T>, isEnough = () => false): Promise<IteratorResult<void, T>> {
    // Each slice waits for the end of the previous one, and of its pause.
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
