// What the doctor finds, as data, and what follows from it. How it is found is beside; how it is shown is show.ts.

import type { RevisionId } from '@store-export/contract'

/** error: data cannot be served, or is in danger. warning: it is slow or inexact. note: to know, nothing to do. */
type Severity = 'error' | 'warning' | 'note'

/** One thing that was found. */
export interface Finding {
  readonly severity: Severity
  /** For programs; a few words joined by underscores. */
  readonly code: string
  readonly message: string
  /** What to do, where it is SQL ready to run; null for a note that asks for nothing. */
  readonly fix: string | null
}

/** One thing that was looked at. */
export interface Check {
  readonly name: string
  /** What is there, when all is well. */
  readonly summary: string
  readonly findings: readonly Finding[]
}

/** All about one store. */
export interface StoreReport {
  readonly id: string
  readonly name: string
  /** The highest revision whose columns are all there; null when there is none or nobody could look. */
  readonly revision: RevisionId | null
  readonly checks: readonly Check[]
}

/** All about the control database. */
export interface ControlReport {
  readonly checks: readonly Check[]
}

/** Whether nothing must be done. */
export function isHealthy({ checks }: ControlReport): boolean {
  return findingsOf(checks).every(({ severity }) => severity === 'note')
}

/** The findings of all checks, in their order. */
export function findingsOf(checks: readonly Check[]): Finding[] {
  return checks.flatMap(({ findings }) => findings)
}
