import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from '../../api/test/support/filled-store.ts'
import { recipesFor } from '../src/recipes/recipes.ts'
import { type BusyProxy, isInstalled, type ProxyError, runToEnd, startBusyProxy } from './support/busy-proxy.ts'

const SIZE = { orders: 640, customers: 60, products: 30, locations: 2, groups: 2 }
const BUSY: ReadonlyMap<number, ProxyError> = new Map([
  [1, { status: 429, code: 'RATE_LIMITED', headers: { 'Retry-After': '3' } }],
  [3, { status: 502, code: 'STORE_DB_ERROR' }],
])

const PROGRAMS = [
  { id: 'curl', command: ['bash'], file: 'orders.sh', needs: ['bash', 'curl', 'jq'] },
  { id: 'typescript', command: [process.execPath], file: 'orders.ts', needs: [process.execPath] },
  { id: 'python', command: ['python3'], file: 'orders.py', needs: ['python3'] },
] as const

let platform: TestPlatform
let store: TestStore
let folder: string
let proxy: BusyProxy

beforeAll(async () => {
  platform = await startPlatform()
  store = await filledStore(platform, LATEST_REVISION, SIZE)
  folder = await mkdtemp(path.join(os.tmpdir(), 'recipes-'))
})
beforeEach(async () => {
  proxy = await startBusyProxy(platform.service.url, BUSY)
  return () => proxy.close()
})
afterAll(async () => {
  await platform.close()
  await rm(folder, { recursive: true, force: true })
})

function codeOf(id: string, url: string): string {
  const code = recipesFor(url).find((recipe) => recipe.id === id)?.code
  if (code === undefined) throw new Error(`no recipe ${id}`)
  return code
}

