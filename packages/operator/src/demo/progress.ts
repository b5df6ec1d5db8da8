// What a person sees while the demo is being made: a line for each step, with its time.

import { styled } from '../output.ts'

/** Tells of steps. */
export interface StepProgress {
  /** Does the work and tells how long it took. */
  step<T>(label: string, work: () => Promise<T>): Promise<T>
}

const LABEL_WIDTH = 46

/** Progress on a stream; at a terminal the step under way is shown, too. `now` gives milliseconds. */
export function createProgress(stream: NodeJS.WriteStream, now: () => number): StepProgress {
  return {
    async step(label, work) {
      const startedAt = now()
      if (stream.isTTY) stream.write(`  ${styled('dim', '·', stream)} ${label}`)
      try {
        const result = await work()
        const seconds = `${((now() - startedAt) / 1000).toFixed(1)} s`
        const line = `  ${styled('green', '✓', stream)} ${label.padEnd(LABEL_WIDTH)} ${styled('dim', seconds, stream)}`
        stream.write(`${stream.isTTY ? '\r' : ''}${line}\n`)
        return result
      } catch (error) {
        if (stream.isTTY) stream.write('\n')
        throw error
      }
    },
  }
}
