// Tests `stores upgrade --all` with provisioned stores on a real server.

import { type AddressInfo, createServer } from 'node:net'
import { LATEST_REVISION } from '@store-export/contract'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { withConnection } from '../../../test/support/client.ts'
import { createMigratedDatabase } from '../../../test/support/databases.ts'
import {
  dropAfterTest,
  newSecret,
  openClientForTest,
  runCommand,
  SLOW_TEST_TIMEOUTS,
  startCommand,
} from './support/command-process.ts'

vi.setConfig(SLOW_TEST_TIMEOUTS)

const EARLIER = 'v1.5'

/** Returns functions that run commands on a control database of its own. */
async function startFleet() {
  const control = await createMigratedDatabase()
  onTestFinished(() => control.drop())
  const settings = { DATABASE_URL: control.url, SECRET: newSecret() }
  const run = (...words: string[]) => runCommand(words, { settings })
  const runJson = async (...words: string[]) => {
    const ended = await run(...words, '--json')
    expect([ended.code, ended.stderr]).toEqual([0, ''])
    return ended.json
  }
  return {
    settings,
    run,
    runJson,
    async provision(revision: string) {
      const made = await runJson('stores', 'provision', '--name', 'Shop', '--revision', revision)
      dropAfterTest(made.id)
      return made
    },
    upgradeWith: (ownerUrl: string, id: string) => {
      const words = ['stores', 'upgrade', id, '--to', LATEST_REVISION, '--database-url', '-', '--json']
      return runCommand(words, { settings, input: ownerUrl })
    },
    upgradeAll: (...words: string[]) => run('stores', 'upgrade', '--all', '--to', LATEST_REVISION, ...words),
  }
}

async function dropDatabase(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  await withConnection(inject('postgresUrl'), (admin) => admin.script(`drop database "${name}"`))
}

/** Returns the URL with another name of the same host, so that the store seems to be on another server. */
function withOtherHost(url: string): string {
  const other = new URL(url)
  other.hostname = other.hostname === 'localhost' ? '127.0.0.1' : 'localhost'
  return other.href
}

test('if two databases are missing, `stores upgrade --all` upgrades the other stores, and prints the failed stores under one cause', async () => {
  const { provision, upgradeAll, runJson } = await startFleet()
  const [first, second, newest] = [await provision(EARLIER), await provision(EARLIER), await provision(LATEST_REVISION)]
  const missing = [await provision(EARLIER), await provision(EARLIER)]
  for (const store of missing) await dropDatabase(store.database_url)
  await runJson('stores', 'add', '--name', 'Own', '--database-url', 'postgres://127.0.0.1:1/own')
  await runJson('stores', 'add', '--name', 'Later', '--state', 'generating')

  const { code, stdout, stderr } = await upgradeAll()
  const ids = missing.map(({ id }) => id).sort()
  expect([code, stdout.trim().split('\n').sort()]).toEqual([1, ids])
  const [cause, ...rest] = stderr.trim().split('\n')
  expect(cause).toMatch(
    /^Failed; the store database does not exist: database "store_export_store_…" does not exist \(3D000\)/,
  )
  expect(rest).toEqual([
    expect.stringMatching(
      /^Skipped 2 stores without a database that "stores provision" created\. If .* --database-url/,
    ),
    `Upgraded 2 stores to ${LATEST_REVISION}; already at ${LATEST_REVISION}: 1, failed: 2.`,
  ])

  const again = await upgradeAll('--json')
  expect([again.code, again.stderr]).toEqual([1, ''])
  const { upgraded, failed, ...others } = again.json
  expect(others).toEqual({ revision: LATEST_REVISION, needs_owner_url: [], stopped: 0, skipped: 2 })
  expect(upgraded.map(({ id }: { id: string }) => id).sort()).toEqual([first.id, second.id, newest.id].sort())
  for (const store of upgraded) expect(store).toMatchObject({ applied: [], repaired: [], admin_sql: null })
  expect(failed.map(({ id, code }: { id: string; code: string }) => [id, code]).sort()).toEqual(
    ids.map((id) => [id, 'database_error']),
  )
  for (const { id } of missing) await runJson('stores', 'remove', id)
  const last = await upgradeAll()
  expect([last.code, last.stdout]).toEqual([0, ''])
})

test('if a provisioned database is on another server, `stores upgrade --all` prints its ID until an upgrade with the URL of the owner', async () => {
  const { provision, upgradeAll, run, upgradeWith } = await startFleet()
  const near = await provision(EARLIER)
  const far = await provision(EARLIER)
  expect((await run('stores', 'set', far.id, '--database-url', withOtherHost(far.reader_url))).code).toBe(0)
  const { code, stdout, stderr } = await upgradeAll()
  expect([code, stdout]).toEqual([1, `${far.id}\n`])
  expect(stderr).toContain('On another server than the control database. Upgrade each with its ID and --database-url')
  expect(stderr).toContain(
    `Upgraded 1 store to ${LATEST_REVISION}; already at ${LATEST_REVISION}: 0, failed: 0, on another server: 1.`,
  )
  const listed = await upgradeAll('--json')
  expect([listed.code, listed.json.needs_owner_url]).toEqual([1, [far.id]])

  const own = await upgradeWith(far.database_url, far.id)
  expect([own.code, own.json.applied]).toEqual([0, [LATEST_REVISION]])
  const done = await upgradeAll('--json')
  expect([done.code, done.json.needs_owner_url]).toEqual([0, []])
  expect(done.json.upgraded.map(({ id }: { id: string }) => id).sort()).toEqual([near.id, far.id].sort())
})

