// Tests the arguments and databases that `npm run test:server` rejects, and the table that it prints.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { RESPONSE_TESTS } from '../vitest.server.config.ts'
import { openClient } from './support/client.ts'
import { createDatabase } from './support/databases.ts'
import { type Outcome, reportOf } from './support/server-report.ts'

const SCRIPT = path.join(import.meta.dirname, '..', 'scripts', 'test-server.ts')

function run(...args: readonly string[]): Promise<{ code: number | string | null; errors: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [SCRIPT, ...args], (error, _output, errors) =>
      resolve({ code: error?.code ?? 0, errors: errors.trim() }),
    )
  })
}

const UNREACHABLE_URL = 'postgres://owner:secret@127.0.0.1:1/store'

test.each([
  { args: [], message: '--store-url: must be given; --help lists all options' },
  { args: ['--store-url', 'mysql://x/y'], message: /^--store-url: .*postgres:\/\// },
  { args: ['--store-url', UNREACHABLE_URL, '--control-url', 'x'], message: /^--control-url: / },
  {
    args: ['--store-url', UNREACHABLE_URL, '--after-schema', '/none.sql'],
    message: "--after-schema: the file /none.sql does not exist or can't be read",
  },
  {
    args: ['--store-url', UNREACHABLE_URL, '/none.test.ts'],
    message: /^FILE: the file \/none\.test\.ts does not exist/,
  },
  { args: ['--shop-url', 'x'], message: /shop-url/ },
])(
  'if the arguments are $args, npm run test:server prints what is wrong and exits with code 2',
  async ({ args, message }) => {
    const { code, errors } = await run(...args)
    expect(errors).toMatch(message)
    expect(errors.split('\n')).toHaveLength(1)
    expect(code).toBe(2)
  },
)

test('if the server in --store-url is unreachable, npm run test:server prints no password and exits with code 1', async () => {
  const { code, errors } = await run('--store-url', UNREACHABLE_URL)
  expect(errors).toMatch(/^--store-url: the database can't be used: .*127\.0\.0\.1/)
  expect(errors).not.toContain('secret')
  expect(code).toBe(1)
})

test.each([
  { statement: 'create table public.orders (id int)', found: 'table orders' },
  { statement: 'create view public.mine as select 1 as one', found: 'view mine' },
  { statement: 'create function public.mine() returns int language sql return 1', found: 'routine mine()' },
])(
  'if the database in --store-url contains $found, npm run test:server drops nothing and exits with code 1',
  async ({ statement, found }) => {
    const database = await createDatabase()
    const sql = openClient(database.url)
    onTestFinished(async () => {
      await sql.end()
      await database.drop()
    })
    await sql.unsafe(statement)
    const { code, errors } = await run('--store-url', database.url)
    expect(errors).toContain('the database must be empty')
    expect(errors).toContain(`found 1: ${found}`)
    expect(code).toBe(1)
    const rows = await sql`select from pg_class where relname in ('orders', 'mine') union all
    select from pg_proc where proname = 'mine'`
    expect(rows).toHaveLength(1)
  },
)

test('the report of test:server counts a test under each clause in its title, such as [PAG-4], or under its file if there is none', () => {
  const outcome = (name: string, state: Outcome['state'], reason = ''): Outcome => ({
    name,
    area: 'values',
    state,
    reason,
  })
  const report = reportOf([
    outcome('[EP-ORDERS, RES-ORDER] list > [PAG-1] in order', 'passed'),
    outcome('[PAG-1] the last page', 'failed', 'expected 2 to be 3'),
    outcome('[PAG-1] old stores', 'skipped', 'reads no store on this server'),
    outcome('texts', 'passed'),
  ])
  expect(report).toContain('| Clause or area | Passed | Failed | Skipped | Why skipped |')
  expect(report).toContain('| PAG-1 | 1 | 1 | 1 | reads no store on this server |')
  expect(report).toContain('| RES-ORDER | 1 | 0 | 0 |  |')
  expect(report).toContain('| values | 1 | 0 | 0 |  |')
  expect(report).toContain('- [PAG-1] the last page: expected 2 to be 3')
  expect(report.endsWith('2 passed, 1 failed, 1 skipped')).toBe(true)
})

test.each(RESPONSE_TESTS)('the test file %s, which npm run test:server runs, exists', (name) => {
  expect(existsSync(path.join(import.meta.dirname, '..', 'packages/api/test', `${name}.test.ts`))).toBe(true)
})
