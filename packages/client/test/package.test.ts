// The client as it is published: built JavaScript with types, in a folder where nothing else is installed.

import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { publint } from 'publint'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Installed, installPacked } from '../../../test/support/packing.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'

const run = promisify(execFile)
const ROOT = path.resolve(import.meta.dirname, '..', '..', '..')
const SIZE_MAX = 8 * 1024

let platform: TestPlatform
let store: TestStore
let installed: Installed
let own: string
beforeAll(async () => {
  platform = await startPlatform()
  store = await platform.provision()
  installed = await installPacked('client')
  own = path.join(installed.folder, 'node_modules', '@store-export', 'client')
}, 60_000)
afterAll(async () => {
  await installed.remove()
  await platform.close()
})

const PROGRAM = `
import { StoreExportClient } from '@store-export/client'
const client = new StoreExportClient({ url: process.env.STORE_EXPORT_URL, key: process.env.STORE_EXPORT_KEY })
const { id } = await client.store.get()
let orders = 0
for await (const order of client.orders.list()) orders += 1
console.log(JSON.stringify({ id, orders, node: process.version }))
`

async function runWith(node: string) {
  await writeFile(path.join(installed.folder, 'program.js'), PROGRAM)
  const env = { STORE_EXPORT_URL: platform.service.url, STORE_EXPORT_KEY: store.key }
  const { stdout } = await run(node, ['program.js'], { cwd: installed.folder, env })
  return JSON.parse(stdout)
}

test('runs where nothing else is installed', async () => {
  expect(await runWith(process.execPath)).toMatchObject({ id: store.id, orders: 0 })
})

const OLDER = ['/usr/bin/node', '/usr/local/bin/node'].find((file) => existsSync(file))

test.skipIf(OLDER === undefined)('runs on the Node of the machine, which may be as old as 20', async () => {
  expect(await runWith(OLDER ?? '')).toMatchObject({ id: store.id, orders: 0 })
})

test('has nothing in it but what is needed, and is small', async () => {
  const files = globSync('**/*', { cwd: own, withFileTypes: true }).filter((entry) => entry.isFile())
  const kinds = new Set(files.map(({ name }) => name.replace(/^[^.]+/, '')))
  expect([...kinds].toSorted()).toEqual(['', '.d.ts', '.js', '.json', '.md'].filter((kind) => kinds.has(kind)))
  const manifest = JSON.parse(readFileSync(path.join(own, 'package.json'), 'utf8'))
  expect(Object.keys(manifest)).not.toContain('dependencies')
  expect(Object.keys(manifest)).not.toContain('scripts')
  const code = globSync('dist/**/*.js', { cwd: own }).map((file) => readFileSync(path.join(own, file)))
  expect(gzipSync(Buffer.concat(code), { level: 9 }).length).toBeLessThan(SIZE_MAX)
})

test('its types tell what is there and what is not', async () => {
  const source = `
import { ConnectionError, type Order, StoreExportClient, StoreExportError } from '@store-export/client'
const client = new StoreExportClient({ url: 'https://export.example.com', key: 'k', onPause: ({ reason, ms }) => void [reason, ms] })
export async function totals(): Promise<string[]> {
  const orders: Order[] = []
  for await (const { rows, cursor } of client.orders.list({ updatedSince: new Date(), status: 'paid' }).pages()) orders.push(...rows)
  const [address] = await client.customers.addresses('id')
  return orders.map(({ total, items }) => total + items.length + (address?.city ?? ''))
}
export const isKnown = (error: unknown) => error instanceof StoreExportError ? error.code : error instanceof ConnectionError
// @ts-expect-error products have no createdSince
client.products.list({ createdSince: new Date() })
// @ts-expect-error locations have no method for one
client.locations.get('id')
// @ts-expect-error a total is a text, never a float
export const wrong = (order: Order): number => order.total
`
  await writeFile(path.join(installed.folder, 'types.ts'), source)
  const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    'es2022,dom',
  ]
  const { stdout } = await run(process.execPath, [tsc, ...options, 'types.ts'], { cwd: installed.folder }).catch(
    (error: { stdout: string }) => error,
  )
  expect(stdout).toBe('')
})

test('publint and are-the-types-wrong find nothing', async () => {
  const { messages } = await publint({ pkgDir: own, level: 'suggestion' })
  expect(messages).toEqual([])
  const attw = path.join(ROOT, 'node_modules', '@arethetypeswrong', 'cli', 'dist', 'index.js')
  const { stdout } = await run(process.execPath, [attw, installed.tarball, '--profile', 'esm-only', '--format', 'json'])
  expect(JSON.parse(stdout).analysis.types).toBeTruthy()
})
