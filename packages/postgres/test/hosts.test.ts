// Tests connecting: URLs with several hosts, primaries and standbys, servers without TLS, and session parameters.

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { startUnresponsiveHost } from '../../../test/support/unresponsive-host.ts'
import { createCluster } from '../../operator/test/support/postgres-cluster.ts'
import { connect } from '../src/connect.ts'
import { InvalidUrlError, parseConnectionUrl } from '../src/connection-url.ts'
import { sql } from '../src/statement.ts'
import { startHostile } from './support/hostile-server.ts'
import { firstRow, open } from './support/open.ts'
import { authentication, ready } from './support/server-messages.ts'

const CLOSED_PORT = '127.0.0.1:1'
const PRIMARY = sql`select not pg_is_in_recovery() as "isPrimary"`

afterEach(() => void vi.unstubAllEnvs())

/** Returns the server's URL with other hosts and parameters. */
function urlWith(hosts: (good: string) => string, parameters = ''): string {
  const { username, password, host, pathname } = new URL(inject('postgresUrl'))
  return `postgres://${username}:${password}@${hosts(host)}${pathname}?${parameters}`
}

test("[ERR-3] if the first of two hosts is down and the second rejects the role, connecting fails with the second host's error", async () => {
  const admin = await open(urlWith((good) => good))
  const role = `full_${randomBytes(6).toString('hex')}`
  await admin.script(`create role ${role} login password 'full' connection limit 0`)
  try {
    const url = Object.assign(new URL(urlWith((good) => good)), { username: role, password: 'full' })
    const { host } = url
    const several = url.href.replace(host, `${CLOSED_PORT},${host}`)
    const refusal = { name: 'PostgresError', code: '53300', routine: 'InitializeSessionUserId' }
    await expect(open(several)).rejects.toMatchObject(refusal)
  } finally {
    await admin.script(`drop role ${role}`)
  }
})

describe('session parameters', () => {
  test('if the URL contains an application name and session options, the session uses this name and these options', async () => {
    const connection = await open(urlWith((good) => good, 'application_name=books&options=-c%20work_mem%3D5MB'))
    const settings = sql`select current_setting('application_name') as name, current_setting('work_mem') as memory`
    expect(await firstRow(connection, settings)).toEqual({ name: 'books', memory: '5MB' })
  })

  test('if environment variables such as PGHOST are set, the client ignores these variables', async () => {
    for (const name of ['PGTARGETSESSIONATTRS', 'PGAPPNAME', 'PGPASSWORD', 'PGDATABASE', 'PGHOST', 'PGSSLMODE'])
      vi.stubEnv(name, 'wrong')
    const connection = await open(urlWith((good) => good))
    expect(await firstRow(connection, sql`select current_setting('application_name') as name`)).toEqual({
      name: 'test',
    })
  })

  test("after connecting, connection.parameters contains the server's client_encoding, DateStyle, and server_version", async () => {
    const { parameters } = await open(urlWith((good) => good))
    expect(parameters.get('client_encoding')).toBe('UTF8')
    expect(parameters.get('DateStyle')).toMatch(/^ISO/)
    expect(Number.parseInt(parameters.get('server_version') ?? '', 10)).toBeGreaterThanOrEqual(13)
  })

  test('if the application name has a NUL character, connecting throws an InvalidUrlError, and the next connection succeeds', async () => {
    await expect(open(urlWith((good) => good, 'application_name=a%00b'))).rejects.toThrow(InvalidUrlError)
    expect(await firstRow(await open(urlWith((good) => good)), PRIMARY)).toEqual({ isPrimary: true })
  })

  test('if the database of the URL does not exist, connecting fails with the error 3D000 (unknown database)', async () => {
    await expect(open(urlWith((good) => good, 'dbname=nowhere'))).rejects.toMatchObject({
      code: '3D000',
      isFatal: true,
    })
  })
})

