// `store-sync run --prune` and `store-sync verify --quick` as they are typed: what they say, and how they end.

import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { COMPILE_CACHE } from '../../../test/support/compile-cache.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { type Ended, endedProgram } from './support/ended-program.ts'

const COMMAND = path.resolve(import.meta.dirname, '..', 'src', 'main.ts')

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.close())

function command(store: TestStore, words: readonly string[]): Promise<Ended> {
  return endedProgram(process.execPath, [COMMAND, ...words], { env: { ...COMPILE_CACHE, STORE_EXPORT_KEY: store.key } })
}

const events = ({ stdout }: Ended): Record<string, unknown>[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** A store of four orders and its copy, since which the store has deleted one; and the words that name both. */
async function copied() {
  const store = await platform.provision()
  await store.sql`
    insert into orders (id, email, status, subtotal, tax, shipping, total, created_at, updated_at)
    select gen_random_uuid(), 'o@example.com', 'paid', 10, 0, 0, 10.50, '2026-01-01', '2026-01-01'
    from generate_series(1, 4) n`
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-sync-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const to = ['--to', `sqlite:${path.join(folder, 'shop.db')}`]
  const words = ['--url', platform.service.url, ...to]
  expect((await command(store, ['run', ...words])).code).toBe(0)
  await store.sql`delete from orders where id = (select id from orders limit 1)`
  return { store, words, to }
}

/** Answers as a service does that has no lists of ids. */
async function olderService(): Promise<string> {
  const server = createServer(async ({ url = '', headers }, response) => {
    if (url.includes('/ids/')) {
      response.writeHead(404, { 'content-type': 'application/json' })
      response.end('{"error":{"code":"NOT_FOUND","message":"no such endpoint"}}')
      return
    }
    const answer = await fetch(platform.service.url + url, { headers: { 'x-api-key': String(headers['x-api-key']) } })
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`
}

test('run --prune says to people and programs how many rows it removed', async () => {
  const { store, words } = await copied()
  const look = await command(store, ['run', ...words, '--prune', '--dry-run'])
  expect(look.stderr).toMatch(/orders +0 rows {2}changed since \S+, and 1 page of IDs\n/)
  const first = await command(store, ['run', ...words, '--prune'])
  expect(first).toMatchObject({ code: 0, stdout: '' })
  expect(first.stderr).toMatch(/orders +0 rows +changed, 1 removed\n[\s\S]*rows read, 1 removed, \d+ requests/)
  const second = await command(store, ['run', ...words, '--prune', '--tables', 'orders', '--json'])
  expect(second).toMatchObject({ code: 0, stderr: '' })
  expect(events(second)).toMatchObject([{ event: 'table', table: 'orders', removed: 0, ids: 3 }, { event: 'run' }])
})

test('run --prune at an older service says so in a sentence, and is done', async () => {
  const { store, to } = await copied()
  const words = ['run', '--url', await olderService(), ...to, '--prune']
  const ended = await command(store, words)
  expect(ended).toMatchObject({ code: 0, stdout: '' })
  expect(ended.stderr.match(/the service has no lists of IDs/g)).toHaveLength(1)
  const told = await command(store, [...words, '--json'])
  expect([told.code, told.stderr]).toEqual([0, ''])
  expect(events(told)).toContainEqual({ event: 'prune_unavailable', message: expect.stringContaining('--full') })
})

test('verify --quick says what it compared, and ends as verify does', async () => {
  const { store, words } = await copied()
  const differs = await command(store, ['verify', ...words, '--quick'])
  expect(differs.code).toBe(1)
  expect(differs.stderr).toMatch(/orders \S+: only in the copy\n/)
  expect(differs.stderr).toMatch(
    /orders +3 rows in the store, 4 in the copy {2}1 different {2}\(IDs and timestamps\)\n/,
  )
  expect(differs.stderr).toMatch(/categories .* the same {2}\(whole rows\)\n/)
  expect(differs.stderr).toContain('to repair it, run `store-sync run --prune` with the same options')
  const whole = await command(store, ['verify', ...words])
  expect(whole.stderr).toContain('to repair it, run `store-sync run --prune` with the same options')
  expect((await command(store, ['run', ...words, '--prune'])).code).toBe(0)
  const same = await command(store, ['verify', ...words, '--quick'])
  expect(same.code).toBe(0)
  expect(same.stderr).toMatch(/matches the store in IDs and timestamps: \d+ rows compared, [\d.]+ s\n$/)
  const told = await command(store, ['verify', ...words, '--quick', '--json', '--tables', 'orders'])
  expect(events(told)).toMatchObject([
    { event: 'verified', compared: 'timestamps' },
    { event: 'verify', is_same: true },
  ])
  expect((await command(store, ['verify', ...words])).stderr).not.toContain('whole rows')
})
