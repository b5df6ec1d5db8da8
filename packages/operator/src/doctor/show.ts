// The doctor's report for people: a line for each check, and below it what is wrong and what to do.

import type { Paint } from '../demo/panel.ts'
import type { Check, Finding } from './report.ts'

const NAME_WIDTH = 12

/** The lines of one patient: a title, then its checks. */
export function showChecks(title: string, checks: readonly Check[], paint: Paint): string {
  return [paint('bold', title), ...checks.flatMap((check) => showCheck(check, paint)), ''].join('\n')
}

function showCheck({ name, summary, findings }: Check, paint: Paint): string[] {
  const problems = findings.filter(({ severity }) => severity !== 'note')
  const notes = findings.filter(({ severity }) => severity === 'note')
  const lines =
    problems.length === 0
      ? [`  ${paint('green', 'ok')}  ${name.padEnd(NAME_WIDTH)}${summary}`]
      : problems.flatMap((finding) => [
          `  ${paint(finding.severity === 'error' ? 'red' : 'yellow', '!')}   ${name.padEnd(NAME_WIDTH)}${finding.message}`,
          ...fixLine(finding, paint),
        ])
  const noteLines = notes.flatMap((finding) => [
    `      ${' '.repeat(NAME_WIDTH)}${paint('dim', `note: ${finding.message}`)}`,
    ...fixLine(finding, paint),
  ])
  return [...lines, ...noteLines]
}

function fixLine({ fix }: Finding, paint: Paint): string[] {
  return fix === null ? [] : [`      ${' '.repeat(NAME_WIDTH)}${paint('cyan', fix)}`]
}
