// Runs random tests, and tests of failures, with many more rounds than in `npm test`. Updates the table in
// docs/contribute/benchmarks.md, and writes the output and a row for each test to results/nightly, which Git ignores.
//
// Run: npm run test:nightly [-- GROUP...]. `npm run test:nightly -- faults soak` runs only these groups.

import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { describeMachine } from '../bench/lib/results.ts'
import { NIGHTLY_GROUPS, type NightlyGroup } from './nightly-groups.ts'
import { groupPage, type VitestReport, withSummaryRow } from './nightly-report.ts'

const SUMMARY = 'docs/contribute/benchmarks.md'
const RESULTS = 'results/nightly'
/**
 * Selects the long number of rounds of each test (test/support/rounds.ts), and multiplies the number of random
 * histories of `store-sync`.
 */
const LONG = { STORE_EXPORT_ROUNDS: '1', STORE_SYNC_HISTORIES: '17' } as const

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => NIGHTLY_GROUPS.every((group) => group.name !== name))
if (unknown.length > 0) {
  console.error(`no group ${unknown.join(', ')}; the groups are ${NIGHTLY_GROUPS.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}
const chosen = NIGHTLY_GROUPS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
for (const group of chosen) if (!(await runGroup(group))) process.exitCode = 1

/** Runs and reports a group. Returns whether every test passed. Rejects if the tests wrote no report. */
async function runGroup(group: NightlyGroup): Promise<boolean> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-export-nightly-'))
  const file = path.join(folder, 'report.json')
  const startedAt = performance.now()
  const { exitCode, output } = await runToEnd(commandOf(group, file))
  const report = JSON.parse(await readFile(file, 'utf8')) as VitestReport
  await rm(folder, { recursive: true })
  const run = {
    group,
    report,
    date: new Date().toISOString().slice(0, 10),
    machine: `${describeMachine()}; Node ${process.versions.node}`,
    minutes: (performance.now() - startedAt) / 60_000,
    figures: [...output.matchAll(/^measured: (.+)$/gm)].map(([, figure = '']) => figure),
  }
  await mkdir(RESULTS, { recursive: true })
  await writeFile(path.join(RESULTS, `${group.name}.log`), output)
  await writeFile(path.join(RESULTS, `${group.name}.md`), groupPage(run))
  await writeFile(SUMMARY, withSummaryRow(await readFile(SUMMARY, 'utf8'), run))
  return exitCode === 0
}

/** Returns the command that runs the group, and writes a report in the format of vitest to `file`. */
function commandOf({ vitestArguments }: NightlyGroup, file: string): readonly string[] {
  if (vitestArguments === null) return ['node', 'scripts/test-generators.ts', '--report', file]
  return [
    'npx',
    'vitest',
    'run',
    ...vitestArguments,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
  ]
}

function runToEnd([program = '', ...args]: readonly string[]): Promise<{ exitCode: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...LONG, NO_COLOR: '1' },
    })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      process.stdout.write(text)
      output += text
    })
    child.on('error', reject)
    child.on('close', (exitCode) => resolve({ exitCode, output }))
  })
}
