// Formats the results of the nightly tests as Markdown: a page for each group, and its row of the summary table.

import type { NightlyGroup } from './nightly-groups.ts'

/** The members of vitest's JSON report that a page needs. */
export interface VitestReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly { readonly assertionResults: readonly TestResult[] }[]
}

interface TestResult {
  readonly fullName: string
  readonly status: string
  /** Duration of the test in milliseconds. */
  readonly duration?: number | null
}

/** A finished run of a group, and where and when it ran. */
export interface GroupRun {
  readonly group: NightlyGroup
  readonly report: VitestReport
  /** UTC day of the end of the run, such as `2026-11-22`. */
  readonly date: string
  /** Processor, memory, operating system, and version of Node.js. */
  readonly machine: string
  readonly minutes: number
  /** The text that the tests printed after `measured: `. */
  readonly figures: readonly string[]
}

/** Returns the summary page with the row of this run in place of the previous one. Throws if the page lacks the row. */
export function withSummaryRow(page: string, run: GroupRun): string {
  const start = `| ${commandOf(run.group)} |`
  const lines = page.split('\n')
  const index = lines.findIndex((line) => line.startsWith(start))
  if (index === -1) throw new Error(`the summary table has no row that starts with "${start}"`)
  return lines.with(index, summaryRow(run)).join('\n')
}

function summaryRow({ group, report, date, machine, minutes, figures }: GroupRun): string {
  const result = [`${countsOf(report)} in ${minutes.toFixed(0)} min`, ...figures].join('; ')
  // Each figure is on a line of its own.
  const cells = [`${date}; ${machine}`, result].map((cell) => cell.replaceAll('; ', '<br>'))
  return row([commandOf(group), group.proves, ...cells])
}

/** Returns a page with a line for each test. */
export function groupPage({ group, report, date, machine, minutes, figures }: GroupRun): string {
  const measured = figures.length === 0 ? [] : ['Measured by the tests:', '', ...figures.map((each) => `- ${each}`), '']
  return [
    `# ${group.title}`,
    '',
    group.proves,
    '',
    `${date}; ${machine}; ${commandOf(group)}.`,
    `${countsOf(report)} in ${minutes.toFixed(0)} min.`,
    '',
    ...measured,
    '| Test | Result | Seconds |',
    '| --- | --- | ---: |',
    ...testRows(report.testResults.flatMap(({ assertionResults }) => assertionResults)),
    '',
  ].join('\n')
}

/** Returns a row for each test. Tests whose titles differ only in the number at the end share a row. */
function testRows(results: readonly TestResult[]): string[] {
  const byTitle = Map.groupBy(results, ({ fullName }) => fullName.replace(/[ =]\d+$/, ''))
  return [...byTitle].map(([title, tests]) => {
    const seconds = tests.reduce((sum, { duration }) => sum + (duration ?? 0), 0) / 1000
    const [only] = tests
    if (tests.length === 1 && only !== undefined) return row([only.fullName, only.status, seconds.toFixed(1)])
    const byStatus = Map.groupBy(tests, ({ status }) => status)
    const counts = [...byStatus].map(([status, { length }]) => `${length} ${status}`).join(', ')
    const failed = (byStatus.get('failed') ?? []).map(({ fullName }) => fullName.slice(title.length + 1))
    const numbers = failed.length === 0 ? '' : ` (${failed.join(', ')})`
    return row([title, counts + numbers, seconds.toFixed(1)])
  })
}

function commandOf({ name }: NightlyGroup): string {
  return `\`npm run test:nightly -- ${name}\``
}

function countsOf({ numPassedTests, numFailedTests }: VitestReport): string {
  return `${numPassedTests} passed, ${numFailedTests} failed`
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}
