// The TLS context of a connection: certificates as OpenSSL has parsed them. Connections with the same certificates share
// one, because a context of its own costs each connection up to 120 KB, which the process does not return to the system.

import { readFile } from 'node:fs/promises'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import type { TlsSettings } from './connection-url.ts'

/** Maximum contexts in the cache; the least recently used one is dropped first. */
const CONTEXTS_MAX = 100

/** Contexts by the content of their certificates. */
const contexts = new Map<string, SecureContext>()

/** The context for these settings. Files are read again for each connection, so a renewed file needs no restart. */
export async function tlsContextOf({ rootCertificate, certificate, key }: TlsSettings): Promise<SecureContext> {
  const [ca, cert, privateKey] = await Promise.all([authorities(rootCertificate), textOf(certificate), textOf(key)])
  const name = JSON.stringify([rootCertificate === 'system' ? 'system' : ca, cert, privateKey])
  const context =
    contexts.get(name) ??
    createSecureContext({
      ...(ca === null ? {} : { ca }),
      ...(cert === null ? {} : { cert }),
      ...(privateKey === null ? {} : { key: privateKey }),
    })
  contexts.delete(name)
  contexts.set(name, context)
  for (const oldest of contexts.keys()) {
    if (contexts.size <= CONTEXTS_MAX) break
    contexts.delete(oldest)
  }
  return context
}

async function authorities(rootCertificate: string | null): Promise<string[] | null> {
  if (rootCertificate === 'system') return getCACertificates('system')
  const text = await textOf(rootCertificate)
  return text === null ? null : [text]
}

async function textOf(file: string | null): Promise<string | null> {
  return file === null ? null : await readFile(file, 'utf8')
}
