// Tests the published package in a folder where nothing else is installed.

import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  compileBeside,
  type Installed,
  installPacked,
  lintPackage,
  MACHINE_NODE,
  PATIENCE,
} from '../../../test/support/packing.ts'
import { type AdminScene, startAdminScene } from '../../operator/test/support/admin-scene.ts'

vi.setConfig(PATIENCE)

const run = promisify(execFile)

let scene: AdminScene
let installed: Installed
beforeAll(async () => {
  scene = await startAdminScene()
  installed = await installPacked('admin-client')
})
afterAll(async () => {
  await installed.remove()
  await scene.close()
})

const PROGRAM = `
import { AdminClient } from '@store-export/admin-client'
const admin = new AdminClient({ url: process.env.ADMIN_URL, token: process.env.ADMIN_TOKEN })
const store = { name: 'Shop', external_id: 'packed', state: 'generating', keys: [{ name: 'Stock' }] }
const results = []
for await (const { status, store: { keys } } of admin.createStores([store])) results.push({ status, keys: keys.length })
const { name } = await admin.getStore('packed')
console.log(JSON.stringify({ name, results }))
`

async function runWith(node: string) {
  await writeFile(path.join(installed.folder, 'program.js'), PROGRAM)
  const env = { ADMIN_URL: scene.url, ADMIN_TOKEN: scene.token.text }
  const { stdout } = await run(node, ['program.js'], { cwd: installed.folder, env })
  return JSON.parse(stdout)
}

test('if the admin client package is installed in an empty folder, a program can create and read a store with the package', async () => {
  expect(await runWith(process.execPath)).toEqual({ name: 'Shop', results: [{ status: 201, keys: 1 }] })
})

test.skipIf(MACHINE_NODE === undefined)(
  'a program with the admin client package also runs in the Node.js version that is installed on the machine',
  async () => {
    expect(await runWith(MACHINE_NODE ?? '')).toEqual({ name: 'Shop', results: [{ status: 200, keys: 1 }] })
  },
)

test('the admin client package contains only built files, LICENSE, README.md, and package.json, and has no dependencies', () => {
  const { files, manifest } = installed.package('admin-client')
  expect(files.filter((file) => !/^dist\/.*(?:\.d\.ts|\.js)$/.test(file))).toEqual([
    'LICENSE',
    'README.md',
    'package.json',
  ])
  expect(Object.keys(manifest)).not.toContain('dependencies')
  expect(Object.keys(manifest)).not.toContain('scripts')
  const repository = { type: 'git', url: 'git+https://github.com/owner/name.git', directory: 'packages/admin-client' }
  expect(manifest).toMatchObject({ repository })
})

test('if code calls the admin client without a store name, with an unknown role, or with minutes as a string, TypeScript reports an error', async () => {
  const source = `
import { AdminApiError, AdminClient, AdminConnectionError, type CreatedStore } from '@store-export/admin-client'
const admin = new AdminClient({ url: 'https://admin.example.com', token: 't' })
export async function open(name: string): Promise<[CreatedStore, string]> {
  const store = await admin.createStore({ name, provision: { revision: 'v1.6' }, keys: [{ name: 'Stock' }] })
  await admin.setMember(store.id, 'owner@shop.example', { role: 'admin' })
  const { url } = await admin.createSignInLink('owner@shop.example', { minutes: 5 })
  return [store, url]
}
export const isKnown = (error: unknown) => error instanceof AdminApiError ? error.code : error instanceof AdminConnectionError
// @ts-expect-error a store has a name
admin.createStore({ external_id: 'shop-42' })
// @ts-expect-error no role has this name
admin.setMember('shop-42', 'owner@shop.example', { role: 'owner' })
// @ts-expect-error minutes are a number
admin.createSignInLink('owner@shop.example', { minutes: '5' })
`
  expect(await compileBeside(installed, source, ['--target', 'es2022', '--lib', 'es2022,dom'])).toBe('')
})

test('publint and are-the-types-wrong find no problem in the admin client package', async () => {
  expect(await lintPackage(installed.package('admin-client'))).toEqual([])
})
