// Tests the rotation of the secret while clients read, in the documented order and in a wrong order.

import { randomBytes } from 'node:crypto'
import { LATEST_REVISION } from '@store-export/contract'
import { addStore, EncryptionKey } from '@store-export/control'
import { expect, onTestFinished, test, vi } from 'vitest'
import { newSecret, runCommand, SLOW_TEST_TIMEOUTS } from './support/command-process.ts'
import { waitUntil } from './support/embedded-server.ts'
import { type FleetStore, requestJson, startFleet, type TestFleet, type TestNode } from './support/fleet.ts'

vi.setConfig(SLOW_TEST_TIMEOUTS)

const CLIENTS = 6

/** Starts clients that page through a list on the active nodes, without retries. */
function startClients(store: FleetStore, nodesInUse: () => readonly TestNode[]) {
  const statuses = new Map<number, number>()
  let isOver = false
  const client = async (index: number) => {
    for (let turn = index; !isOver; turn += 1) {
      const nodes = nodesInUse()
      const node = nodes[turn % nodes.length]
      if (node === undefined) throw new Error('no node is in use')
      const { status } = await requestJson(`${node.url}/api/v1/orders?limit=5`, store)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  onTestFinished(() => {
    isOver = true
  })
  const clients = Array.from({ length: CLIENTS }, (_, index) => client(index))
  const total = () => [...statuses.values()].reduce((sum, count) => sum + count, 0)
  return {
    statuses,
    /** Resolves after this number of further requests. */
    more: (count: number) => {
      const before = total()
      return waitUntil(async () => total() >= before + count)
    },
    async end() {
      isOver = true
      await Promise.all(clients)
    },
  }
}

/** Runs `secrets rotate` with these settings. */
function rotate(fleet: TestFleet, settings: Record<string, string>) {
  return runCommand(['secrets', 'rotate', '--json'], { settings: { DATABASE_URL: fleet.controlUrl, ...settings } })
}

test('[ERR-3] while the encryption secret is rotated and nodes restart, every request gets 200', async () => {
  const fleet = await startFleet()
  const store = await fleet.addStore()
  const next = newSecret()
  const both = { SECRET: next, SECRET_PREVIOUS: fleet.settings.SECRET ?? '' }
  const start = (settings: Record<string, string>) =>
    Promise.all([1, 2].map(() => fleet.startNode({ LAME_DUCK_SECONDS: '0', ...settings })))
  let inUse = await start({})
  const clients = startClients(store, () => inUse)
  const swap = async (settings: Record<string, string>) => {
    const leaving = inUse
    inUse = await start(settings)
    await clients.more(50)
    for (const node of leaving) await node.process().end('SIGTERM')
  }
  await clients.more(200)

  const tooEarly = await rotate(fleet, both)
  expect([tooEarly.code, tooEarly.stdout]).toEqual([1, ''])
  expect(tooEarly.stderr).toMatch(
    /these running nodes do not hold this STORE_EXPORT_SECRET: .+ \(pid \d+\), .+ \(pid \d+\)\. Restart/,
  )
  await clients.more(200)

  await swap(both)
  expect((await rotate(fleet, both)).json).toEqual({ reencrypted: 1, unchanged: 0 })
  await clients.more(200)
  await swap({ SECRET: next })
  await clients.more(200)
  await clients.end()
  expect([...clients.statuses.keys()]).toEqual([200])
})

test("if a node can't decrypt the password of its only store, readyz returns 503 and names the store", async () => {
  const fleet = await startFleet()
  const node = await fleet.startNode()
  const keys = { current: new EncryptionKey(randomBytes(32)), previous: null }
  const store = { name: 'Sealed', origin: 'generated', state: 'ready', databaseUrl: 'postgres://r:p@h/d' } as const
  const { id } = await addStore({ database: fleet.control, keys, random: randomBytes }, store)
  const response = await fetch(`${node.operationsUrl}/readyz`)
  expect(response.status).toBe(503)
  expect(await response.text()).toMatch(
    new RegExp(`^not ready: the password of store ${id} was encrypted with another secret`),
  )
  expect((await fetch(`${node.operationsUrl}/healthz`)).status).toBe(200)
})

test("readyz returns 200 if a node can decrypt at least half of the stores' passwords, and 503 if it can decrypt fewer", async () => {
  const fleet = await startFleet()
  await fleet.addStore()
  const node = await fleet.startNode()
  const keys = { current: new EncryptionKey(randomBytes(32)), previous: null }
  const store = { name: 'Sealed', origin: 'generated', state: 'ready', databaseUrl: 'postgres://r:p@h/d' } as const
  const add = () => addStore({ database: fleet.control, keys, random: randomBytes }, store)
  const status = async () => (await fetch(`${node.operationsUrl}/readyz`)).status
  await add()
  expect(await status()).toBe(200)
  await add()
  expect(await status()).toBe(503)
})

test('if only two of three nodes have the secret that encrypted a password, readyz returns 503 only on the third node', async () => {
  const fleet = await startFleet()
  await Promise.all([fleet.addStore(), fleet.addStore()])
  const next = newSecret()
  const both = { SECRET: next, SECRET_PREVIOUS: fleet.settings.SECRET ?? '' }
  const [old, ...others] = await Promise.all([fleet.startNode(), fleet.startNode(both), fleet.startNode(both)])
  const keys = { current: new EncryptionKey(Buffer.from(next, 'base64')), previous: null }
  const store = { name: 'Sealed', origin: 'generated', state: 'ready', databaseUrl: 'postgres://r:p@h/d' } as const
  await addStore({ database: fleet.control, keys, random: randomBytes }, store)
  const statuses = [old, ...others].map(async (node) => (await fetch(`${node?.operationsUrl}/readyz`)).status)
  expect(await Promise.all(statuses)).toEqual([503, 200, 200])
})

test('if no node runs and the encryption secret of the command decrypts no existing password, `stores add` and `stores set` fail', async () => {
  const fleet = await startFleet()
  const [store] = await Promise.all([fleet.addStore(), fleet.addStore()])
  const command = (settings: Record<string, string>, words: string[]) =>
    runCommand(words, { settings: { DATABASE_URL: fleet.controlUrl, ...settings }, input: 'postgres://r:p@h/d' })
  const url = ['--database-url', '-']
  for (const words of [
    ['stores', 'add', '--name', 'Shop', ...url],
    ['stores', 'set', store.id, ...url],
    ['stores', 'provision', '--name', 'Shop', '--revision', LATEST_REVISION],
  ]) {
    const { code, stderr } = await command({ SECRET: newSecret() }, words)
    expect([code, stderr]).toEqual([1, expect.stringContaining('was encrypted with another secret')])
  }
  expect((await command(fleet.settings, ['stores', 'set', store.id, ...url])).code).toBe(0)
})

test('if the command and the running nodes have different encryption secrets, `stores add` and `stores set` fail', async () => {
  const fleet = await startFleet()
  const store = await fleet.addStore()
  await fleet.startNode()
  const settings = { DATABASE_URL: fleet.controlUrl, SECRET: newSecret() }
  const url = ['--database-url', '-']
  for (const words of [
    ['stores', 'add', '--name', 'Shop', ...url],
    ['stores', 'set', store.id, ...url],
  ]) {
    const { code, stderr } = await runCommand(words, { settings, input: 'postgres://r:p@h/d' })
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('these running nodes do not hold this STORE_EXPORT_SECRET'),
    ])
  }
})