test('if another server is lost, `stores upgrade --all` fails its stores with the cause, and connects to at most six of them', async () => {
  const { upgradeAll, runJson } = await startFleet()
  let connections = 0
  const lost = createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => lost.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void lost.close())
  const { port } = lost.address() as AddressInfo
  const stores = []
  for (let index = 0; index < 9; index++) {
    const url = `postgres://store_export_reader_00000000000${index}@127.0.0.1:${port}/shop`
    stores.push(await runJson('stores', 'add', '--name', 'Shop', '--database-url', url))
  }
  connections = 0
  const { code, json } = await upgradeAll('--json')
  expect([code, json.needs_owner_url]).toEqual([1, []])
  expect(json.failed.map(({ id }: { id: string }) => id).sort()).toEqual(stores.map(({ id }) => id).sort())
  expect(new Set(json.failed.map(({ code }: { code: string }) => code))).toEqual(new Set(['unreachable', 'skipped']))
  // The first four are examined at once, and two more can begin before the third has failed.
  expect(connections).toBeLessThanOrEqual(6)
})

/** Starts `stores upgrade --all` for six stores. Four upgrades wait for locks until `unlock`. */
async function startWaitingUpgrades({ provision, settings }: Awaited<ReturnType<typeof startFleet>>) {
  const stores = []
  for (let count = 0; count < 6; count++) stores.push(await provision(EARLIER))
  const owners = stores.map((store) => openClientForTest(store.database_url))
  // An upgrade waits for this lock.
  for (const owner of owners) await owner`select pg_advisory_lock(7306001)`
  const words = ['stores', 'upgrade', '--all', '--to', LATEST_REVISION, '--json']
  const running = startCommand(words, { settings })
  const admin = openClientForTest(inject('postgresUrl'))
  const databases = stores.map((store) => new URL(store.database_url).pathname.slice(1))
  const waiting = async () => {
    const rows = await admin`
      select from pg_stat_activity where datname in ${admin(databases)} and wait_event = 'advisory'`
    return rows.length
  }
  await expect.poll(waiting).toBe(4)
  const unlock = async () => {
    for (const owner of owners) await owner`select pg_advisory_unlock(7306001)`
  }
  return { running, admin, roles: stores.map((store) => new URL(store.database_url).username), waiting, unlock }
}

test('if `stores upgrade --all` gets SIGINT, it completes the running upgrades, and a repetition upgrades the others', async () => {
  const fleet = await startFleet()
  const { running, unlock } = await startWaitingUpgrades(fleet)
  running.process.kill('SIGINT')
  running.process.kill('SIGINT')
  await unlock()
  expect(await running.end()).toEqual({ code: 1, signal: null })
  const { upgraded, stopped } = JSON.parse(running.output().stdout)
  expect([upgraded.length, stopped]).toEqual([4, 2])
  expect(running.output().stderr).toBe(
    'Waiting for the running upgrades. To roll them back and stop at once, press Ctrl-C again.\n',
  )
  const again = await fleet.upgradeAll()
  expect([again.code, again.stderr]).toEqual([
    0,
    `Upgraded 2 stores to ${LATEST_REVISION}; already at ${LATEST_REVISION}: 4, failed: 0.\n`,
  ])
})

test('if `stores upgrade --all` gets SIGINT again after a second, it rolls back the waiting upgrades, drops their logins, and exits', async () => {
  const fleet = await startFleet()
  const { running, admin, roles, waiting, unlock } = await startWaitingUpgrades(fleet)
  const exitAfterSignal = () => {
    running.process.kill('SIGINT')
    return running.process.exitCode
  }
  await expect.poll(exitAfterSignal, { interval: 300 }).toBe(1)
  await running.end()
  const { failed, stopped } = JSON.parse(running.output().stdout)
  expect(failed.map(({ code }: { code: string }) => code)).toEqual(Array(4).fill('interrupted'))
  expect([stopped, await waiting()]).toEqual([2, 0])
  const logins = await admin`
    select from pg_auth_members where roleid in (select oid from pg_roles where rolname in ${admin(roles)})
      and member in (select oid from pg_roles where rolname like 'store_export_login_%')`
  expect(logins).toHaveLength(0)
  await unlock()
  expect((await fleet.upgradeAll()).code).toBe(0)
})

test.each([
  [['--all', 'shop-42'], '--all upgrades every store; leave out the ID'],
  [['--all', '--database-url', 'postgres://h/d'], '--database-url is for one store; leave out --all'],
  [[], 'the ID of the store is missing; add it, or add --all'],
])('if the arguments of `stores upgrade` are %j, the command exits with 2 and says why', async (words, message) => {
  const ended = await runCommand(['stores', 'upgrade', '--to', LATEST_REVISION, ...words, '--json'])
  expect([ended.code, JSON.parse(ended.stderr).error]).toEqual([2, { code: 'usage', message }])
})