describe('servers without TLS', () => {
  test('if a server has no TLS, connecting succeeds with sslmode=prefer and fails with sslmode=require', async () => {
    expect(await firstRow(await open(urlWith((good) => good, 'sslmode=prefer')), PRIMARY)).toEqual({ isPrimary: true })
    await expect(open(urlWith((good) => good, 'sslmode=require'))).rejects.toMatchObject({ code: 'TLS_REFUSED' })
  })

  test.each([
    ['S and then AuthenticationOk', `S${authentication(0)}`],
    ['N and then AuthenticationOk', `N${authentication(0)}`],
    ['an unknown letter', 'X'],
    ['an error', 'E'],
  ])('if a server responds to the TLS request with %s, connecting fails with EPROTO', async (_, response) => {
    const server = await startHostile(inject('postgresUrl'), (peer) => {
      peer.socket.once('data', () => peer.socket.write(response, 'latin1'))
    })
    for (const mode of ['prefer', 'require']) {
      const url = server.url.replace('sslmode=disable', `sslmode=${mode}`)
      await expect(open(url, { connectTimeoutMs: 1000 })).rejects.toMatchObject({ code: 'EPROTO' })
    }
  })

  test.each(['disable', 'prefer', 'require'])(
    'if a server closes the connection without a response and sslmode=%s is set, connecting fails with ECONNRESET after one attempt',
    async (mode) => {
      const server = await startHostile(
        inject('postgresUrl'),
        ({ socket }) => void socket.once('data', () => socket.end()),
      )
      const url = server.url.replace('sslmode=disable', `sslmode=${mode}`)
      await expect(open(url)).rejects.toMatchObject({ code: 'ECONNRESET' })
      expect(server.connections()).toBe(1)
    },
  )

  test('if a server accepts TLS and then sends plain text, connecting fails with a PostgresConnectionError', async () => {
    const server = await startHostile(inject('postgresUrl'), (peer) => {
      peer.socket.once('data', () => {
        peer.socket.write('S')
        peer.socket.once('data', () => peer.socket.write(Buffer.concat([authentication(0), ready()])))
      })
    })
    const url = server.url.replace('sslmode=disable', 'sslmode=require')
    await expect(open(url, { connectTimeoutMs: 500 })).rejects.toMatchObject({ name: 'PostgresConnectionError' })
  })

  test('if reading the certificate file hangs, connecting fails at the deadline', async () => {
    const server = await startHostile(inject('postgresUrl'), (peer) => {
      peer.socket.once('data', () => peer.socket.write('S'))
    })
    const folder = await mkdtemp(path.join(tmpdir(), 'certificate-'))
    const file = path.join(folder, 'ca.pem')
    execFileSync('mkfifo', [file])
    const url = server.url.replace('sslmode=disable', `sslmode=verify-ca&sslrootcert=${file}`)
    try {
      await expect(open(url, { connectTimeoutMs: 200 })).rejects.toMatchObject({ code: 'CONNECT_TIMEOUT' })
    } finally {
      // Releases the thread that reads the file.
      await writeFile(file, '')
      await rm(folder, { recursive: true })
    }
  })

  test('[ERR-3] if a server does not accept the TCP connection, connecting fails with ETIMEDOUT at the deadline', async () => {
    const { port, close } = await startUnresponsiveHost()
    onTestFinished(close)
    const opening = open(`postgres://reader@127.0.0.1:${port}/shop`, { connectTimeoutMs: 300 })
    await expect(opening).rejects.toMatchObject({ code: 'ETIMEDOUT', message: expect.stringContaining(`:${port}`) })
  })

  test('if a server accepts TLS and then sends nothing, connecting fails at the deadline', async () => {
    const server = await startHostile(inject('postgresUrl'), (peer) => {
      peer.socket.once('data', () => peer.socket.write('S'))
    })
    const url = server.url.replace('sslmode=disable', 'sslmode=require')
    await expect(open(url, { connectTimeoutMs: 200 })).rejects.toMatchObject({ code: 'CONNECT_TIMEOUT' })
  })
})

