// The TLS context of a connection: certificates as OpenSSL has parsed them. Connections with the same certificates share
// one, because a context of its own costs each connection up to 120 KB, which the process does not return to the system.

import { readFile } from 'node:fs/promises'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import type { TlsSettings } from './connection-url.ts'

/** Contexts that are cached. The least recently used one is dropped. */
const CONTEXTS_MAX = 100
/** Contexts by the content of their certificates. */
const contexts = new Map<string, SecureContext>()

/** The context for these settings. Files are read again for each connection, so a renewed file needs no restart. */
export async function tlsContextOf({ rootCertificate, certificate, key }: TlsSettings): Promise<SecureContext> {
  const isSystem = rootCertificate === 'system'
  const [authority, cert, privateKey] = await Promise.all(
    [isSystem ? null : rootCertificate, certificate, key].map(contentOf),
  )
  const name = JSON.stringify([isSystem, authority, cert, privateKey])
  const context =
    contexts.get(name) ??
    createSecureContext({ ca: isSystem ? getCACertificates('system') : authority, cert, key: privateKey })
  contexts.delete(name)
  contexts.set(name, context)
  const [oldest = ''] = contexts.keys()
  if (contexts.size > CONTEXTS_MAX) contexts.delete(oldest)
  return context
}

async function contentOf(file: string | null): Promise<string | undefined> {
  return file === null ? undefined : await readFile(file, 'utf8')
}
