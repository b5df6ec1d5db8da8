// Tests the output and exit codes of `store-sync run --prune` and `store-sync verify --quick`.

import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { COMPILE_CACHE } from '../../../test/support/compile-cache.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { type ExitResult, runProgram } from './support/run-program.ts'

const COMMAND = path.resolve(import.meta.dirname, '..', 'src', 'main.ts')

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.close())

function command(store: TestStore, args: readonly string[]): Promise<ExitResult> {
  return runProgram(process.execPath, [COMMAND, ...args], { env: { ...COMPILE_CACHE, STORE_EXPORT_KEY: store.key } })
}

const events = ({ stdout }: ExitResult): Record<string, unknown>[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Copies a store of four orders, then deletes one of them in the store. */
async function copyThenDelete() {
  const store = await platform.provision()
  await store.sql`
    insert into orders (id, email, status, subtotal, tax, shipping, total, created_at, updated_at)
    select gen_random_uuid(), 'o@example.com', 'paid', 10, 0, 0, 10.50, '2026-01-01', '2026-01-01'
    from generate_series(1, 4) n`
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-sync-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const to = ['--to', `sqlite:${path.join(folder, 'shop.db')}`]
  const args = ['--url', platform.service.url, ...to]
  expect((await command(store, ['run', ...args])).code).toBe(0)
  await store.sql`delete from orders where id = (select id from orders limit 1)`
  return { store, args, to }
}

/** Starts a proxy that returns 404 for lists of IDs, like an older service. */
async function startOlderService(): Promise<string> {
  const server = createServer(async ({ url = '', headers }, response) => {
    if (url.includes('/ids/')) {
      response.writeHead(404, { 'content-type': 'application/json' })
      response.end('{"error":{"code":"NOT_FOUND","message":"no such endpoint"}}')
      return
    }
    const upstream = await fetch(platform.service.url + url, { headers: { 'x-api-key': String(headers['x-api-key']) } })
    response.writeHead(upstream.status, { 'content-type': 'application/json' })
    response.end(await upstream.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`
}

test('store-sync run --prune prints the number of removed rows, as text or, with --json, as an event', async () => {
  const { store, args } = await copyThenDelete()
  const dryRun = await command(store, ['run', ...args, '--prune', '--dry-run'])
  expect(dryRun.stderr).toMatch(/orders +0 rows {2}changed since \S+, and 1 page of IDs\n/)
  const first = await command(store, ['run', ...args, '--prune'])
  expect(first).toMatchObject({ code: 0, stdout: '' })
  expect(first.stderr).toMatch(/orders +0 rows +changed, 1 removed\n[\s\S]*: 1 row read, 1 removed, \d+ requests, /)
  const second = await command(store, ['run', ...args, '--prune', '--tables', 'orders', '--json'])
  expect(second).toMatchObject({ code: 0, stderr: '' })
  expect(events(second)).toMatchObject([{ event: 'table', table: 'orders', removed: 0, ids: 3 }, { event: 'run' }])
})

test('if the service has no ID lists, store-sync run --prune prints one message about the missing lists and exits with code 0', async () => {
  const { store, to } = await copyThenDelete()
  const args = ['run', '--url', await startOlderService(), ...to, '--prune']
  const ended = await command(store, args)
  expect(ended).toMatchObject({ code: 0, stdout: '' })
  expect(ended.stderr.match(/the service has no lists of IDs/g)).toHaveLength(1)
  const json = await command(store, [...args, '--json'])
  expect([json.code, json.stderr]).toEqual([0, ''])
  expect(events(json)).toContainEqual({ event: 'prune_unavailable', message: expect.stringContaining('--full') })
})

test('if the copy has an extra row, store-sync verify --quick prints the row and exits with code 1 until run --prune removes it', async () => {
  const { store, args } = await copyThenDelete()
  const differs = await command(store, ['verify', ...args, '--quick'])
  expect(differs.code).toBe(1)
  expect(differs.stderr).toMatch(/orders \S+: only in the copy\n/)
  expect(differs.stderr).toMatch(
    /orders +3 rows in the store, 4 in the copy {2}1 different {2}\(IDs and timestamps\)\n/,
  )
  expect(differs.stderr).toMatch(/categories .* the same {2}\(whole rows\)\n/)
  expect(differs.stderr).toContain('to repair it, run `store-sync run --prune` with the same options')
  const whole = await command(store, ['verify', ...args])
  expect(whole.stderr).toContain('to repair it, run `store-sync run --prune` with the same options')
  expect((await command(store, ['run', ...args, '--prune'])).code).toBe(0)
  const same = await command(store, ['verify', ...args, '--quick'])
  expect(same.code).toBe(0)
  expect(same.stderr).toMatch(/matches the store in IDs and timestamps: \d+ rows compared, [\d.]+ s\n$/)
  const json = await command(store, ['verify', ...args, '--quick', '--json', '--tables', 'orders'])
  expect(events(json)).toMatchObject([
    { event: 'verified', compared: 'timestamps' },
    { event: 'verify', is_same: true },
  ])
  expect((await command(store, ['verify', ...args])).stderr).not.toContain('whole rows')
})
