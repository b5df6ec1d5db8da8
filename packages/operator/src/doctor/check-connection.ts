// Checks the encryption of a connection, without reading anything itself.

import type { describeTls } from '@store-export/postgres'
import type { DoctorCheck, DoctorFinding } from './report.ts'

/** Whether a connection is encrypted, and whether its URL requires this. */
export interface ConnectionSecurity {
  readonly usesTls: boolean
  /** The encryption that the connection URL requires. */
  readonly requestedTls: ReturnType<typeof describeTls>
}

/**
 * Checks a connection. It needs no note if it uses a Unix socket, or TLS with a verified certificate. Otherwise, the
 * finding is only a note, because the network can be private. `server` is the first part of the summary.
 */
export function checkConnection(server: string, { usesTls, requestedTls }: ConnectionSecurity): DoctorCheck {
  const encryption = usesTls ? `TLS (${requestedTls})` : requestedTls === 'local socket' ? requestedTls : 'no TLS'
  const isSafe = requestedTls === 'local socket' || (usesTls && requestedTls === 'verified')
  const note: DoctorFinding = {
    severity: 'note',
    code: usesTls ? 'tls_not_verified' : 'no_tls',
    message: usesTls ? 'the certificate of the server is not verified' : 'the connection is not encrypted',
    fix: 'add sslmode=verify-full to the connection URL, unless the network is private',
  }
  return { name: 'connection', summary: `${server}, ${encryption}`, findings: isSafe ? [] : [note] }
}
