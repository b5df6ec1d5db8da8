// Creates the TLS context of a connection, which contains the certificates that OpenSSL has parsed. Connections with
// the same certificates share one context, because Node.js parses a copy of the certificates for each context. With one
// certificate in a file, a context costs up to 120 KB. With all certificates of the system, it costs 1.8 MB and blocks
// the event loop for up to 24 ms. The memory does not return to the system. If a later Node.js shares parsed
// certificates between contexts, this cache can be deleted.

import { readFile } from 'node:fs/promises'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import type { TlsSettings } from './connection-url.ts'

/** Maximum number of cached contexts. Beyond it, the context that was used least recently is dropped. */
const CONTEXTS_MAX = 100
/** Cached contexts by the content of their certificates and keys. */
const contexts = new Map<string, SecureContext>()

/**
 * Returns the context for these settings. Reads the files for each connection, so that a renewed file needs no restart.
 * Rejects if a file can't be read or parsed.
 */
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
