// The report of the doctor as data. format-report.ts formats it for people, and `--json` prints its findings.

import type { RevisionId } from '@store-export/contract'

/**
 * The severity of a finding:
 * - `error`: the API can't return data, or data is at risk.
 * - `warning`: responses are slow or inexact.
 * - `note`: the store is healthy, and the fix is optional.
 */
type Severity = 'error' | 'warning' | 'note'

/** What a check found: a problem or a note, with its fix. */
export interface DoctorFinding {
  readonly severity: Severity
  /** Code for programs, such as `missing_grant`. */
  readonly code: string
  readonly message: string
  /** SQL, a command to paste, or a sentence; null if there is no fix. */
  readonly fix: string | null
}

/** A check of a database, with its result and its findings. */
export interface DoctorCheck {
  readonly name: string
  /** Printed if the check has no problem, only notes or no finding; null is printed as `not checked`. */
  readonly summary: string | null
  readonly findings: readonly DoctorFinding[]
}

/** The report of one store. */
export interface StoreReport {
  readonly id: string
  readonly name: string
  /** The newest schema version whose columns all exist; null if there is none, or if the store could not be read. */
  readonly revision: RevisionId | null
  readonly checks: readonly DoctorCheck[]
}

/** The report of the control database. */
export interface ControlReport {
  readonly checks: readonly DoctorCheck[]
}

/** Whether the report contains no error and no warning. */
export function isHealthy({ checks }: ControlReport): boolean {
  return findingsOf(checks).every(({ severity }) => severity === 'note')
}

/** Returns the findings of all checks, in the order of the checks. */
export function findingsOf(checks: readonly DoctorCheck[]): DoctorFinding[] {
  return checks.flatMap(({ findings }) => findings)
}
