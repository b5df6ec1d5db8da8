// Runs a real server with TLS, and roles for each kind of authentication. All tests of a file share one server.

import { execFileSync } from 'node:child_process'
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { chown, copyFile, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { POSTGRES_PACKAGE } from '../../../../test/support/postgres-package.ts'
import { chooseAccount } from '../../../operator/src/embedded/account.ts'
import {
  type EmbeddedPostgres,
  removeEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../operator/src/embedded/embedded-postgres.ts'
import { freePort } from '../../../operator/test/support/embedded-server.ts'
import { connect } from '../../src/connect.ts'
import { parseConnectionUrl } from '../../src/connection-url.ts'

/** Kinds of keys that a certificate can have. */
export type KeyKind = 'rsa' | 'ecdsa' | 'ed25519'

export interface TlsServer {
  readonly majorVersion: number
  readonly port: number
  readonly socketFolder: string
  /** File with the certificate of the CA that issued the server's RSA and ECDSA certificates for `localhost`. */
  readonly authority: string
  /** File with the certificate of another CA. */
  readonly otherAuthority: string
  /** Returns the URL of a role, over TCP to `localhost`. */
  url(role: string, parameters?: string): string
  /** Gives the server a certificate with a key of this kind. */
  useKey(kind: KeyKind): Promise<void>
  script(text: string): Promise<void>
  remove(): Promise<void>
}

/** The password of each role that has one, except `unicode`. */
export const PASSWORD = 'correct horse'
/** A password that SASLprep changes: it has a soft hyphen, a wide space, and characters that NFKC replaces. */
export const UNICODE_PASSWORD = 'p\u00e4\u00dfw\u00adord\u3000\u2168\u00aa'

const KEYS: Readonly<Record<KeyKind, readonly string[]>> = {
  rsa: ['-newkey', 'rsa:2048'],
  ecdsa: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384', '-sha384'],
  ed25519: ['-newkey', 'ed25519'],
}
const ACCESS = `
local   all  postgres             trust
local   all  all                  scram-sha-256
hostnossl all encrypted  all      reject
host    all  trusted     all      trust
host    all  cleartext   all      password
host    all  md5         all      md5
host    all  all         all      scram-sha-256
`
const ROLES = `
set password_encryption = 'md5';
create role md5 login password '${PASSWORD}';
set password_encryption = 'scram-sha-256';
create role trusted login;
create role cleartext login password '${PASSWORD}';
create role scram login password '${PASSWORD}';
create role encrypted login password '${PASSWORD}';
create role unicode login password '${UNICODE_PASSWORD}';
`

/**
 * Returns a password as PostgreSQL stores it for SCRAM. Only PostgreSQL 16 and later have the setting
 * `scram_iterations`.
 */
export function scramVerifier(password: string, iterations: number): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest()
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${stored}:${keyOf('Server Key').toString('base64')}`
}

/** Whether this machine can create certificates. */
export function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

export async function startTlsServer(): Promise<TlsServer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), `store-export-test-${process.pid}-`))
  execFileSync('chmod', ['711', folder])
  makeCertificates(folder)
  const data = path.join(folder, 'data')
  const settings = path.join(folder, 'settings')
  for (const each of [data, settings]) await mkdir(each, { mode: 0o711 })
  const own = await ownerOf(folder)
  const useFiles = async (kind: KeyKind) => {
    for (const name of ['key', 'crt']) {
      const file = path.join(settings, `server.${name}`)
      await copyFile(path.join(folder, `${kind}.${name}`), file)
      execFileSync('chmod', ['600', file])
      await own(file)
    }
  }
  await useFiles('ecdsa')
  await writeFile(path.join(settings, 'hba.conf'), ACCESS)
  await own(path.join(settings, 'hba.conf'))
  const server = await start(data, settings)
  const script = async (text: string) => {
    const admin = await connect(parseConnectionUrl(server.url('postgres')), { applicationName: 'test' })
    await admin.script(text).finally(() => admin.close())
  }
  await script(ROLES)
  return {
    majorVersion: await majorVersionOf(server),
    port: server.port,
    socketFolder: server.socketFolder,
    authority: path.join(folder, 'ca.pem'),
    otherAuthority: path.join(folder, 'other.pem'),
    url: (role, parameters = 'sslmode=disable') => urlOf(server.port, role, parameters),
    async useKey(kind) {
      await useFiles(kind)
      await script('select pg_reload_conf(); select pg_sleep(0.3)')
    },
    script,
    async remove() {
      await server.stop()
      await removeEmbeddedPostgres(data)
      execFileSync('rm', ['-rf', folder])
    },
  }
}

function urlOf(port: number, role: string, parameters: string): string {
  const password = encodeURIComponent(role === 'unicode' ? UNICODE_PASSWORD : PASSWORD)
  return `postgres://${role}:${password}@localhost:${port}/postgres?${parameters}`
}

async function start(dataFolder: string, settings: string): Promise<EmbeddedPostgres> {
  return await startEmbeddedPostgres({
    dataFolder,
    packageFolder: POSTGRES_PACKAGE,
    tcpPort: await freePort(),
    settings: {
      fsync: 'off',
      shared_buffers: '16MB',
      hba_file: path.join(settings, 'hba.conf'),
      ssl: 'on',
      ssl_cert_file: path.join(settings, 'server.crt'),
      ssl_key_file: path.join(settings, 'server.key'),
    },
  })
}

async function majorVersionOf(server: EmbeddedPostgres): Promise<number> {
  const admin = await connect(parseConnectionUrl(server.url('postgres')), { applicationName: 'test' })
  await admin.close()
  return Number.parseInt(admin.parameters.get('server_version') ?? '', 10)
}

/** Returns a function that gives files to the user that the server runs as. */
async function ownerOf(folder: string): Promise<(file: string) => Promise<void>> {
  const account = await chooseAccount(path.join(folder, 'data', 'cluster'))
  return async (file) => {
    if (account !== undefined) await chown(file, account.userId, account.groupId)
  }
}

function makeCertificates(folder: string): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  for (const name of ['ca', 'other'])
    openssl(
      'req',
      '-x509',
      ...KEYS.ecdsa,
      '-nodes',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
    )
  for (const [kind, key] of Object.entries(KEYS)) {
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
    const authority = kind === 'ed25519' ? [] : ['-CA', 'ca.pem', '-CAkey', 'ca.key']
    openssl(
      'req',
      '-x509',
      ...key,
      '-nodes',
      '-keyout',
      `${kind}.key`,
      '-out',
      `${kind}.crt`,
      '-days',
      '2',
      ...subject,
      ...authority,
    )
  }
}
