// Prints the progress of the first start: one line for each step, with its duration.

import { styled } from '../output.ts'

/** Reports the steps of a start. */
export interface StepProgress {
  /** Runs `work` and reports its duration. Rejects like `work`. */
  step<T>(label: string, work: () => Promise<T>): Promise<T>
}

const LABEL_WIDTH = 46

/** Returns a reporter for a stream. A terminal also shows the running step. `now` returns milliseconds. */
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
