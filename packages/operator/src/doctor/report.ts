// What the doctor finds, as data, and what follows from it. How it is found is beside; how it is shown is show.ts.

import type { RevisionId } from '@store-export/contract'

/** error: data cannot be served, or is in danger. warning: it is slow or inexact. note: to know, nothing to do. */
type Severity = 'error' | 'warning' | 'note'

/** One thing that was found. */
export interface DoctorFinding {
  readonly severity: Severity
  /** For programs; a few words joined by underscores. */
  readonly code: string
  readonly message: string
  /** The fix: SQL or a command to paste, or a sentence; null if there is nothing to do. */
  readonly fix: string | null
}

/** One check of a database. */
export interface DoctorCheck {
  readonly name: string
  /** Summary of a passed check; null if there was nothing to examine. */
  readonly summary: string | null
  readonly findings: readonly DoctorFinding[]
}

/** All about one store. */
export interface StoreReport {
  readonly id: string
  readonly name: string
  /** The highest revision whose columns are all there; null if there is none or the store could not be read. */
  readonly revision: RevisionId | null
  readonly checks: readonly DoctorCheck[]
}

/** All about the control database. */
export interface ControlReport {
  readonly checks: readonly DoctorCheck[]
}

/** Whether nothing must be done. */
export function isHealthy({ checks }: ControlReport): boolean {
  return findingsOf(checks).every(({ severity }) => severity === 'note')
}

/** The findings of all checks, in their order. */
export function findingsOf(checks: readonly DoctorCheck[]): DoctorFinding[] {
  return checks.flatMap(({ findings }) => findings)
}
