// Formats the report of the doctor for people: a line for each problem and for each check without problems, then the
// fix and the notes.

import type { Paint } from '../demo/panel.ts'
import { countOf, printable } from '../output.ts'
import { type DoctorCheck, type DoctorFinding, findingsOf, isHealthy, type StoreReport } from './report.ts'

/** Longer than the longest name of a check. */
const NAME_WIDTH = 14
/** Aligns fixes and notes with the summaries: six characters for the mark, then the name. */
const INDENT = ' '.repeat(6 + NAME_WIDTH)

/** Returns the text for one database: a title, then its checks. */
export function formatChecks(title: string, checks: readonly DoctorCheck[], paint: Paint): string {
  return [paint('bold', title), ...checks.flatMap((check) => formatCheck(check, paint)), ''].join('\n')
}

/** Number of healthy stores that are listed. More of them would hide the others. */
const HEALTHY_LISTED_MAX = 20

/** Number of stores with the same problems that are listed. More of them share one text. */
const SAME_LISTED_MAX = 3

/**
 * Returns the text for the stores. A single store has all its checks. Of several stores, each healthy store has one
 * line without its notes. More than `HEALTHY_LISTED_MAX` healthy stores share a line with their number. More than
 * `SAME_LISTED_MAX` stores with the same problems and fixes share a text with their number and the first IDs.
 */
export function formatStores(stores: readonly StoreReport[], paint: Paint): string {
  const formatStore = (store: StoreReport) => formatChecks(titleOf(store), store.checks, paint)
  if (stores.length === 1) return stores.map(formatStore).join('\n')
  const ok = stores.filter(isHealthy)
  const titles = ok.length > HEALTHY_LISTED_MAX ? [countOf(ok.length, 'healthy store')] : ok.map(titleOf)
  const healthy = titles.map((title) => `  ${paint('green', 'ok')}  ${title}`)
  const groups = [
    ...Map.groupBy(
      stores.filter((store) => !isHealthy(store)),
      problemsOf,
    ).values(),
  ]
  const others = groups.flatMap((group) =>
    group.length > SAME_LISTED_MAX ? formatGroup(group, paint) : group.map(formatStore),
  )
  return [...healthy, ...(healthy.length > 0 ? [''] : []), ...others].join('\n')
}

/** Returns the same string for stores with the same problems and fixes. */
function problemsOf({ checks }: StoreReport): string {
  return JSON.stringify(findingsOf(checks).filter(({ severity }) => severity !== 'note'))
}

/** Formats stores with the same problems: their number, the checks of the first store with problems, and some IDs. */
function formatGroup(group: readonly StoreReport[], paint: Paint): string {
  const [first] = group
  const checks = (first?.checks ?? []).filter((check) => !isHealthy({ checks: [check] }))
  const ids = group.slice(0, SAME_LISTED_MAX).map(({ id }) => id)
  return formatChecks(
    `${countOf(group.length, 'store')} with the same problems, such as ${ids.join(', ')}`,
    checks,
    paint,
  )
}

function titleOf({ id, name, revision }: StoreReport): string {
  return [printable(name), id, ...(revision === null ? [] : [revision])].join('  ')
}

/** Returns the lines of a check. The summary is shown if the check has no problems, even if it has notes. */
function formatCheck({ name, summary, findings }: DoctorCheck, paint: Paint): string[] {
  const problems = findings.filter(({ severity }) => severity !== 'note')
  const notes = findings.filter(({ severity }) => severity === 'note')
  const mark = summary === null ? ' -' : paint('green', 'ok')
  const lines =
    problems.length === 0
      ? [`  ${mark}  ${name.padEnd(NAME_WIDTH)}${printable(summary ?? 'not checked')}`]
      : problems.flatMap((finding) => [
          `  ${paint(finding.severity === 'error' ? 'red' : 'yellow', '!')}   ${name.padEnd(NAME_WIDTH)}${printable(finding.message)}`,
          ...fixLines(finding, paint),
        ])
  const noteLines = notes.flatMap((finding) => [
    `${INDENT}${paint('dim', `note: ${printable(finding.message)}`)}`,
    ...fixLines(finding, paint),
  ])
  return [...lines, ...noteLines]
}

function fixLines({ fix }: DoctorFinding, paint: Paint): string[] {
  return fix === null ? [] : fix.split('\n').map((line) => `${INDENT}${paint('cyan', printable(line))}`)
}
