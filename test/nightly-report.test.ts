import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { NIGHTLY_GROUPS } from '../scripts/nightly-groups.ts'
import { type GroupRun, groupPage, withSummaryRow } from '../scripts/nightly-report.ts'

const run: GroupRun = {
  group: { name: 'soak', title: 'Load', proves: 'Memory does not grow.', vitestArguments: [] },
  report: {
    numPassedTests: 3,
    numFailedTests: 1,
    testResults: [
      {
        assertionResults: [
          { fullName: 'a|b holds', status: 'passed', duration: 1500 },
          { fullName: 'a history: SEED=1', status: 'passed', duration: 100 },
          { fullName: 'a history: SEED=2', status: 'failed', duration: 300 },
          { fullName: 'a history: SEED=3', status: 'passed', duration: null },
        ],
      },
    ],
  },
  date: '2026-11-22',
  machine: '2 cores; Node 24',
  minutes: 30.2,
  figures: ['slope 0.73 MiB/h'],
}

test("after a group of nightly tests has run, withSummaryRow replaces only this group's row in the summary", () => {
  const page = (row: string) => `# Tests\n\n| Command | Proves |\n| --- | --- |\n${row}\n| other | row |\n`
  expect(withSummaryRow(page('| `npm run test:nightly -- soak` | old |'), run)).toBe(
    page(
      '| `npm run test:nightly -- soak` | Memory does not grow. | 2026-11-22<br>2 cores<br>Node 24 | 3 passed, 1 failed in 30 min<br>slope 0.73 MiB/h |',
    ),
  )
})

test('if the summary of nightly tests has no row for a group, withSummaryRow throws an error that names the missing row', () => {
  expect(() => withSummaryRow('# Tests\n', run)).toThrow(
    'has no row that starts with "| `npm run test:nightly -- soak` |"',
  )
})

test('if titles of nightly tests differ only in a number, the report shows these tests in one row with the numbers that failed', () => {
  const rows = groupPage(run)
    .split('\n')
    .filter((line) => line.startsWith('| '))
  expect(rows.slice(2)).toEqual([
    '| a\\|b holds | passed | 1.5 |',
    '| a history: SEED | 2 passed, 1 failed (2) | 0.4 |',
  ])
})

test('every group of nightly tests has test files and a row in docs/contribute/benchmarks.md', () => {
  const root = path.resolve(import.meta.dirname, '..')
  const tests = globSync('{packages,test}/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] })
  const summary = readFileSync(path.join(root, 'docs/contribute/benchmarks.md'), 'utf8')
  for (const group of NIGHTLY_GROUPS) {
    const paths = (group.vitestArguments ?? []).filter((argument) => /^(?:packages|test)\//.test(argument))
    expect(paths.filter((start) => !tests.some((file) => file.startsWith(start)))).toEqual([])
    expect(withSummaryRow(summary, { ...run, group })).toContain(`test:nightly -- ${group.name}`)
  }
})

test('the nightly workflow runs all groups, including the generators', () => {
  const workflow = readFileSync(path.resolve(import.meta.dirname, '../.github/workflows/nightly.yml'), 'utf8')
  expect(workflow).toContain('npm run test:nightly\n')
  expect(NIGHTLY_GROUPS).toContainEqual(expect.objectContaining({ name: 'generators', vitestArguments: null }))
})
