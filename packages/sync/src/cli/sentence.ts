// What went wrong, in a sentence; a defect is told as one.

import { ConnectionError, StoreExportError } from '@store-export/client'
import { CopyBusy, CopyLost, CopyProblem } from '../copies/copy.ts'
import { UsageProblem } from './usage.ts'

const KNOWN = [UsageProblem, CopyBusy, CopyLost, CopyProblem, StoreExportError, ConnectionError]

/** A sentence for people. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (KNOWN.some((each) => error instanceof each)) return error.message
  const isSystems = 'code' in error && typeof error.code === 'string'
  return isSystems
    ? error.message
    : `this is a bug, please report it with what follows: ${error.stack ?? error.message}`
}
