// Runs the curl commands of documentation pages.

import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from './support/platform.ts'

const run = promisify(execFile)
const ROOT = path.resolve(import.meta.dirname, '..')
const PAGES = ['README.md', 'docs/quickstart.md', 'docs/api/authentication.md', 'docs/api/pagination.md'] as const

let platform: TestPlatform
let store: TestStore
beforeAll(async () => {
  platform = await startPlatform()
  store = await platform.provision()
  await store.sql`
    insert into orders (id, email, status, subtotal, tax, shipping, total, created_at, updated_at)
    select gen_random_uuid(), 'buyer@example.com', 'paid', 10, 2, 0, 12, now(), now() from generate_series(1, 3)`
})
afterAll(() => platform.close())

/** Returns the curl commands in the fenced blocks of a page, in their order. */
async function curlCommands(page: string): Promise<string[]> {
  const text = await readFile(path.join(ROOT, page), 'utf8')
  const blocks = [...text.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
  return blocks.flatMap((block) => block.split('\n').filter((line) => line.startsWith('curl ')))
}

test.each(PAGES)('if the curl commands of %s run in order, each returns data', async (page) => {
  const commands = await curlCommands(page)
  expect(commands.length).toBeGreaterThan(0)
  let cursor = ''
  for (const command of commands) {
    const line = command.replace('http://127.0.0.1:8080', platform.service.url).replace('cursor=…', `cursor=${cursor}`)
    const env = { ...process.env, KEY: store.key, STORE_EXPORT_KEY: store.key, BASE_URL: platform.service.url }
    const { stdout } = await run('sh', ['-c', line.replace('limit=250"', 'limit=2"')], { env })
    const { data, meta } = JSON.parse(stdout)
    expect(data, command).toBeTruthy()
    cursor = meta?.next_cursor ?? cursor
  }
})
