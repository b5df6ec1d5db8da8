// Splits and joins the connection URLs of stores. The registry stores a URL without its password, and the encrypted
// password.

import { splitPassword, withPassword } from '@store-export/postgres'
import {
  decryptPassword,
  type EncryptedPassword,
  type EncryptionContext,
  type EncryptionKeys,
  encryptPassword,
} from './password-encryption.ts'
import { Secret } from './secret.ts'

/** A store's connection URL as the registry stores it: without its password, which is encrypted. */
interface EncryptedAddress {
  /** The store for which the password was encrypted. With another ID, the decryption fails. */
  readonly storeId: string
  readonly databaseUrl: string
  /** Null if the URL has no password. */
  readonly encryptedPassword: EncryptedPassword | null
}

/**
 * Returns the connection URL as a string with its password. Pass it only to the PostgreSQL client, and use
 * `decryptStoreUrl` elsewhere. Throws `DecryptionError` if no key decrypts the password.
 */
export function connectionUrlOf(
  keys: EncryptionKeys,
  { storeId, databaseUrl, encryptedPassword }: EncryptedAddress,
): string {
  return withPassword(
    databaseUrl,
    encryptedPassword === null ? null : decryptPassword(keys, storeId, encryptedPassword),
  )
}

/**
 * Returns the connection URL as a `Secret`; null for a store without a database. Throws `DecryptionError` if no key
 * decrypts the password.
 */
export function decryptStoreUrl(
  keys: EncryptionKeys,
  store: Pick<EncryptedAddress, 'encryptedPassword'> & { readonly id: string; readonly databaseUrl: string | null },
): Secret | null {
  const { id: storeId, databaseUrl, encryptedPassword } = store
  if (databaseUrl === null) return null
  return new Secret(connectionUrlOf(keys, { storeId, databaseUrl, encryptedPassword }), '[connection URL]')
}

/**
 * Returns the URL without its password, and the encrypted password. `url` is null without a database, and `encrypted`
 * without a password. Throws `InvalidUrlError`.
 */
export function encryptUrl(
  { keys, random }: EncryptionContext,
  storeId: string,
  databaseUrl: string | null,
): { url: string | null; encrypted: EncryptedPassword | null } {
  if (databaseUrl === null) return { url: null, encrypted: null }
  const { url, password } = splitPassword(databaseUrl)
  return { url, encrypted: password === null ? null : encryptPassword({ keys, storeId, password, random }) }
}
