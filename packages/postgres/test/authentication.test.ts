// Tests every kind of authentication and every TLS mode with a real server.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../src/statement.ts'
import { firstRow, open } from './support/open.ts'
import { hasOpenssl, PASSWORD, scramVerifier, startTlsServer, type TlsServer } from './support/tls-server.ts'

const canRun = hasOpenssl()
let server: TlsServer
beforeAll(async () => {
  if (canRun) server = await startTlsServer()
})
afterAll(() => server?.remove())

const SESSION = sql`select session_user as role, coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as "isTls"`

async function session(role: string, parameters?: string) {
  return await firstRow(await open(server.url(role, parameters)), SESSION)
}

const refused = { name: 'PostgresConnectionError', code: 'EAUTH' }

describe.skipIf(!canRun)('authentication at a real server', () => {
  test.each([
    ['trusted', 'disable', false],
    ['cleartext', 'require', true],
    ['md5', 'disable', false],
    ['md5', 'require', true],
    ['scram', 'disable', false],
    ['scram', 'require', true],
    ['unicode', 'disable', false],
  ])(
    'if the role "%s" connects with sslmode=%s, the client signs in, and the column ssl of pg_stat_ssl is %s',
    async (role, mode, isTls) => {
      expect(await session(role, `sslmode=${mode}`)).toEqual({ role, isTls })
    },
  )

  test.each(['cleartext', 'md5', 'scram', 'unicode'])(
    'if the password of the role "%s" is wrong, the client gets the error 28P01 (invalid password)',
    async (role) => {
      const url = Object.assign(new URL(server.url(role, 'sslmode=require')), { password: 'wrong' }).href
      await expect(open(url)).rejects.toMatchObject({ name: 'PostgresError', code: '28P01', severity: 'FATAL' })
    },
  )

  test('if the server requests a password and the URL contains none, the error says that no password is set', async () => {
    const url = Object.assign(new URL(server.url('scram')), { password: '' }).href
    await expect(open(url)).rejects.toMatchObject({ ...refused, message: expect.stringContaining('none is set') })
  })

  test('if the server requests a clear-text password without TLS, the error says to add sslmode=require', async () => {
    await expect(open(server.url('cleartext'))).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('add sslmode=require'),
    })
  })

  test.each(['rsa', 'ecdsa'] as const)(
    "if the server's certificate has a key of type %s, SCRAM with channel binding succeeds",
    async (kind) => {
      await server.useKey(kind)
      for (const mode of ['require', 'verify-full'])
        expect(
          await session('scram', `sslmode=${mode}&channel_binding=require&sslrootcert=${server.authority}`),
        ).toEqual({ role: 'scram', isTls: true })
    },
  )

  test("if the server's certificate is signed with Ed25519, which defines no certificate hash, connecting with channel_binding=require fails", async () => {
    await server.useKey('ed25519')
    expect(await session('scram', 'sslmode=require')).toEqual({ role: 'scram', isTls: true })
    await expect(open(server.url('scram', 'sslmode=require&channel_binding=require'))).rejects.toMatchObject(refused)
    await server.useKey('ecdsa')
  })

  test.each([
    ['scram', 'disable'],
    ['md5', 'require'],
    ['cleartext', 'require'],
    ['trusted', 'require'],
  ])(
    'if the role "%s" connects with sslmode=%s and channel_binding=require, the client throws an EAUTH error about missing channel binding',
    async (role, mode) => {
      const url = server.url(role, `sslmode=${mode}&channel_binding=require`)
      await expect(open(url)).rejects.toMatchObject({
        ...refused,
        message: expect.stringContaining('no channel binding'),
      })
    },
  )

  test('if sslmode=require and channel_binding=disable are set, the client signs in with TLS', async () => {
    expect(await session('scram', 'sslmode=require&channel_binding=disable')).toEqual({ role: 'scram', isTls: true })
  })

  test("because the client caches SCRAM keys, reconnecting with 500,000 iterations takes less than a third of the first connection's time", async () => {
    await server.script(`create role costly login password '${scramVerifier(PASSWORD, 500_000)}'`)
    const times: number[] = []
    for (let n = 0; n < 3; n++) {
      const since = performance.now()
      await open(server.url('costly'))
      times.push(performance.now() - since)
    }
    const [first = 0, second = 0, third = 0] = times
    expect(Math.min(second, third)).toBeLessThan(first / 3)
  })
})

