import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { rootCertificates } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import type { TlsSettings } from './connection-url.ts'
import { tlsContextOf } from './tls-context.ts'

const [first = '', second = ''] = rootCertificates

function settings(rootCertificate: string | null): TlsSettings {
  return { mode: 'verify-full', direct: false, rootCertificate, certificate: null, key: null }
}

test('certificate files with the same content share one TLS context, and a renewed file gets a different TLS context', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tls-context-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [one, other] = [path.join(folder, 'one.crt'), path.join(folder, 'other.crt')]
  for (const file of [one, other]) writeFileSync(file, first)
  const context = await tlsContextOf(settings(one))
  expect(await tlsContextOf(settings(other))).toBe(context)
  expect(await tlsContextOf(settings(null))).not.toBe(context)
  expect(await tlsContextOf(settings(null))).toBe(await tlsContextOf(settings(null)))
  // The file is renewed without a restart.
  writeFileSync(one, second)
  expect(await tlsContextOf(settings(one))).not.toBe(context)
  expect(await tlsContextOf(settings(other))).toBe(context)
})

test('all connections with sslrootcert=system share one TLS context', async () => {
  const context = await tlsContextOf(settings('system'))
  for (let connection = 0; connection < 20; connection++) expect(await tlsContextOf(settings('system'))).toBe(context)
})

test('if the certificate file does not exist, creating the TLS context fails with ENOENT', async () => {
  await expect(tlsContextOf(settings('/nowhere/ca.crt'))).rejects.toMatchObject({ code: 'ENOENT' })
})
