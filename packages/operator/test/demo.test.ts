import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rename, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { LATEST_REVISION } from '@store-export/contract'
import { expect, onTestFinished, test, vi } from 'vitest'
import { PlainBrowser } from '../../../test/support/merchant.ts'
import { DEMO_STORES } from '../src/demo/demo-stores.ts'
import { findRunningPostgres, removeEmbeddedPostgres } from '../src/embedded/embedded-postgres.ts'
import {
  type RunningCommand,
  runCommand,
  SLOW_TEST_TIMEOUTS,
  SOURCE_PROGRAM,
  startCommand,
} from './support/command-process.ts'
import { freePort, temporaryFolder } from './support/embedded-server.ts'

vi.setConfig(SLOW_TEST_TIMEOUTS)

const QUIET = { PORT: '0', DASHBOARD_PORT: '0', OPERATIONS_PORT: '0' }
const ENDED = { code: 0, signal: null }
const PROJECT = path.resolve(import.meta.dirname, '..', '..', '..')

/** Creates a folder for the demo. Its databases are removed after the test. */
async function projectFolder(): Promise<string> {
  const folder = path.join(await temporaryFolder(), 'project')
  await mkdir(folder)
  onTestFinished(() => removeEmbeddedPostgres(path.join(folder, '.data')))
  return folder
}

async function factsOf(demo: RunningCommand) {
  const [line] = await demo.waitForOutput(/^\{.*\}$/m)
  return JSON.parse(line)
}

async function startDemo(folder: string) {
  const demo = startCommand(['demo', '--json'], { program: SOURCE_PROGRAM, folder, settings: QUIET })
  return { demo, facts: await factsOf(demo) }
}

/** Signs in to the dashboard with the printed email and password. */
async function expectSignIn(facts: {
  readonly dashboard_url: string
  readonly email: string
  readonly password: string
}) {
  const { email, password } = facts
  const visitor = await new PlainBrowser(facts.dashboard_url).signIn({ email, password })
  expect((await visitor.get('/stores')).text).toContain('Lindwurm')
}

async function statusOf(url: string, key: string): Promise<number> {
  return (await fetch(`${url}/api/v1/orders?limit=2`, { headers: { 'x-api-key': key } })).status
}

/** Runs a shell line in the project's folder, with its copy in `folder`, and returns its standard error. */
async function runLine(line: string, folder: string): Promise<string> {
  const env = { ...process.env, npm_config_offline: 'true' }
  const args = ['-c', line.replace('--to sqlite:', `--to sqlite:${folder}/`)]
  return (await promisify(execFile)('sh', args, { cwd: PROJECT, env })).stderr
}

test('[AUTH-7] if the demo is restarted, its stores are the same, and other commands can read and change these stores', async () => {
  const folder = await projectFolder()
  const demo = startCommand(['demo'], { program: SOURCE_PROGRAM, folder, settings: QUIET })
  const [, key = '', url = ''] = await demo.waitForOutput(
    /curl -H 'x-api-key: (sdx_\w+)' '(http:.*)\/api\/v1\/orders\?limit=2'/,
  )
  expect(await statusOf(url, key)).toBe(200)
  expect((await fetch(`${url}/docs`)).status).toBe(200)
  const { stdout, stderr } = demo.output()
  expect(stdout).toContain(`${url}/docs`)
  expect(stderr).toMatch(/✓ Lindwurm & Tochter: 5,000 orders, v1\.6 +\d+\.\d s/)
  const [syncLine] = await demo.waitForOutput(
    /STORE_EXPORT_KEY=\w+ npx store-sync run --url \S+ --to sqlite:shop\.db$/m,
  )
  expect(await runLine(syncLine, folder)).toContain('shop.db is up to date')
  await demo.waitForOutput(/^ {2}npx store-export demo change$/m)
  const changed = await runCommand(['demo', 'change', '--json'], { program: SOURCE_PROGRAM, folder })
  expect(changed.json).toMatchObject({ store: 'Lindwurm & Tochter', order_id: expect.any(String) })
  const { order_id: orderId, before, status, updated_at: since } = changed.json
  expect(status).not.toBe(before)
  const sync = await fetch(`${url}/api/v1/orders?updated_since=${since}`, { headers: { 'x-api-key': key } })
  expect(await sync.json()).toMatchObject({ data: [{ id: orderId, status, updated_at: since }] })
  expect((await runCommand(['demo', 'change'], { program: SOURCE_PROGRAM, folder })).stdout).toMatch(
    /^Changed order .* to \w+\. The next incremental sync/,
  )

  const listed = await runCommand(['keys', 'list', '--json'], { program: SOURCE_PROGRAM, folder })
  expect(listed.json.keys).toHaveLength(DEMO_STORES.length)
  const { id: keyId, store_id: storeId } = listed.json.keys[0]
  const other = await runCommand(['keys', 'create', '--store', storeId, '--name', 'mine', '--json'], {
    program: SOURCE_PROGRAM,
    folder,
  })
  expect(await statusOf(url, other.json.key)).toBe(200)
  expect((await runCommand(['keys', 'revoke', keyId], { program: SOURCE_PROGRAM, folder })).code).toBe(0)
  expect(await statusOf(url, key)).toBe(401)
  expect((await runCommand(['doctor'], { program: SOURCE_PROGRAM, folder })).code).toBe(0)
  expect(await demo.end('SIGINT')).toEqual(ENDED)
  expect(await findRunningPostgres(path.join(folder, '.data'))).toBeUndefined()
  for (const name of ['secret', 'demo.json']) {
    expect((await stat(path.join(folder, '.data', name))).mode & 0o777).toBe(0o600)
  }

  const second = await startDemo(folder)
  expect(second.facts.key).not.toBe(key)
  expect(second.demo.output().stderr).toBe('')
  await expectSignIn(second.facts)
  const link = await runCommand(['merchants', 'link', '--email', second.facts.email, '--json'], {
    program: SOURCE_PROGRAM,
    folder,
  })
  expect(link.json.url).toMatch(new RegExp(`^${second.facts.dashboard_url}/link/\\w+$`))
  expect((await fetch(link.json.url)).status).toBe(200)
  const states: number[] = []
  for (const store of second.facts.stores) states.push(await statusOf(second.facts.url, store.key))
  expect(states).toEqual([200, 200, 200, 403, 409])
  expect(await statusOf(second.facts.url, other.json.key)).toBe(200)
  expect(
    (await runCommand(['stores', 'remove', second.facts.stores[1].id], { program: SOURCE_PROGRAM, folder })).code,
  ).toBe(0)
  expect(await second.demo.end('SIGTERM')).toEqual(ENDED)

  // After the folder was moved, the demo has its stores without the removed one.
  const moved = `${folder}-moved`
  await rename(folder, moved)
  onTestFinished(() => removeEmbeddedPostgres(path.join(moved, '.data')))
  const third = await startDemo(moved)
  expect(third.facts.key).toBe(second.facts.key)
  expect(third.facts.password).toBe(second.facts.password)
  await expectSignIn(third.facts)
  expect(third.facts.stores).toHaveLength(DEMO_STORES.length - 1)
  expect(await statusOf(third.facts.url, third.facts.key)).toBe(200)
  expect(await third.demo.end('SIGINT')).toEqual(ENDED)
})

