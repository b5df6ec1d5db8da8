// Runs the commands and requests of docs/operate/admin-api.md as they stand on the page, on an empty control database.

import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createMigratedDatabase } from '../../../test/support/databases.ts'
import { dropAfterTest, newSecret, runCommand, SLOW_TEST_TIMEOUTS, startCommand } from './support/command-process.ts'
import { freePort } from './support/embedded-server.ts'

vi.setConfig(SLOW_TEST_TIMEOUTS)

const PAGE = path.resolve(import.meta.dirname, '../../../docs/operate/admin-api.md')

/** Returns the JSON with the type of each value, because IDs, times, passwords, and notes about the server differ. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, name === 'findings' ? [] : shapeOf(member)]),
  )
}

/** Returns the shapes of JSON lines, or of one JSON value with line breaks. */
function shapesOf(text: string): unknown[] {
  const lines = text.trim().split('\n')
  return (lines[0] === '{' ? [text] : lines).map((line) => shapeOf(JSON.parse(line)))
}

test('if the curl commands in docs/operate/admin-api.md run in order, each response has the same JSON fields as the example after the command', async () => {
  const page = await readFile(PAGE, 'utf8')
  const blocks = [...page.matchAll(/^```(?:json)?\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
  const control = await createMigratedDatabase()
  onTestFinished(() => control.drop())
  const settings = { DATABASE_URL: control.url, SECRET: newSecret() }
  const port = await freePort()
  const ports = { PORT: '0', OPERATIONS_PORT: '0', ADMIN_PORT: String(port) }
  const service = startCommand(['serve'], { settings: { ...settings, ...ports } })
  await service.waitForOutput(/"listener":"admin","address":"http:/)
  const create = blocks.find((block) => block.startsWith('npx store-export admin-tokens create')) ?? ''
  const created = await runCommand(create.trim().split(' ').slice(2), { settings })
  expect([created.code, created.stderr]).toEqual([0, expect.stringMatching(/^Created the token "backend" \(ID /)])
  const env = { ...process.env, ADMIN_TOKEN: created.stdout.trim() }
  const requests = blocks.flatMap((block, index) => (/\bcurl /.test(block) ? [[block, blocks[index + 1] ?? '']] : []))
  expect(requests).toHaveLength(6)
  for (const [request = '', example = ''] of requests) {
    const command = request.replaceAll('http://127.0.0.1:9091', `http://127.0.0.1:${port}`)
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { env })
    const { id, owner_url: ownerUrl } = JSON.parse(stdout.trim().split('\n')[0] ?? '')
    if (typeof ownerUrl === 'string') dropAfterTest(id)
    expect(shapesOf(stdout)).toEqual(shapesOf(example))
  }
  const log = service.output().stdout
  expect(log).toContain('"event":"admin.request_completed"')
  expect(log).not.toContain(created.stdout.trim())
})

test('after `admin-tokens revoke`, `admin-tokens list` shows the token as revoked and does not print the token itself', async () => {
  const control = await createMigratedDatabase()
  onTestFinished(() => control.drop())
  const command = async (...words: string[]) => {
    const settings = { DATABASE_URL: control.url, SECRET: newSecret() }
    return runCommand(['admin-tokens', ...words, '--json'], { settings })
  }
  const { json: token } = await command('create', '--name', 'backend', '--expires', '2099-01-01T00:00:00Z')
  expect(token).toEqual({
    id: expect.any(String),
    token: expect.stringMatching(/^sdx_admin_[0-9A-Za-z]{49}$/),
    name: 'backend',
    expires_at: '2099-01-01T00:00:00.000Z',
  })
  expect((await command('list')).json.tokens).toMatchObject([{ id: token.id, state: 'active', last_used_at: null }])
  expect((await command('revoke', token.id)).json).toEqual({ id: token.id, revoked: true, already: false })
  expect((await command('revoke', token.id)).json).toMatchObject({ already: true })
  const listed = await command('list')
  expect([listed.json.tokens[0].state, listed.stdout]).toEqual(['revoked', expect.not.stringContaining(token.token)])
  expect((await command('revoke', 'nonsense')).code).toBe(1)
  const past = await command('create', '--name', 'old', '--expires', '2001-01-01T00:00:00Z')
  expect([past.code, JSON.parse(past.stderr).error.code]).toEqual([1, 'invalid_expiry'])
})
