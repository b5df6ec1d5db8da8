// `npm run test:nightly`: the long form of the tests that try to break what we promise. Writes what it saw to docs/contribute/evidence,
// a page for each group. `npm run test:nightly -- faults soak` runs those groups only.

import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { describeMachine } from '../bench/lib/results.ts'

/** Tests that belong together. */
interface Group {
  readonly name: string
  readonly title: string
  readonly note: string
  /** What vitest is told to run. */
  readonly words: readonly string[]
}

const LONG = { STORE_EXPORT_ROUNDS: '1', STORE_SYNC_HISTORIES: '17' } as const

const GROUPS: readonly Group[] = [
  {
    name: 'incremental',
    title: 'No change is missed',
    note: 'Writers whose transactions overlap, and copies kept by several rules, with each defence in place and taken out.',
    words: ['test/late-commits.test.ts', 'packages/api/test/barrier.test.ts', 'packages/api/test/incremental'],
  },
  {
    name: 'client',
    title: 'The PostgreSQL client',
    note: 'Hostile servers, 10,000 random cancels, and pools whose connections are lost.',
    words: ['packages/postgres'],
  },
  {
    name: 'faults',
    title: 'Store databases that fail',
    note: 'Frozen, restarted, promoted, hostile and migrated databases, and clients that leave.',
    words: ['packages/operator/test/faults'],
  },
  {
    name: 'nodes',
    title: 'Several nodes, and a control database that fails',
    note: 'Processes of the service on one control database, many stores with equal ids, and hostile clients.',
    words: ['packages/operator/test/nodes', 'packages/operator/test/control', 'packages/operator/test/hostile-clients'],
  },
  {
    name: 'fleet',
    title: 'Behind nginx, HAProxy and PgBouncer',
    note: 'Needs these programs: `npm run test:fleet` is its short form.',
    words: ['--config', 'vitest.fleet.config.ts'],
  },
  {
    name: 'pooled',
    title: 'Stores behind PgBouncer',
    note: 'All tests of the API, with PgBouncer in transaction mode before every store.',
    words: ['--config', 'vitest.pooled.config.ts'],
  },
  {
    name: 'copies',
    title: 'Copies that stay right',
    note: 'Random stores, writes, restarts and kills, for every kind of copy.',
    words: ['packages/sync/test/histories', 'packages/sync/test/kills'],
  },
  {
    name: 'soak',
    title: 'Half an hour of mixed load',
    note: 'What the service holds must not grow.',
    words: ['--config', 'vitest.nightly.config.ts'],
  },
]

const named = process.argv.slice(2)
const unknown = named.filter((name) => GROUPS.every((group) => group.name !== name))
if (unknown.length > 0) {
  console.error(`no group ${unknown.join(', ')}; there are ${GROUPS.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}
const chosen = GROUPS.filter(({ name }) => named.length === 0 || named.includes(name))
for (const group of chosen) if (!(await runGroup(group))) process.exitCode = 1

/** What vitest reports as JSON, as far as it is used here. */
interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly duration?: number | null
    }[]
  }[]
}

async function runGroup(group: Group): Promise<boolean> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-export-nightly-'))
  const file = path.join(folder, 'report.json')
  const startedAt = performance.now()
  const [code, said] = await vitest([
    ...group.words,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
  ])
  const report = JSON.parse(await readFile(file, 'utf8')) as Report
  await rm(folder, { recursive: true })
  const minutes = (performance.now() - startedAt) / 60_000
  await mkdir('docs/contribute/evidence', { recursive: true })
  await writeFile(
    `docs/contribute/evidence/${group.name}.md`,
    pageOf(group, { report, minutes, figures: figuresIn(said) }),
  )
  return code === 0
}

function vitest(words: readonly string[]): Promise<[number | null, string]> {
  return new Promise((resolve, reject) => {
    const child = spawn('npx', ['vitest', 'run', ...words], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...LONG, NO_COLOR: '1' },
    })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      process.stdout.write(text)
      said += text
    })
    child.on('error', reject)
    child.on('close', (code) => resolve([code, said]))
  })
}

/** Lines in which a test says what it measured: they begin with `measured:`. */
function figuresIn(said: string): string[] {
  return [...said.matchAll(/^measured: (.+)$/gm)].map(([, figure = '']) => figure)
}

type Result = Report['testResults'][number]['assertionResults'][number]

/** A row for each test; tests that differ in the number at the end of their names alone share one. */
function rowsOf(results: readonly Result[]): string[] {
  const groups = Map.groupBy(results, ({ fullName }) => fullName.replace(/[ =]\d+$/, ''))
  return [...groups].map(([name, all]) => {
    const failed = all
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => fullName.slice(name.length + 1))
    const counted = new Map(
      [...Map.groupBy(all, ({ status }) => status)].map(([status, { length }]) => [status, length]),
    )
    const result = [...counted].map(([status, count]) => (all.length === 1 ? status : `${count} ${status}`)).join(', ')
    const which = failed.length > 0 && all.length > 1 ? ` (${failed.join(', ')})` : ''
    const seconds = all.reduce((sum, { duration }) => sum + (duration ?? 0), 0) / 1000
    const title = all.length === 1 ? (all[0]?.fullName ?? name) : name
    return `| ${title.replaceAll('|', '\\|')} | ${result}${which} | ${seconds.toFixed(1)} |`
  })
}

function pageOf(
  { name, title, note }: Group,
  { report, minutes, figures }: { report: Report; minutes: number; figures: readonly string[] },
): string {
  const rows = rowsOf(report.testResults.flatMap(({ assertionResults }) => assertionResults))
  const measured = figures.length === 0 ? [] : ['', 'Measured by the tests:', '', ...figures.map((each) => `- ${each}`)]
  return [
    `# ${title}`,
    '',
    note,
    '',
    `${new Date().toISOString().slice(0, 10)}; ${describeMachine()}; Node ${process.versions.node}; \`npm run test:nightly -- ${name}\`.`,
    `${report.numPassedTests} passed, ${report.numFailedTests} failed, in ${minutes.toFixed(0)} minutes.`,
    ...measured,
    '',
    '| Test | Result | Seconds |',
    '| --- | --- | ---: |',
    ...rows,
    '',
  ].join('\n')
}
