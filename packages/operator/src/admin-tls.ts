// Reads the certificate of the admin API, its key, and the CA of its clients from the files in the settings.

import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { AdminTls } from '@store-export/admin'
import { type Config, InvalidSettingError } from './config.ts'

/**
 * Returns the PEM texts; null if none of the three files is set. Throws `InvalidSettingError` if the certificate or the
 * key is not set, or if a file can't be read or is not valid.
 */
export function readAdminTls(
  config: Pick<Config, 'adminTlsCertFile' | 'adminTlsKeyFile' | 'adminTlsClientCaFile'>,
): AdminTls | null {
  const { adminTlsCertFile: cert, adminTlsKeyFile: key, adminTlsClientCaFile: clientCa } = config
  if (cert === null && key === null && clientCa === null) return null
  if (cert === null) throw missing('STORE_EXPORT_ADMIN_TLS_CERT_FILE')
  if (key === null) throw missing('STORE_EXPORT_ADMIN_TLS_KEY_FILE')
  const tls = {
    cert: read('STORE_EXPORT_ADMIN_TLS_CERT_FILE', cert),
    key: read('STORE_EXPORT_ADMIN_TLS_KEY_FILE', key),
    clientCa: clientCa === null ? null : read('STORE_EXPORT_ADMIN_TLS_CLIENT_CA_FILE', clientCa),
  }
  requireValid(tls)
  return tls
}

function requireValid({ cert, key, clientCa }: AdminTls): void {
  try {
    createSecureContext({ cert, key, ...(clientCa === null ? {} : { ca: clientCa }) })
  } catch (cause) {
    // The error of Node.js doesn't say which of the files is wrong.
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `the certificate, its key, and the client CA must be valid PEM files that belong together (${reason})`
    throw new InvalidSettingError('STORE_EXPORT_ADMIN_TLS_CERT_FILE', message, { cause })
  }
}

function missing(env: string): InvalidSettingError {
  return new InvalidSettingError(env, 'not set; TLS of the admin API needs a certificate and its key')
}

function read(env: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable'
    const message = `cannot read ${JSON.stringify(path)} (${code}); check the path and its permissions`
    throw new InvalidSettingError(env, message, { cause })
  }
}
