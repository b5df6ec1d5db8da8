// Tests the bundle of `npm run build` in a folder without node_modules. The bundle must be complete and small.

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

const IDLE_MS = 5000
const RESIDENT_KIBIBYTES_MAX = 90 * 1024

const command = inject('builtCommand')
const folder = path.dirname(command)

/** Returns options for the built command on its own control database, which the command has migrated. */
async function builtCommand(): Promise<Required<Pick<ProcessOptions, 'program' | 'settings'>> & ProcessOptions> {
  const control = await createDatabase()
  onTestFinished(() => control.drop())
  const options = {
    program: [command],
    folder,
    environment: { NODE_DISABLE_COMPILE_CACHE: '1' },
    settings: { DATABASE_URL: control.url, SECRET: newSecret(), PORT: '0', DASHBOARD_PORT: '0', OPERATIONS_PORT: '0' },
  }
  expect((await runCommand(['migrate'], options)).stderr).toMatch(/^Applied: 001-/)
  return options
}

async function addressOf(service: RunningCommand, listener: string): Promise<string> {
  const [, url = ''] = await service.waitForOutput(new RegExp(`"listener":"${listener}","address":"(http:[^"]+)"`))
  return url
}

/** Returns the parts of a response that are the same on every service, with its bytes. */
async function fetchBytes(url: string) {
  const response = await fetch(url)
  const bytes = Buffer.from(await response.arrayBuffer())
  const type = response.headers.get('content-type')
  return { status: response.status, type, length: bytes.length, base64: bytes.toString('base64') }
}

/** Returns the paths of the scripts, styles, and pictures that a page loads from its own host. */
async function filesOf(page: string): Promise<string[]> {
  const text = await (await fetch(page)).text()
  return [...new Set([...text.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css|svg))"/g)].map(([, file = '']) => file))]
}

test('the bundled service serves the same documents and files as the service that runs from source', async () => {
  // Without a public URL, documents contain the address of the request.
  const PUBLIC_URL = 'https://export.example.com'
  const source = await startPlatform({ PUBLIC_URL }, { dashboard: true })
  onTestFinished(() => source.close())
  const options = await builtCommand()
  const settings = { ...options.settings, PUBLIC_URL }
  const service = startCommand(['serve', '--dashboard'], { ...options, settings })
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
      const response = await fetchBytes(ofBuild + file)
      expect(response, file).toMatchObject({ status: 200 })
      expect(response, file).toEqual(await fetchBytes(ofSource + file))
    }
  }
  expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null })
})

test('the bundled service serves the API and the dashboard, and logs a database error with its class name', async () => {
  const options = await builtCommand()
  const json = async (...parameters: string[]) => {
    const ended = await runCommand([...parameters, '--json'], options)
    expect(ended, ended.stderr).toMatchObject({ code: 0 })
    return ended.json
  }
  const store = await json('stores', 'provision', '--name', 'S', '--revision', LATEST_REVISION)
  dropAfterTest(store.id)
  const { key } = await json('keys', 'create', '--store', store.id, '--name', 'k')
  await json('merchants', 'add', '--email', 'owner@shop.example', '--store', store.id)
  const link = await json('merchants', 'link', '--email', 'owner@shop.example')
  expect((await json('doctor')).stores).toHaveLength(1)

  const service = startCommand(['serve', '--dashboard'], options)
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

  await openClientForTest(options.settings.DATABASE_URL ?? '')`alter table api_keys rename to keys_elsewhere`
  expect((await get('store', key)).status).toBe(502)
  await service.waitForOutput(/"event":"control.query_failed".*"cause":\{"name":"PostgresError","code":"42P01"/)
})

test('if the PostgreSQL binaries are not installed, the bundled demo says to run npm install', async () => {
  const { program } = await builtCommand()
  const demo = await runCommand(['demo'], {
    program,
    folder,
    settings: { PORT: '0', DASHBOARD_PORT: '0', OPERATIONS_PORT: '0' },
  })
  expect(demo.code).toBe(1)
  expect(demo.stderr).toMatch(/store-export: the PostgreSQL binaries are missing; run "npm install" [^\n]+\n$/)
})

test('the license file of the bundle lists bundled packages such as hono, and does not list postgres.js', async () => {
  const licenses = await readFile(path.join(folder, 'THIRD-PARTY-LICENSES.txt'), 'utf8')
  for (const name of ['better-auth', 'commander', 'hono', 'htmx.org', 'kysely', 'prom-client', 'zod'])
    expect(licenses).toMatch(new RegExp(`^${name} [\\d.]+: [\\w.-]+$`, 'm'))
  // Only store-sync and tests depend on postgres.js.
  expect(licenses).not.toMatch(/^postgres \d/m)
  expect(licenses.match(/Its package has no license text/g) ?? []).toHaveLength(1)
})

// Resident memory depends on the version of Node.js, so the limit holds for that of the Dockerfile.
const isMeasured = process.platform === 'linux' && process.version.startsWith('v24.21.')

test.runIf(isMeasured)(
  'if the built service has been idle for 5 s, it uses at most 90 MiB of resident memory',
  async () => {
    const service = startCommand(['serve'], await builtCommand())
    await addressOf(service, 'api')
    await sleep(IDLE_MS)
    const status = await readFile(`/proc/${service.process.pid}/status`, 'utf8')
    const [, resident] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? []
    expect(Number(resident)).toBeGreaterThan(0)
    expect(Number(resident)).toBeLessThanOrEqual(RESIDENT_KIBIBYTES_MAX)
  },
)
