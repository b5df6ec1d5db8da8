// Tests copies in a MariaDB server that requires TLS, or whose disk is full.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, statfs, truncate, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createMySqlDatabase } from '../../packages/sync/test/support/mysql-destinations.ts'
import { COMPILE_CACHE } from '../support/compile-cache.ts'
import { startMariaDb } from '../support/mariadb.ts'
import { mountDisk } from '../support/mount-disk.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../support/platform.ts'

const COMMAND = path.resolve(import.meta.dirname, '../../packages/sync/src/main.ts')
const KIB = 1024
const ORDERS = 2000

let platform: TestPlatform
let store: TestStore
beforeAll(async () => {
  platform = await startPlatform()
  store = await platform.provision()
  await store.sql`
    insert into orders (id, email, status, subtotal, tax, shipping, total, return_reason)
    select gen_random_uuid(), 'o@example.com', 'paid', 10, 0, 0, 10.50, repeat(md5(n::text), 400)
    from generate_series(1, ${ORDERS}::int) n`
})
afterAll(() => platform.close())

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-sync-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o755)
  return folder
}

/** Starts `store-sync run`. The URL of the copy is in a variable. */
function startRun(to: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const command = [COMMAND, 'run', '--url', platform.service.url, '--to', 'env:TARGET', ...args]
  const child = spawn(process.execPath, command, {
    env: { ...COMPILE_CACHE, STORE_EXPORT_KEY: store.key, TARGET: to, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exit = once(child, 'close').then(([code]) => code as number | null)
  let text = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  return { child, exit, messages: () => text }
}

describe('a MariaDB server with TLS', () => {
  /** Creates a certificate for a host, and the certificate of its CA. Returns the folder of both. */
  async function createCertificates(host: string): Promise<string> {
    const folder = await createFolder()
    const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'ignore' })
    const key = ['-newkey', 'rsa:2048', '-nodes']
    openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=Private CA')
    openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', `/CN=${host}`)
    await writeFile(path.join(folder, 'san'), `subjectAltName=DNS:${host}`)
    const issue = ['x509', '-req', '-in', 'server.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial']
    openssl(...issue, '-days', '2', '-extfile', 'san', '-out', 'server.pem')
    await chmod(path.join(folder, 'server.key'), 0o644)
    return folder
  }

  test('if a MariaDB server requires TLS, a run without ?tls in the destination URL fails and suggests ?tls=verify, and a run with ?tls=require succeeds', async () => {
    const folder = await createCertificates('localhost')
    const certificate = [`--ssl-cert=${folder}/server.pem`, `--ssl-key=${folder}/server.key`]
    const server = await startMariaDb({ options: certificate })
    onTestFinished(server.remove)
    const { url, query, remove } = await createMySqlDatabase(server.url)
    onTestFinished(remove)
    await query("create user shop@localhost identified by 'secret'; grant all privileges on *.* to shop@localhost")
    await query('set global require_secure_transport = on')
    const named = new URL(url)
    Object.assign(named, { hostname: 'localhost', username: 'shop', password: 'secret' })
    const authority = { NODE_EXTRA_CA_CERTS: path.join(folder, 'ca.pem') }
    const run = async (tls: string, { hostname = 'localhost', env = {} } = {}) => {
      const target = new URL(named)
      Object.assign(target, { hostname, search: tls })
      const { exit, messages } = startRun(target.href, [], env)
      return [await exit, messages()]
    }
    expect(await run('')).toEqual([1, expect.stringContaining('add ?tls=verify')])
    expect(await run('?tls=verify')).toEqual([1, expect.stringContaining('set NODE_EXTRA_CA_CERTS to the certificate')])
    expect(await query('show tables')).toEqual([])
    expect(await run('?tls=require')).toEqual([0, expect.stringContaining('is up to date')])
    expect(await run('?tls=verify', { env: authority })).toEqual([0, expect.stringContaining('is up to date')])
    expect(await query('select count(*) as count from orders')).toEqual([{ count: ORDERS }])
  })

  test('if the certificate of the MariaDB server is for another host name, a run with ?tls=verify exits with code 1 and writes nothing', async () => {
    const folder = await createCertificates('db.example.com')
    const certificate = [`--ssl-cert=${folder}/server.pem`, `--ssl-key=${folder}/server.key`]
    const server = await startMariaDb({ options: certificate })
    onTestFinished(server.remove)
    const { url, query, remove } = await createMySqlDatabase(server.url)
    onTestFinished(remove)
    const target = new URL(url)
    Object.assign(target, { hostname: 'localhost', search: '?tls=verify' })
    const { exit, messages } = startRun(target.href, [], { NODE_EXTRA_CA_CERTS: path.join(folder, 'ca.pem') })
    expect(await exit).toBe(1)
    expect(messages()).toContain('use the name in the certificate of the server as host')
    expect(await query('show tables')).toEqual([])
  })

  test('if the MariaDB server has no TLS, a run with ?tls=require exits with code 1 and says to turn on TLS', async () => {
    const server = await startMariaDb({ options: ['--skip-ssl'] })
    onTestFinished(server.remove)
    const { exit, messages } = startRun(`${server.url}/mysql?tls=require`)
    expect(await exit).toBe(1)
    expect(messages()).toContain('turn on TLS on the server, or remove ?tls from the URL')
  })
})

describe('a MariaDB server with a full disk', () => {
  test.each([
    ['the tables', 128 * KIB],
    ['the rows', 16 * KIB * KIB],
  ])(
    'if the disk of the MariaDB server has no space for %s, store-sync run --every retries, and completes the copy after space is freed',
    async (_, freeBytes) => {
      const folder = await createFolder()
      if (!mountDisk(folder, '400m')) return
      const server = await startMariaDb({ parent: folder })
      onTestFinished(server.remove)
      const { url, query, remove } = await createMySqlDatabase(server.url)
      onTestFinished(remove)
      const ballast = path.join(folder, 'ballast')
      const { bavail, bsize } = await statfs(folder)
      await writeFile(ballast, '')
      execFileSync('fallocate', ['-l', String(bavail * bsize - freeBytes), ballast])
      const { child, exit, messages } = startRun(url, ['--every', '1s'])
      const full = /has no space: the disk of the server is full; .*; next run in 1s\n/
      await expect.poll(messages, { timeout: 30_000 }).toMatch(full)
      await truncate(ballast)
      await expect.poll(messages, { timeout: 30_000 }).toContain('is up to date')
      expect(await query('select count(*) as count from orders')).toEqual([{ count: ORDERS }])
      child.kill('SIGTERM')
      expect(await exit).toBe(0)
    },
  )
})
