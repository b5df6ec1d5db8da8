// Tests a database server whose certificate is from a private CA.

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { newSecret, openClientForTest, runCommand, SLOW_TEST_TIMEOUTS } from './support/command-process.ts'
import { temporaryFolder } from './support/embedded-server.ts'
import { createCluster, type PostgresCluster } from './support/postgres-cluster.ts'

vi.setConfig(SLOW_TEST_TIMEOUTS)

/** Creates a CA in `ca.pem` and a certificate for 127.0.0.1. */
function makeCertificates(folder: string): void {
  const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'ignore' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  writeFileSync(path.join(folder, 'san'), 'subjectAltName=IP:127.0.0.1')
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=Private CA')
  openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=127.0.0.1')
  const issue = [
    'x509',
    '-req',
    '-in',
    'server.csr',
    '-CA',
    'ca.pem',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-days',
    '2',
  ]
  openssl(...issue, '-extfile', 'san', '-out', 'server.crt')
}

/** Enables TLS. The server writes the files, because they must belong to its user. */
async function useCertificate(server: PostgresCluster, folder: string): Promise<void> {
  const sql = openClientForTest(server.url())
  for (const name of ['server.key', 'server.crt']) {
    const lines = readFileSync(path.join(folder, name), 'utf8').trim().replaceAll("'", '')
    await sql.unsafe(`copy (select regexp_split_to_table('${lines}', '\\n')) to program 'umask 077; cat > ${name}'`)
  }
  await sql.unsafe('alter system set ssl = on')
  await server.restart('fast')
}

test('if the certificate of the database server is from a private CA, migrate connects only if sslrootcert names this CA', async ({
  skip,
}) => {
  const folder = await temporaryFolder()
  try {
    makeCertificates(folder)
  } catch {
    skip('certificates take openssl')
  }
  const server = await createCluster()
  await server.start()
  await useCertificate(server, folder)
  const migrate = (parameters: string) =>
    runCommand(['migrate', '--json'], {
      settings: { DATABASE_URL: `${server.url()}?${parameters}`, SECRET: newSecret() },
    })
  const refused = await migrate('sslmode=verify-full')
  expect(refused.code).toBe(1)
  const { error } = JSON.parse(refused.stderr)
  expect(error).toMatchObject({
    code: 'database_error',
    message: expect.stringContaining('add sslrootcert=/path/to/ca.pem'),
  })
  expect(error.message).not.toContain('Node')
  const wrong = await migrate(`sslmode=verify-full&sslrootcert=${path.join(folder, 'server.crt')}`)
  expect(JSON.parse(wrong.stderr).error.message).toContain('sslrootcert must name the certificate of the CA')
  const done = await migrate(`sslmode=verify-full&sslrootcert=${path.join(folder, 'ca.pem')}`)
  expect([done.code, done.stderr]).toEqual([0, ''])
})
