// The report of the doctor as data.

import type { RevisionId } from '@store-export/contract'

/**
 * - `error`: the API cannot return data, or data is at risk.
 * - `warning`: responses are slow or inexact.
 * - `note`: nothing has to be fixed.
 */
type Severity = 'error' | 'warning' | 'note'

/** A problem, or a note, with its fix. */
export interface DoctorFinding {
  readonly severity: Severity
  /** For programs, for example `missing_grant`. */
  readonly code: string
  readonly message: string
  /** SQL or a command to paste, or a sentence; null if there is no fix. */
  readonly fix: string | null
}

/** One check of a database. */
export interface DoctorCheck {
  readonly name: string
  /** Summary of a passed check; null if nothing was checked. */
  readonly summary: string | null
  readonly findings: readonly DoctorFinding[]
}

/** The checks of one store. */
export interface StoreReport {
  readonly id: string
  readonly name: string
  /** The newest schema version with all its columns; null if there is none or the store could not be read. */
  readonly revision: RevisionId | null
  readonly checks: readonly DoctorCheck[]
}

/** The checks of the control database. */
export interface ControlReport {
  readonly checks: readonly DoctorCheck[]
}

/** Whether there is no error and no warning. */
export function isHealthy({ checks }: ControlReport): boolean {
  return findingsOf(checks).every(({ severity }) => severity === 'note')
}

/** The findings of all checks. */
export function findingsOf(checks: readonly DoctorCheck[]): DoctorFinding[] {
  return checks.flatMap(({ findings }) => findings)
}
