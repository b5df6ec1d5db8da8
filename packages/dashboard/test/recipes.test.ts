import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from '../../api/test/support/demo.ts'
import { recipesFor } from '../src/recipes/recipes.ts'
import { type BusyProxy, isInstalled, type Refusal, runToEnd, startBusyProxy } from './recipes-support.ts'

const SIZE = { orders: 640, customers: 60, products: 30, locations: 2, groups: 2 }
const BUSY: ReadonlyMap<number, Refusal> = new Map([
  [1, { status: 429, code: 'RATE_LIMITED', headers: { 'Retry-After': '1' } }],
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
  store = await filledStore(platform, 'v1.6', SIZE)
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

/** What a program says at its end. */
const NEXT_RUN = /^next run: \S+ \S+ (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\n$/

const parsedLines = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

for (const { id, command, file, needs } of PROGRAMS) {
  const missing = needs.find((program) => !isInstalled(program))
  const title = missing === undefined ? `the recipe for ${id}` : `the recipe for ${id} (not run: ${missing} is absent)`
  describe.skipIf(missing !== undefined)(title, () => {
    async function run(url: string, { since = [], key = store.key }: { since?: string[]; key?: string } = {}) {
      const place = path.join(folder, file)
      await writeFile(place, codeOf(id, url))
      return runToEnd([...command, place, ...since], { env: { STORE_EXPORT_KEY: key } })
    }

    test('[SYNC-1, PAG-2] walks all pages, and waits as long as the service says', async () => {
      const { code, stdout, stderr } = await run(proxy.url)
      expect(code).toBe(0)
      expect(stderr).toMatch(NEXT_RUN)
      expect(parsedLines(stdout)).toEqual(await served('1970-01-01T00:00:00Z'))
      const { seen } = proxy
      expect(seen.map(({ status }) => status)).toEqual([200, 429, 200, 502, 200])
      const waited = (place: number) => (seen[place + 1]?.at ?? 0) - (seen[place]?.at ?? 0)
      for (const place of [1, 3]) expect(waited(place)).toBeGreaterThanOrEqual(1000)
      for (const { query } of seen)
        expect([query.get('limit'), query.get('updated_since')]).toEqual(['250', '1970-01-01T00:00:00Z'])
      expect(seen.map(({ query }) => query.has('cursor'))).toEqual([false, true, true, true, true])
    })

    test('[SYNC-2] asks for what changed since a moment, also one with an offset', async () => {
      const changes = (await served('1970-01-01T00:00:00Z')).map(({ updated_at }) => updated_at).sort()
      const middle = String(changes[Math.floor(changes.length / 2)])
      const since = new Date(Date.parse(middle) + 2 * 3600_000).toISOString().replace('Z', '+02:00')
      const { code, stdout } = await run(platform.service.url, { since: [since] })
      expect(code).toBe(0)
      expect(parsedLines(stdout)).toEqual(await served(middle))
    })

    test('[SYNC-1, SYNC-2] names the moment to give to the next run, which brings what changed meanwhile', async () => {
      const first = await run(platform.service.url)
      const [changed] = await store.sql`
        update orders set tracking_number = ${id} where id = (select id from orders order by id limit 1) returning id`
      const since = NEXT_RUN.exec(first.stderr)?.[1] ?? ''
      const { code, stdout } = await run(platform.service.url, { since: [since] })
      expect(code).toBe(0)
      expect(parsedLines(stdout).map((order) => order.id)).toContain(changed?.id)
      expect(parsedLines(stdout).length).toBeLessThan(SIZE.orders)
    })

    test('[SYNC-3, AUTH-6] stops with the message of any other error, and prints no row', async () => {
      const { code, stdout, stderr } = await run(platform.service.url, { key: `${store.key}x` })
      expect(code).not.toBe(0)
      expect(stdout).toBe('')
      expect(stderr).toContain('INVALID_API_KEY')
    })
  })
}

describe('the recipes', () => {
  test('hold the address of the service in place of the example, and no key', () => {
    const recipes = recipesFor("https://export.example.org/it's/")
    expect(recipes.map(({ id }) => id)).toEqual(['curl', 'typescript', 'python', 'google-sheets', 'power-query', 'n8n'])
    for (const { code, note, title } of recipes) {
      expect(code).toContain('https://export.example.org/it%27s')
      expect(code).not.toMatch(/api\.example\.com|sdx_/)
      expect([note, title].every((text) => text.length > 2)).toBe(true)
    }
  })

  test('for Power Query closes what it opens (it cannot be run here)', () => {
    const code = codeOf('power-query', 'https://export.example.org').replaceAll(/\/\/ .*$/gm, '')
    const bare = code.replaceAll(/"(?:[^"]|"")*"/g, '""')
    const open: string[] = []
    const closing: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{', in: 'let' }
    for (const [word] of bare.matchAll(/[([{)\]}]|\b(?:let|in)\b/g)) {
      const opener = closing[word]
      if (opener === undefined) open.push(word)
      else expect(open.pop(), `before ${word}`).toBe(opener)
    }
    expect(open).toEqual([])
    expect(bare.match(/"/g)?.length ?? 0).toBe((bare.match(/""/g)?.length ?? 0) * 2)
  })
})
