// How a connection is protected, for people: what is in use and what the URL asks for. Pure.

import type { describeTls } from '@store-export/postgres'
import type { Check, Finding } from './report.ts'

/** What is known of a connection's protection. */
export interface Protection {
  /** Whether this very connection is encrypted. */
  readonly usesTls: boolean
  /** What the URL asks for, in words. */
  readonly tlsAsked: ReturnType<typeof describeTls>
}

/** The check of a connection; `server` says to what and as whom. Missing protection is a note: the network may be safe. */
export function checkConnection(server: string, { usesTls, tlsAsked }: Protection): Check {
  const words = usesTls ? `TLS (${tlsAsked})` : tlsAsked === 'local socket' ? tlsAsked : 'no TLS'
  const isSafe = tlsAsked === 'local socket' || (usesTls && tlsAsked === 'verified')
  const note: Finding = {
    severity: 'note',
    code: usesTls ? 'tls_not_verified' : 'no_tls',
    message: usesTls ? 'the server’s certificate is not verified' : 'the connection is not encrypted',
    fix: 'add sslmode=verify-full to the URL if the network is not yours alone',
  }
  return { name: 'connection', summary: `${server}, ${words}`, findings: isSafe ? [] : [note] }
}