describe('URLs with several hosts', () => {
  test('if the first of several hosts refuses connections, the client connects to the next host', async () => {
    expect(await firstRow(await open(urlWith((good) => `${CLOSED_PORT},${good}`)), PRIMARY)).toEqual({
      isPrimary: true,
    })
  })

  test('if all hosts refuse connections, the error names each host', async () => {
    const failed = open(urlWith(() => `${CLOSED_PORT},127.0.0.1:2`))
    await expect(failed).rejects.toMatchObject({ name: 'PostgresConnectionError', code: 'ECONNREFUSED' })
    await expect(failed).rejects.toThrow(/127\.0\.0\.1:1.*127\.0\.0\.1:2/)
  })

  test('if the first of two hosts does not respond, later connections try only the host that responded', async () => {
    const silent = await startHostile(inject('postgresUrl'), () => undefined)
    const target = parseConnectionUrl(urlWith((good) => `127.0.0.1:${silent.port},${good}`, 'sslmode=disable'))
    for (let n = 0; n < 3; n++) {
      const connection = await connect(target, { applicationName: 'test', connectTimeoutMs: 600 })
      await connection.close()
    }
    expect(silent.connections()).toBe(1)
  })

  test('if all hosts stop responding after the sign-in, connecting ends after one time limit in total, not one per host', async () => {
    const server = await startHostile(inject('postgresUrl'), (peer) => peer.welcome())
    const hosts = Array.from({ length: 3 }, () => `127.0.0.1:${server.port}`).join()
    for (const kind of ['standby', 'prefer-standby']) {
      const since = performance.now()
      const url = urlWith(() => hosts, `sslmode=disable&target_session_attrs=${kind}`)
      await open(url, { connectTimeoutMs: 600 }).catch(() => undefined)
      expect(performance.now() - since).toBeLessThan(1100)
    }
  })
})

test('if a URL names a primary and a standby in either order, the client connects to the server that target_session_attrs requires', {
  timeout: 60_000,
}, async () => {
  const primary = await createCluster()
  await primary.start()
  await primary.stop('fast')
  const standby = await primary.copy(primary)
  await primary.start()
  await standby.start()
  const { username, password } = new URL(primary.url())
  const url = (hosts: string, kind: string) =>
    `postgres://${username}:${password}@${hosts}/postgres?target_session_attrs=${kind}`
  const [first, second] = [`127.0.0.1:${primary.port}`, `127.0.0.1:${standby.port}`]
  for (const hosts of [`${first},${second}`, `${second},${first}`])
    for (const [kind, isPrimary] of [
      ['primary', true],
      ['read-write', true],
      ['standby', false],
      ['read-only', false],
      ['prefer-standby', false],
    ] as const)
      expect(await firstRow(await open(url(hosts, kind)), PRIMARY)).toEqual({ isPrimary })
  expect(await firstRow(await open(url(first, 'prefer-standby')), PRIMARY)).toEqual({ isPrimary: true })
  await expect(open(url(first, 'standby'))).rejects.toMatchObject({ code: 'NO_MATCHING_SERVER' })
  await expect(open(url(second, 'primary'))).rejects.toMatchObject({ code: 'NO_MATCHING_SERVER' })
})

test('[GEN-1] if a role is read-only by default, target_session_attrs=read-write still finds the primary', async () => {
  const role = `reader_${randomBytes(6).toString('hex')}`
  const admin = await open(inject('postgresUrl'))
  await admin.script(`create role ${role} login password 'reader';
    alter role ${role} set default_transaction_read_only = on`)
  try {
    const url = new URL(urlWith((good) => good, 'target_session_attrs=read-write'))
    const reader = await open(Object.assign(url, { username: role, password: 'reader' }).href)
    const readOnly = sql`select current_setting('transaction_read_only') as "readOnly"`
    expect(await firstRow(reader, readOnly)).toEqual({ readOnly: 'on' })
    await reader.close()
  } finally {
    await admin.script(`drop role ${role}`)
  }
})