describe.skipIf(!canRun)('TLS to a real server', () => {
  test.each([
    ['disable', false],
    ['allow', true],
    ['prefer', true],
    ['require', true],
  ])('if sslmode=%s is set and the server has TLS, the column ssl of pg_stat_ssl is %s', async (mode, isTls) => {
    expect(await session('scram', `sslmode=${mode}`)).toEqual({ role: 'scram', isTls })
  })

  test('if the server requires TLS, connections without sslmode or with sslmode=allow use TLS, and connections with sslmode=disable fail', async () => {
    for (const parameters of ['', 'sslmode=allow'])
      expect(await session('encrypted', parameters)).toEqual({ role: 'encrypted', isTls: true })
    await expect(open(server.url('encrypted', 'sslmode=disable'))).rejects.toMatchObject({ code: '28000' })
  })

  test('if the host is an IP address, verify-ca accepts a certificate for a host name, and verify-full rejects this certificate', async () => {
    const byAddress = (mode: string) =>
      server.url('scram', `sslmode=${mode}&sslrootcert=${server.authority}`).replace('localhost', '127.0.0.1')
    expect(await session('scram', `sslmode=verify-full&sslrootcert=${server.authority}`)).toMatchObject({ isTls: true })
    expect(await firstRow(await open(byAddress('verify-ca')), SESSION)).toMatchObject({ isTls: true })
    expect(await firstRow(await open(byAddress('require')), SESSION)).toMatchObject({ isTls: true })
    await expect(open(byAddress('verify-full'))).rejects.toMatchObject({
      name: 'PostgresConnectionError',
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    })
  })

  test.each(['verify-ca', 'verify-full'])(
    "if an unknown authority issued the server's certificate, connecting with sslmode=%s fails, and the error mentions sslrootcert",
    async (mode) => {
      const other = open(server.url('scram', `sslmode=${mode}&sslrootcert=${server.otherAuthority}`))
      await expect(other).rejects.toMatchObject({
        name: 'PostgresConnectionError',
        message: expect.stringContaining('sslrootcert must name the certificate of the CA'),
      })
      const none = open(server.url('scram', `sslmode=${mode}`))
      await expect(none).rejects.toThrow('add sslrootcert=/path/to/ca.pem')
    },
  )

  test('if the file that sslrootcert names does not exist, connecting fails with ENOENT', async () => {
    const url = server.url('scram', 'sslmode=verify-full&sslrootcert=/nowhere/ca.pem')
    await expect(open(url)).rejects.toMatchObject({ name: 'PostgresConnectionError', code: 'ENOENT' })
  })

  test('if sslnegotiation=direct is set, the client connects with TLS and channel binding', async ({ skip }) => {
    skip(server.majorVersion < 17, 'PostgreSQL 17 added it')
    const parameters = `sslmode=verify-full&sslrootcert=${server.authority}&sslnegotiation=direct`
    expect(await session('scram', `${parameters}&channel_binding=require`)).toEqual({ role: 'scram', isTls: true })
  })

  test('if the host is a Unix socket, the connection has no TLS, even with sslmode=require', async () => {
    const host = encodeURIComponent(server.socketFolder)
    const parameters = `host=${host}&port=${server.port}&sslmode=require`
    expect(await session('scram', parameters)).toEqual({ role: 'scram', isTls: false })
  })

  test('if a value of 20 MB is read over TLS, the client returns all of its characters', async () => {
    const connection = await open(server.url('scram', 'sslmode=require'))
    const row = await firstRow(connection, sql`select repeat('x', 20000000) as text`)
    expect((row.text as string).length).toBe(20_000_000)
  })

  test('if the client closes a TLS connection during a statement, the statement rejects, and the server ends the session', async () => {
    const connection = await open(server.url('encrypted', 'sslmode=require'))
    const sleeping = firstRow(connection, sql`select pg_sleep(30)`)
    const closed = connection.close()
    await expect(sleeping).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    await closed
    const observer = await open(server.url('encrypted', 'sslmode=require'))
    const others = sql`select count(*)::int as count from pg_stat_activity where usename = 'encrypted' and pid <> pg_backend_pid()`
    await expect.poll(() => firstRow(observer, others)).toEqual({ count: 0 })
  })
})
