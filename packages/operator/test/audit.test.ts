// Tests that revocations are repeated from the log of the service after a backup of the control database was restored.

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { copyDatabase, createMigratedDatabase } from '../../../test/support/databases.ts'
import {
  newSecret,
  openClientForTest,
  runCommand,
  SLOW_TEST_TIMEOUTS,
  startCommand,
} from './support/command-process.ts'
import { temporaryFolder } from './support/embedded-server.ts'
import { nonEphemeralPort, requestJson } from './support/fleet.ts'

vi.setConfig(SLOW_TEST_TIMEOUTS)

const secret = newSecret()

async function command(databaseUrl: string, ...words: string[]) {
  const ended = await runCommand([...words, '--json'], { settings: { DATABASE_URL: databaseUrl, SECRET: secret } })
  expect([ended.code, ended.stderr]).toEqual([0, ''])
  return ended.json
}

/** Starts a node with a log. */
async function serve(databaseUrl: string) {
  const port = await nonEphemeralPort()
  const settings = { DATABASE_URL: databaseUrl, SECRET: secret, PORT: String(port), OPERATIONS_PORT: '0' }
  const running = startCommand(['serve'], { settings })
  await running.waitForOutput(/"listener":"api"/)
  return { running, url: `http://127.0.0.1:${port}/api/v1/store` }
}

test('[R39] if a node starts after a key has expired, the node logs the action key.revoked with the reason "expired"', async () => {
  const control = await createMigratedDatabase()
  onTestFinished(() => control.drop())
  const store = await command(control.url, 'stores', 'add', '--name', 'Shop', '--state', 'generating')
  const key = await command(
    control.url,
    'keys',
    'create',
    '--store',
    store.id,
    '--name',
    'old',
    '--expires',
    '2099-01-01T00:00:00Z',
  )
  await openClientForTest(control.url)`update api_keys set expires_at = now() where id = ${key.id}`
  const { running } = await serve(control.url)
  const [line] = await running.waitForOutput(/\{[^\n]*"action":"key.revoked"[^\n]*\}/)
  expect(JSON.parse(line)).toMatchObject({ keyId: key.id, details: JSON.stringify({ reason: 'expired' }) })
})

test('[AUTH-5] if a backup of the control database is restored, `keys replay-revocations` revokes the keys that were revoked after the backup', async () => {
  const control = await createMigratedDatabase()
  onTestFinished(() => control.drop())
  const words = ['--name', 'Shop', '--state', 'generating']
  const store = await command(control.url, 'stores', 'add', ...words)
  const [lost, kept] = [
    await command(control.url, 'keys', 'create', '--store', store.id, '--name', 'lost'),
    await command(control.url, 'keys', 'create', '--store', store.id, '--name', 'kept'),
  ]
  const backup = await copyDatabase(control)
  onTestFinished(() => backup.drop())

  const node = await serve(control.url)
  await command(control.url, 'keys', 'revoke', lost.id)
  const [line] = await node.running.waitForOutput(/\{[^\n]*"action":"key.revoked"[^\n]*\}/)
  expect(JSON.parse(line)).toMatchObject({
    keyId: lost.id,
    storeId: store.id,
    actor: expect.stringMatching(/^store-export command line \(.+\)$/),
  })
  await node.running.end('SIGTERM')
  const log = path.join(await temporaryFolder(), 'service.log')
  writeFileSync(log, node.running.output().stdout)

  const restored = await serve(backup.url)
  const statusOf = async (key: { key: string }) => (await requestJson(restored.url, key)).status
  // After the restore, the key is active again, but the store is not ready.
  expect(await statusOf(lost)).toBe(409)
  const replayed = await command(backup.url, 'keys', 'replay-revocations', '--from', log)
  expect(replayed).toMatchObject({ keys_revoked: 1, unchanged: 0 })
  expect([await statusOf(lost), await statusOf(kept)]).toEqual([401, 409])
  const wrapped = line.split('\n').map((text) => JSON.stringify({ log: `${text}\n`, stream: 'stdout' }))
  const settings = { DATABASE_URL: backup.url, SECRET: secret }
  const again = await runCommand(['keys', 'replay-revocations', '--from', '-', '--json'], {
    settings,
    input: wrapped.join('\n'),
  })
  expect(again.json).toEqual({
    events: 1,
    keys_revoked: 0,
    keys_turned_off: 0,
    stores_removed: 0,
    merchants_removed: 0,
    memberships_removed: 0,
    roles_reduced: 0,
    invitations_withdrawn: 0,
    invitations_reduced: 0,
    passkeys_removed: 0,
    two_factor_rules_enabled: 0,
    directory_tokens_revoked: 0,
    keys_to_compare: [],
    admin_tokens_revoked: 0,
    unchanged: 1,
  })
})

test('if a log file is missing or has no audit event, `keys replay-revocations` exits with code 1 and names the cause', async () => {
  const control = await createMigratedDatabase()
  onTestFinished(() => control.drop())
  const settings = { DATABASE_URL: control.url, SECRET: secret }
  for (const [from, sentence] of [
    ['/nowhere/service.log', 'cannot read "/nowhere/service.log" (ENOENT)'],
    ['-', 'contains no audit event'],
  ] as const) {
    const input = 'not JSON\n{"event":"request.completed"}\n{"event":"audit.recorded"}\n'
    const { code, stderr } = await runCommand(['keys', 'replay-revocations', '--from', from], { settings, input })
    expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)])
  }
})
