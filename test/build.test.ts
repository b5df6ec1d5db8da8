// What `npm run build` makes, in a folder that no node_modules is above: it is the whole service, and it is small.

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LATEST_REVISION } from '@store-export/contract'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import {
  dropAfterTest,
  newSecret,
  openClientForTest,
  type ProcessOptions,
  type RunningCommand,
  runCommand,
  SLOW_TEST_TIMEOUTS,
  startCommand,
} from '../packages/operator/test/support/command-process.ts'
import { createDatabase } from './support/databases.ts'
import { PlainBrowser } from './support/merchant.ts'
import { startPlatform } from './support/platform.ts'

vi.setConfig(SLOW_TEST_TIMEOUTS)

const REST_MS = 5000
const RESIDENT_KIBIBYTES_MAX = 90 * 1024

const command = inject('builtCommand')
const folder = path.dirname(command)

/** The built command on a control database of its own, which it has migrated. */
async function built(): Promise<Required<Pick<ProcessOptions, 'program' | 'settings'>> & ProcessOptions> {
  const control = await createDatabase()
  onTestFinished(() => control.drop())
  const circumstances = {
    program: [command],
    folder,
    environment: { NODE_DISABLE_COMPILE_CACHE: '1' },
    settings: { DATABASE_URL: control.url, SECRET: newSecret(), PORT: '0', DASHBOARD_PORT: '0', OPERATIONS_PORT: '0' },
  }
  expect((await runCommand(['migrate'], circumstances)).stderr).toMatch(/^Applied: 001-/)
  return circumstances
}

async function addressOf(service: RunningCommand, listener: string): Promise<string> {
  const [, url = ''] = await service.waitForOutput(new RegExp(`"listener":"${listener}","address":"(http:[^"]+)"`))
  return url
}

/** An answer with its bytes, as far as it is the same on every service. */
async function ask(url: string) {
  const response = await fetch(url)
  const bytes = Buffer.from(await response.arrayBuffer())
  const type = response.headers.get('content-type')
  return { status: response.status, type, length: bytes.length, base64: bytes.toString('base64') }
}

/** Scripts, styles and pictures of ours that a page refers to. */
async function filesOf(page: string): Promise<string[]> {
  const text = await (await fetch(page)).text()
  return [...new Set([...text.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css|svg))"/g)].map(([, file = '']) => file))]
}

test('serves the documents and files of both listeners with the bytes that the source serves', async () => {
  // documents name the address at which the API was asked, unless it has a public one
  const PUBLIC_URL = 'https://export.example.com'
  const source = await startPlatform({ PUBLIC_URL }, { dashboard: true })
  onTestFinished(() => source.close())
  const circumstances = await built()
  const settings = { ...circumstances.settings, PUBLIC_URL }
  const service = startCommand(['serve', '--dashboard'], { ...circumstances, settings })
  const listeners = [
    [source.service.url, await addressOf(service, 'api'), '/docs', ['/docs', '/openapi.json', '/llms.txt'], 2],
    [source.service.dashboardUrl ?? '', await addressOf(service, 'dashboard'), '/sign-in', ['/favicon.ico'], 4],
  ] as const
  for (const [ofSource, ofBuild, page, others, filesCount] of listeners) {
    expect((await fetch(ofBuild + page)).status).toBe(200)
    const files = await filesOf(ofSource + page)
    expect(files).toHaveLength(filesCount)
    expect(await filesOf(ofBuild + page)).toEqual(files)
    for (const file of [...others, ...files]) {
      const answer = await ask(ofBuild + file)
      expect(answer, file).toMatchObject({ status: 200 })
      expect(answer, file).toEqual(await ask(ofSource + file))
    }
  }
  expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null })
})

test('its commands make a store, a key and a merchant, who reads all recipes; errors keep their names', async () => {
  const circumstances = await built()
  const json = async (...words: string[]) => {
    const ended = await runCommand([...words, '--json'], circumstances)
    expect(ended, ended.stderr).toMatchObject({ code: 0 })
    return ended.json
  }
  const store = await json('stores', 'provision', '--name', 'S', '--revision', LATEST_REVISION)
  dropAfterTest(store.id)
  const { key } = await json('keys', 'create', '--store', store.id, '--name', 'k')
  await json('merchants', 'add', '--email', 'owner@shop.example', '--store', store.id)
  const link = await json('merchants', 'link', '--email', 'owner@shop.example')
  expect((await json('doctor')).stores).toHaveLength(1)

  const service = startCommand(['serve', '--dashboard'], circumstances)
  const api = await addressOf(service, 'api')
  const get = (name: string, value: string) => fetch(`${api}/api/v1/${name}`, { headers: { 'x-api-key': value } })
  expect((await get('store', `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`)).status).toBe(401)
  expect(await (await get('orders', key)).json()).toMatchObject({ data: [], meta: { has_more: false } })

  const merchant = new PlainBrowser(await addressOf(service, 'dashboard'))
  const { pathname } = new URL(link.url)
  const token = pathname.replace('/link/', '')
  expect((await merchant.send(pathname, '/link', { token })).status).toBe(303)
  const recipes = await merchant.get(`/stores/${store.id}/recipes`)
  expect(recipes.status).toBe(200)
  expect(recipes.text.split(api).length).toBeGreaterThan(6)

  await openClientForTest(circumstances.settings.DATABASE_URL ?? '')`alter table api_keys rename to keys_elsewhere`
  expect((await get('store', key)).status).toBe(502)
  await service.waitForOutput(/"event":"control.query_failed".*"cause":\{"name":"PostgresError","code":"42P01"/)
})

test('demo says that PostgreSQL is not part of it, and every package in it has its licence in it', async () => {
  const { program } = await built()
  const demo = await runCommand(['demo'], {
    program,
    folder,
    settings: { PORT: '0', DASHBOARD_PORT: '0', OPERATIONS_PORT: '0' },
  })
  expect(demo.code).toBe(1)
  expect(demo.stderr).toMatch(/store-export: The PostgreSQL binaries are missing: run "npm install" [^\n]+\n$/)
  const licenses = await readFile(path.join(folder, 'THIRD-PARTY-LICENSES.txt'), 'utf8')
  for (const name of ['better-auth', 'commander', 'hono', 'htmx.org', 'kysely', 'prom-client', 'zod'])
    expect(licenses).toMatch(new RegExp(`^${name} [\\d.]+: [\\w.-]+$`, 'm'))
  // postgres.js is a dependency of store-sync and of tests only
  expect(licenses).not.toMatch(/^postgres \d/m)
  expect(licenses.match(/Its package has no license text/g) ?? []).toHaveLength(1)
})

// what is resident depends on Node's own code, too: the number is that of the Node of the Dockerfile
const isMeasured = process.platform === 'linux' && process.version.startsWith('v24.21.')

test.runIf(isMeasured)('at rest the service keeps 90 MiB at most', async () => {
  const service = startCommand(['serve'], await built())
  await addressOf(service, 'api')
  await sleep(REST_MS)
  const status = await readFile(`/proc/${service.process.pid}/status`, 'utf8')
  const [, resident] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? []
  expect(Number(resident)).toBeGreaterThan(0)
  expect(Number(resident)).toBeLessThanOrEqual(RESIDENT_KIBIBYTES_MAX)
})
