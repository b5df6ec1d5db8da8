// Tests the published package in a folder where nothing else is installed.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  compileBeside,
  type Installed,
  installPacked,
  lintPackage,
  MACHINE_NODE,
  PATIENCE,
} from '../../../test/support/packing.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'

vi.setConfig(PATIENCE)

const run = promisify(execFile)
const SIZE_MAX = 8 * 1024

let platform: TestPlatform
let store: TestStore
let installed: Installed
beforeAll(async () => {
  platform = await startPlatform()
  store = await platform.provision()
  installed = await installPacked('client')
})
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

test('if the client package is installed in an empty folder, a program can read orders with the package', async () => {
  expect(await runWith(process.execPath)).toMatchObject({ id: store.id, orders: 0 })
})

test.skipIf(MACHINE_NODE === undefined)(
  'a program with the client package also runs in the Node.js version that is installed on the machine',
  async () => {
    expect(await runWith(MACHINE_NODE ?? '')).toMatchObject({ id: store.id, orders: 0 })
  },
)

test('the client package contains only built files, LICENSE, README.md, and package.json, and its code compresses to less than 8 KiB', async () => {
  const { files, folder, manifest } = installed.package('client')
  expect(files.filter((file) => !/^dist\/.*(?:\.d\.ts|\.js)$/.test(file))).toEqual([
    'LICENSE',
    'README.md',
    'package.json',
  ])
  expect(Object.keys(manifest)).not.toContain('dependencies')
  expect(Object.keys(manifest)).not.toContain('scripts')
  const code = files.filter((file) => file.endsWith('.js')).map((file) => readFileSync(path.join(folder, file)))
  expect(gzipSync(Buffer.concat(code), { level: 9 }).length).toBeLessThan(SIZE_MAX)
})

test('package.json of the client names the homepage, the issue tracker, and the repository', () => {
  expect(installed.package('client').manifest).toMatchObject({
    homepage: 'https://github.com/owner/name/tree/HEAD/packages/client#readme',
    repository: { type: 'git', url: 'git+https://github.com/owner/name.git', directory: 'packages/client' },
    bugs: { url: 'https://github.com/owner/name/issues' },
  })
})

test('if a program uses a method or an option that the client does not have, TypeScript reports an error', async () => {
  const source = `
import { ConnectionError, type Order, StoreExportClient, StoreExportError } from '@store-export/client'
const client = new StoreExportClient({ url: 'https://export.example.com', key: 'k', onPause: ({ reason, ms }) => void [reason, ms] })
export async function totals(): Promise<string[]> {
  const orders: Order[] = []
  for await (const { rows, cursor } of client.orders.list({ updatedSince: new Date(), status: 'paid' }).pages()) orders.push(...rows)
  const [address] = await client.customers.addresses('id')
  return orders.map(({ total, items }) => total + items.length + (address?.city ?? ''))
}
export async function gone(had: Set<string>): Promise<Set<string>> {
  const changed: (string | null)[] = []
  for await (const { id, updated_at } of client.orders.ids()) if (had.delete(id)) changed.push(updated_at)
  return had
}
// @ts-expect-error pages of IDs have a fixed size
client.orders.ids({ limit: 5 })
// @ts-expect-error addresses have no list of IDs
client.customerAddresses.ids()
export const isKnown = (error: unknown) => error instanceof StoreExportError ? error.code : error instanceof ConnectionError
// @ts-expect-error locations have no createdSince
client.locations.list({ createdSince: new Date() })
// @ts-expect-error locations have no get method
client.locations.get('id')
// @ts-expect-error a total is a string, not a number
export const wrong = (order: Order): number => order.total
`
  expect(await compileBeside(installed, source, ['--target', 'es2022', '--lib', 'es2022,dom'])).toBe('')
})

test('publint and are-the-types-wrong find no problem in the client package', async () => {
  expect(await lintPackage(installed.package('client'))).toEqual([])
})
