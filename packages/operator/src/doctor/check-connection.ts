// How a connection is protected, for people: what is in use and what the URL asks for. Pure.

import type { describeTls } from '@store-export/postgres'
import type { DoctorCheck, DoctorFinding } from './report.ts'

/** What is known of a connection's protection. */
export interface ConnectionSecurity {
  /** Whether this very connection is encrypted. */
  readonly usesTls: boolean
  /** What the URL asks for, in words. */
  readonly requestedTls: ReturnType<typeof describeTls>
}

/** The check of a connection; `server` says to what and as whom. Missing protection is a note: the network may be safe. */
export function checkConnection(server: string, { usesTls, requestedTls }: ConnectionSecurity): DoctorCheck {
  const words = usesTls ? `TLS (${requestedTls})` : requestedTls === 'local socket' ? requestedTls : 'no TLS'
  const isSafe = requestedTls === 'local socket' || (usesTls && requestedTls === 'verified')
  const note: DoctorFinding = {
    severity: 'note',
    code: usesTls ? 'tls_not_verified' : 'no_tls',
    message: usesTls ? 'the server’s certificate is not verified' : 'the connection is not encrypted',
    fix: 'add sslmode=verify-full to the URL if the network is not yours alone',
  }
  return { name: 'connection', summary: `${server}, ${words}`, findings: isSafe ? [] : [note] }
}
