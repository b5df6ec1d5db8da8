// Loads the secrets that encrypt passwords of stores and other secrets in the control database. The current secret is
// in the settings or in a file. Both together are an error, because it is unclear which one applies. During a rotation,
// the previous secret decrypts what is not encrypted again yet. It is only in the settings.

import { readFileSync } from 'node:fs'
import { ENCRYPTION_KEY_BYTES, EncryptionKey, type EncryptionKeys } from '@store-export/control'
import { type Config, InvalidSettingError } from './config.ts'

/** Returns the content of a file as text. Throws errors of the file system. */
export type ReadText = (path: string) => string

const HOW_TO_CREATE = `create one with "openssl rand -base64 ${ENCRYPTION_KEY_BYTES}"`

/**
 * Returns the keys; `previous` is null without STORE_EXPORT_SECRET_PREVIOUS. Throws `InvalidSettingError` if there is
 * no current secret, if there are two, if the file cannot be read, or if a secret is invalid.
 */
export function loadSecrets(
  config: Pick<Config, 'secret' | 'secretFile' | 'secretPrevious'>,
  readText: ReadText = (path) => readFileSync(path, 'utf8'),
): EncryptionKeys {
  const previous = config.secretPrevious
  return {
    current: loadCurrent(config, readText),
    previous: previous === null ? null : decodeKey('STORE_EXPORT_SECRET_PREVIOUS', previous.reveal()),
  }
}

function loadCurrent(config: Pick<Config, 'secret' | 'secretFile'>, readText: ReadText): EncryptionKey {
  const { secret, secretFile } = config
  if (secret !== null && secretFile !== null) {
    throw new InvalidSettingError(
      'STORE_EXPORT_SECRET',
      'set together with STORE_EXPORT_SECRET_FILE; unset one of them',
    )
  }
  if (secret !== null) {
    return decodeKey('STORE_EXPORT_SECRET', secret.reveal())
  }
  if (secretFile === null) {
    throw new InvalidSettingError(
      'STORE_EXPORT_SECRET',
      `not set, but it encrypts the passwords of store databases; ${HOW_TO_CREATE}, store it safely, ` +
        'and set it or STORE_EXPORT_SECRET_FILE',
    )
  }
  return decodeKey('STORE_EXPORT_SECRET_FILE', readSecretFile(secretFile, readText))
}

function readSecretFile(path: string, readText: ReadText): string {
  try {
    return readText(path)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable'
    throw new InvalidSettingError(
      'STORE_EXPORT_SECRET_FILE',
      `cannot read ${JSON.stringify(path)} (${code}); check the path and its permissions`,
      {
        cause,
      },
    )
  }
}

/**
 * Returns the key for base64 or base64url, with or without padding, spaces, and line breaks. `env` is the setting that
 * the error names. Throws `InvalidSettingError` for other text or another number of bytes.
 */
function decodeKey(env: string, text: string): EncryptionKey {
  const compact = text.replace(/\s/g, '')
  // `Buffer.from` also decodes base64url, but ignores invalid characters, so the pattern rejects them.
  const bytes = /^[A-Za-z0-9+/_-]*={0,2}$/.test(compact) ? Buffer.from(compact, 'base64') : null
  if (bytes === null || bytes.length !== ENCRYPTION_KEY_BYTES) {
    const got = bytes === null ? 'a string that is not base64' : `${bytes.length} bytes`
    throw new InvalidSettingError(env, `must be ${ENCRYPTION_KEY_BYTES} bytes in base64; got ${got}; ${HOW_TO_CREATE}`)
  }
  return new EncryptionKey(bytes)
}
