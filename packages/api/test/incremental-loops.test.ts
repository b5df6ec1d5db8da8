// Runs the loops of docs/api/incremental-sync.md.

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'

const run = promisify(execFile)
const DOCUMENT = new URL('../../../docs/api/incremental-sync.md', import.meta.url)
const LANGUAGES = ['python', 'js', 'php', 'csharp', 'ruby'] as const

let platform: TestPlatform
let store: TestStore
let folder: string
beforeAll(async () => {
  platform = await startPlatform()
  store = await platform.provision()
  folder = await mkdtemp(path.join(os.tmpdir(), 'store-export-loop-'))
})
afterAll(async () => {
  await platform.close()
  await rm(folder, { recursive: true, force: true })
})

async function loopIn(language: (typeof LANGUAGES)[number]): Promise<string> {
  const document = await readFile(DOCUMENT, 'utf8')
  return new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(document)?.[1] ?? ''
}

test.each(LANGUAGES)('the example loop for incremental sync in %s has six lines', async (language) => {
  expect((await loopIn(language)).trimEnd().split('\n')).toHaveLength(6)
})

/** The functions `load`, `save`, `upsert` and `get` of the page. They store the state and the copy in a file. */
const PRELUDES = {
  js: `import { readFileSync, writeFileSync } from 'node:fs'
const [file, url, key] = process.argv.slice(2)
const state = JSON.parse(readFileSync(file, 'utf8'))
const keep = () => writeFileSync(file, JSON.stringify(state))
const load = (name) => state.since[name] ?? {}
const save = (name, since) => { state.since[name] = since; keep() }
const upsert = (name, rows) => { for (const row of rows) state.rows[row.id] = row; keep() }
const get = async (path, query) => {
  const given = Object.entries(query).filter(([, value]) => value !== '')
  const response = await fetch(url + path + '?' + new URLSearchParams(given), { headers: { 'x-api-key': key } })
  if (response.status !== 200) throw new Error(await response.text())
  return { json: await response.json(), headers: response.headers }
}
`,
  python: `import json, sys, types, urllib.parse, urllib.request
file, url, key = sys.argv[1:4]
state = json.load(open(file))
def keep(): json.dump(state, open(file, "w"))
def load(name): return state["since"].get(name, {})
def save(name, since): state["since"][name] = since; keep()
def upsert(name, rows):
    for row in rows: state["rows"][row["id"]] = row
    keep()
def get(path, **query):
    given = urllib.parse.urlencode({name: value for name, value in query.items() if value != ""})
    request = urllib.request.Request(url + path + "?" + given, headers={"x-api-key": key})
    with urllib.request.urlopen(request) as response:
        return types.SimpleNamespace(json=json.load(response), headers=response.headers)
`,
} as const

const hasPython = await run('python3', ['--version']).then(
  () => true,
  () => false,
)

const RUNNABLE = [
  { language: 'js', program: process.execPath, file: 'loop.mjs' },
  ...(hasPython ? [{ language: 'python', program: 'python3', file: 'loop.py' } as const] : []),
] as const

test.each(RUNNABLE)(
  '[SYNC-2] if the schema version is launch, each run of the example loop in $language uses created_since and copies the new customers',
  async ({ language, program, file }) => {
    const launch = await platform.provision('launch')
    const state = path.join(folder, `${language}-launch.json`)
    await writeFile(state, '{"since":{},"rows":{}}')
    const loop = (await loopIn(language)).replaceAll('orders', 'customers')
    await writeFile(path.join(folder, file), PRELUDES[language] + loop)
    for (const day of [1, 2, 3]) {
      await launch.sql`
        insert into customers (id, email) select gen_random_uuid(), ${day}::text || '-' || n || '@example.com'
        from generate_series(1, 300) n`
      await run(program, [path.join(folder, file), state, platform.service.url, launch.key])
      expect(Object.keys(JSON.parse(await readFile(state, 'utf8')).rows)).toHaveLength(300 * day)
    }
    expect(Object.keys(JSON.parse(await readFile(state, 'utf8')).since.customers)).toEqual(['created_since'])
  },
)

test.each(RUNNABLE)(
  '[SYNC-1, SYNC-2] if orders are added and updated between runs, the next run of the example loop in $language copies these changes',
  async ({ language, program, file }) => {
    const state = path.join(folder, `${language}.json`)
    await writeFile(state, '{"since":{},"rows":{}}')
    await writeFile(path.join(folder, file), PRELUDES[language] + (await loopIn(language)))
    const round = async () => {
      await run(program, [path.join(folder, file), state, platform.service.url, store.key])
      return JSON.parse(await readFile(state, 'utf8')).rows
    }
    const insert = `insert into orders (id, email) select gen_random_uuid(), 'a@example.com' from generate_series(1, 300)`
    await store.sql.unsafe(insert)
    const first = await round()
    await store.sql.unsafe(
      `${insert}; update orders set tracking_number = '${language}' where id = '${Object.keys(first)[0]}'`,
    )
    const rows = await store.sql<
      { id: string; tracking: string | null }[]
    >`select id, tracking_number as tracking from orders`
    const second = await round()
    expect(Object.keys(second)).toHaveLength(rows.length)
    for (const { id, tracking } of rows) expect(second[id].tracking_number).toBe(tracking)
  },
)

test.runIf(hasPython)(
  '[SYNC-1, SYNC-2] if one of 300 copied orders changes, the next run of the example program in Python reads only this order',
  async () => {
    const document = await readFile(DOCUMENT, 'utf8')
    const program = /```python\n(import [\s\S]*?)```/.exec(document)?.[1] ?? ''
    const { key, sql } = await platform.provision()
    await sql`insert into orders (id, email) select gen_random_uuid(), 'a@example.com' from generate_series(1, 300)`
    await writeFile(path.join(folder, 'sync_orders.py'), program)
    const round = async () => {
      const env = { ...process.env, BASE_URL: platform.service.url, STORE_EXPORT_KEY: key }
      return (await run('python3', ['sync_orders.py'], { cwd: folder, env })).stdout
    }
    expect(await round()).toBe('orders read: 300, orders in the copy: 300\n')
    await expect.poll(round).toBe('orders read: 0, orders in the copy: 300\n')
    await sql`update orders set status = 'paid' where id = (select min(id::text)::uuid from orders)`
    expect(await round()).toBe('orders read: 1, orders in the copy: 300\n')
  },
)