test('if the first start of the demo was killed, the next start creates the missing stores', async () => {
  const folder = await projectFolder()
  // The first store is complete, and the second one is not.
  const killed = startCommand(['demo'], { program: SOURCE_PROGRAM, folder, settings: QUIET })
  await killed.waitForOutput(/✓ Lindwurm/)
  await killed.end('SIGKILL')
  const { demo, facts } = await startDemo(folder)
  expect(demo.output().stderr).toContain('✓ Quillby Coffee')
  expect(demo.output().stderr).not.toContain('Lindwurm')
  expect(facts.stores).toHaveLength(DEMO_STORES.length)
  for (const store of facts.stores.slice(0, 3)) expect(await statusOf(facts.url, store.key)).toBe(200)
  const doctor = await runCommand(['doctor', '--json'], { program: SOURCE_PROGRAM, folder })
  expect(doctor.json.stores.map(({ revision }: { revision: string }) => revision)).toEqual([
    LATEST_REVISION,
    'launch',
    'v1.3',
    null,
    null,
  ])
  const stored = await readFile(path.join(folder, '.data', 'demo.json'), 'utf8')
  expect(stored).toContain(facts.key)

  // A second demo exits with an error and does not affect the first one.
  const port = new URL(facts.url).port
  const beside = await runCommand(['demo'], { program: SOURCE_PROGRAM, folder, settings: { ...QUIET, PORT: port } })
  expect(beside.code).toBe(1)
  expect(beside.stderr).toMatch(
    /^store-export: another program uses port .* STORE_EXPORT_PORT .* A demo already runs in this folder; .*\n$/,
  )
  expect(await statusOf(facts.url, facts.key)).toBe(200)
})

test('if a port is in use, demo exits with code 1, names the setting of the port, and creates no files', async () => {
  const folder = await projectFolder()
  const taken = createServer().listen(await freePort(), '127.0.0.1')
  await once(taken, 'listening')
  onTestFinished(() => void taken.close())
  const address = taken.address()
  const port = String(address !== null && typeof address === 'object' ? address.port : 0)
  for (const name of ['PORT', 'DASHBOARD_PORT', 'OPERATIONS_PORT']) {
    const { code, stderr } = await runCommand(['demo'], {
      program: SOURCE_PROGRAM,
      folder,
      settings: { ...QUIET, [name]: port },
    })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^store-export: another program uses port \d+ of [^\n]*\n$/),
    ])
    expect(stderr).toContain(`STORE_EXPORT_${name} `)
  }
  await expect(stat(path.join(folder, '.data'))).rejects.toThrow('ENOENT')
})

test('if Ctrl-C is pressed during the start, demo exits with code 0 and stops PostgreSQL', async () => {
  const folder = await projectFolder()
  const demo = startCommand(['demo'], { program: SOURCE_PROGRAM, folder, settings: QUIET })
  await demo.waitForOutput(/✓ PostgreSQL/)
  // npm passes the signal on, so the demo gets it twice.
  demo.process.kill('SIGINT')
  expect(await demo.end('SIGINT')).toEqual(ENDED)
  expect(demo.output().stderr).not.toContain('store-export:')
  expect(await findRunningPostgres(path.join(folder, '.data'))).toBeUndefined()
})
