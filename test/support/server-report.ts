// Prints the table of `npm run test:server`: which clauses hold on the server under test.

import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node'

export interface Outcome {
  readonly name: string
  /** Text for a test without a clause. */
  readonly area: string
  readonly state: 'passed' | 'failed' | 'skipped'
  /** The reason why the test failed or was skipped; empty if it passed. */
  readonly reason: string
}

/** Prints the table after the last test. */
export class ServerReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const outcomes = modules.flatMap((module) => [...module.children.allTests()].map(outcomeOf))
    const inHooks = modules.flatMap((module) =>
      [module, ...module.children.allSuites()].flatMap((part) =>
        part.errors().map(({ message }) => `${module.relativeModuleId}: ${firstLine(message)}`),
      ),
    )
    const elsewhere = unhandled.map(({ message }) => firstLine(message ?? 'an error outside of tests'))
    process.stdout.write(`${reportOf(outcomes, [...inHooks, ...elsewhere])}\n`)
  }
}

function outcomeOf(test: TestCase): Outcome {
  const result = test.result()
  const { state, errors } = result
  const name = test.fullName
  const area = test.module.relativeModuleId.replace(/^.*\/|\.test\.ts$/g, '')
  if (state === 'failed') return { name, area, state, reason: firstLine(errors?.[0]?.message ?? 'failed') }
  if (state !== 'passed') return { name, area, state: 'skipped', reason: whySkipped(test) }
  return test.meta().usesServer === true
    ? { name, area, state, reason: '' }
    : { name, area, state: 'skipped', reason: 'reads no store on this server' }
}

function whySkipped(test: TestCase): string {
  const result = test.result()
  if (result.state === 'skipped' && result.note !== undefined) return result.note
  return test.options.mode === 'skip' ? 'needs another server' : 'its file failed before it'
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? ''
}

/** Returns the report: a row for each clause, then each failure. `broken` contains errors outside of tests. */
export function reportOf(outcomes: readonly Outcome[], broken: readonly string[] = []): string {
  const named = outcomes.flatMap((outcome) => clausesOf(outcome).map((clause) => ({ clause, outcome })))
  const groups = [...Map.groupBy(named, ({ clause }) => clause)].sort(([a], [b]) => (a < b ? -1 : 1))
  const rows = groups.map(([clause, all]) =>
    rowOf(
      clause,
      all.map(({ outcome }) => outcome),
    ),
  )
  const failures = outcomes.filter(({ state }) => state === 'failed').map(({ name, reason }) => `- ${name}: ${reason}`)
  const count = (state: Outcome['state']) => outcomes.filter((outcome) => outcome.state === state).length
  return [
    '',
    '| Clause or area | Passed | Failed | Skipped | Why skipped |',
    '| --- | ---: | ---: | ---: | --- |',
    ...rows,
    '',
    ...[...failures, ...broken.map((each) => `- ${each}`)],
    `${count('passed')} passed, ${count('failed') + broken.length} failed, ${count('skipped')} skipped`,
  ].join('\n')
}

function rowOf(clause: string, outcomes: readonly Outcome[]): string {
  const count = (state: Outcome['state']) => outcomes.filter((outcome) => outcome.state === state).length
  const reasons = new Set(outcomes.filter(({ state }) => state === 'skipped').map(({ reason }) => reason))
  return `| ${clause} | ${count('passed')} | ${count('failed')} | ${count('skipped')} | ${[...reasons].join('; ')} |`
}

/** Returns the clauses in a test's name, such as `[EP-ORDERS, RES-ORDER]`; the area if there are none. */
function clausesOf({ name, area }: Outcome): string[] {
  const found = [...name.matchAll(/\[([A-Z][A-Z0-9-]*(?:, [A-Z][A-Z0-9-]*)*)\]/g)]
  const clauses = new Set(found.flatMap(([, list = '']) => list.split(', ')))
  return clauses.size === 0 ? [area] : [...clauses]
}