async function served(since: string): Promise<{ id: string; updated_at: string }[]> {
  const rows = []
  for (let cursor = ''; ; ) {
    const query = `limit=250&updated_since=${encodeURIComponent(since)}${cursor}`
    const { json } = await platform.get(`/api/v1/orders?${query}`, store.key)
    rows.push(...json.data)
    if (!json.meta.has_more) return rows
    cursor = `&cursor=${json.meta.next_cursor}`
  }
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

for (const { id, command, file, needs } of PROGRAMS) {
  const missing = needs.find((program) => !isInstalled(program))
  const title = missing === undefined ? `the recipe for ${id}` : `the recipe for ${id} (not run: ${missing} is absent)`
  describe.skipIf(missing !== undefined)(title, () => {
    let cwd: string
    beforeEach(async () => {
      cwd = await mkdtemp(path.join(folder, `${id}-`))
    })

    async function run(url: string, { key = store.key, kill }: { key?: string; kill?: AbortSignal } = {}) {
      const place = path.join(folder, file)
      await writeFile(place, codeOf(id, url))
      const ended = await runToEnd([...command, place], {
        cwd,
        env: { STORE_EXPORT_KEY: key },
        ...(kill ? { kill } : {}),
      })
      const rows = await readFile(path.join(cwd, 'orders.jsonl'), 'utf8').catch(() => '')
      const state = await readFile(path.join(cwd, 'orders.state'), 'utf8').catch(() => 'null')
      return { ...ended, rows, state: JSON.parse(state) }
    }

    test(`[SYNC-1, PAG-2] the first run of ${file} writes all orders, and after a 429 it waits as long as Retry-After says`, async () => {
      const { code, stdout, stderr, rows, state } = await run(proxy.url)
      expect([code, stdout]).toEqual([0, ''])
      expect(stderr).toContain('640 orders; the next run requests changes since 20')
      expect(linesOf(rows)).toEqual(await served('1970-01-01T00:00:00Z'))
      expect(state).toEqual({ since: expect.stringMatching(/^20.*Z$/), cursor: null, bytes: Buffer.byteLength(rows) })
      const { seen } = proxy
      expect(seen.map(({ status }) => status)).toEqual([200, 429, 200, 502, 200])
      const waited = (place: number) => (seen[place + 1]?.at ?? 0) - (seen[place]?.at ?? 0)
      expect(waited(1)).toBeGreaterThanOrEqual(3000)
      expect(waited(3)).toBeGreaterThanOrEqual(1000)
      for (const { query } of seen)
        expect([query.get('limit'), query.get('updated_since')]).toEqual(['250', '1970-01-01T00:00:00Z'])
      expect(seen.map(({ query }) => query.has('cursor'))).toEqual([false, true, true, true, true])
    })

    test(`[SYNC-1, SYNC-2] the second run of ${file} appends only the orders that changed since the first run`, async () => {
      const first = await run(platform.service.url)
      const [changed] = await store.sql`
        update orders set tracking_number = ${id} where id = (select id from orders order by id limit 1) returning id`
      const second = await run(proxy.url)
      expect(second.code).toBe(0)
      expect(second.rows.startsWith(first.rows)).toBe(true)
      const added = linesOf(second.rows.slice(first.rows.length))
      expect(added.map((order) => order.id)).toContain(changed?.id)
      expect(added.length).toBeLessThan(SIZE.orders)
      expect(proxy.seen[0]?.query.get('updated_since')).toBe(first.state.since)
      expect(second.state.since > first.state.since).toBe(true)
    })

    test(`[SYNC-3] if ${file} is killed, the next run removes an incomplete line and completes the file without duplicates`, async () => {
      const hanging = await startBusyProxy(platform.service.url, new Map([[2, { status: 0, code: '' }]]))
      const kill = new AbortController()
      const running = run(hanging.url, { kill: kill.signal })
      await expect.poll(() => hanging.seen.length, { timeout: 20_000 }).toBe(3)
      kill.abort()
      // A child process of the program can still wait for the response.
      await hanging.close()
      const killed = await running
      expect(killed.code).not.toBe(0)
      expect(linesOf(killed.rows)).toHaveLength(500)
      expect(killed.state.since).toBe('1970-01-01T00:00:00Z')
      await appendFile(path.join(cwd, 'orders.jsonl'), '{"id":"half of a li')
      const { code, rows } = await run(platform.service.url)
      expect(code).toBe(0)
      expect(linesOf(rows)).toEqual(await served('1970-01-01T00:00:00Z'))
    })

    test(`if the API rejects the cursor that ${file} stored, the script reads all orders from the beginning`, async () => {
      const state = { since: '1970-01-01T00:00:00Z', cursor: 'nonsense', bytes: 0 }
      await writeFile(path.join(cwd, 'orders.state'), JSON.stringify(state))
      await writeFile(path.join(cwd, 'orders.jsonl'), '')
      const { code, rows } = await run(platform.service.url)
      expect(code).toBe(0)
      expect(linesOf(rows)).toHaveLength(SIZE.orders)
    })

    test(`if orders.jsonl was deleted, ${file} reads all orders again`, async () => {
      await run(platform.service.url)
      await rm(path.join(cwd, 'orders.jsonl'))
      expect(linesOf((await run(platform.service.url)).rows)).toHaveLength(SIZE.orders)
    })

    test(`if the connection is refused, ${file} retries three times, then exits with code 1 and one error message`, async () => {
      const server = await startBusyProxy(platform.service.url, new Map())
      await server.close()
      const { code, stdout, stderr, rows } = await run(server.url)
      expect([code, stdout, rows]).toEqual([1, '', ''])
      const lines = stderr.trim().split('\n')
      expect(lines).toHaveLength(4)
      expect(lines.slice(0, 3).map((line) => line.split(':')[0])).toEqual(['waits 1 s', 'waits 2 s', 'waits 4 s'])
      expect(lines[3]).toMatch(/^stopped: no response from http:.*(?:refused|Connection|connect|ECONNREFUSED)/)
    })

    test(`[SYNC-3, AUTH-6] if the key is invalid, ${file} exits with code 1, prints the API's error, and writes no rows`, async () => {
      const { code, stdout, stderr, rows } = await run(platform.service.url, { key: `${store.key}x` })
      expect([code, stdout, rows]).toEqual([1, '', ''])
      expect(stderr).toMatch(/^stopped: status 401: .*INVALID_API_KEY.*\n$/)
    })
  })
}

describe('the recipes', () => {
  test("each recipe on the Recipes page contains the service's URL, and neither a placeholder URL nor a key", () => {
    const recipes = recipesFor("https://export.example.org/it's/")
    expect(recipes.map(({ id }) => id)).toEqual(['curl', 'typescript', 'python', 'google-sheets', 'power-query', 'n8n'])
    for (const { code, title } of recipes) {
      expect(code).toContain('https://export.example.org/it%27s')
      expect(code).not.toMatch(/api\.example\.com|sdx_/)
      expect(title.length).toBeGreaterThan(2)
    }
  })
})
