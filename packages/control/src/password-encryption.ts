// Encrypts the passwords of store databases with AES-256-GCM. The store's ID is associated data, so a password that is
// copied to another row cannot be decrypted there. The same functions encrypt the dashboard's secret and the stored
// responses of the admin API. Another name then replaces the store's ID.

import { createCipheriv, createDecipheriv, createHash, createSecretKey, type KeyObject } from 'node:crypto'
import { sql } from '@store-export/postgres'
import type { ControlDatabase } from './database.ts'
import type { RandomBytes } from './random.ts'

/** An encrypted password in base64: version, key ID, nonce, tag, and ciphertext. */
export type EncryptedPassword = string

/** Size of an encryption key in bytes. */
export const ENCRYPTION_KEY_BYTES = 32
const FINGERPRINT_BYTES = 8

/**
 * A key of 256 bits that encrypts passwords. Its bytes don't appear when it is printed. The constructor throws
 * `RangeError` unless it gets 32 bytes.
 */
export class EncryptionKey {
  /** The key for Node's ciphers. With the bytes of the key, a cipher would take Node.js three times as long. */
  readonly object: KeyObject
  /** First byte of a hash of the key, which selects the key to try. */
  readonly id: number
  /** 64 bits of another hash of the key, in hexadecimal. It distinguishes keys and reveals nothing about them. */
  readonly fingerprint: string

  constructor(bytes: Buffer) {
    if (bytes.length !== ENCRYPTION_KEY_BYTES)
      throw new RangeError(`an encryption key has ${ENCRYPTION_KEY_BYTES} bytes; got ${bytes.length}`)
    this.object = createSecretKey(bytes)
    const hashOf = (use: string) => createHash('sha256').update(`store-export key ${use}`).update(bytes).digest()
    this.id = hashOf('id').readUInt8(0)
    this.fingerprint = hashOf('fingerprint').toString('hex', 0, FINGERPRINT_BYTES)
  }
}

/** The key that encrypts, and the previous key, which can still decrypt. */
export interface EncryptionKeys {
  readonly current: EncryptionKey
  readonly previous: EncryptionKey | null
}

/** The control database, its keys, and a source of random bytes. */
export interface EncryptionContext {
  readonly database: ControlDatabase
  readonly keys: EncryptionKeys
  readonly random: RandomBytes
}

/** Thrown for an encrypted password that no key can decrypt. */
export class DecryptionError extends Error {
  override readonly name = 'DecryptionError'
}

const CIPHER = 'aes-256-gcm'
const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 2
const TEXT_STARTS = HEADER_BYTES + NONCE_BYTES + TAG_BYTES

/** Returns the password, encrypted with the current key. Only `decryptPassword` for the same store can decrypt it. */
export function encryptPassword({
  keys: { current },
  storeId,
  password,
  random,
}: Omit<EncryptionContext, 'database'> & { readonly storeId: string; readonly password: string }): EncryptedPassword {
  const header = Buffer.from([VERSION, current.id])
  const nonce = random(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, current.object, nonce)
  cipher.setAAD(associated(header, storeId))
  const text = Buffer.concat([cipher.update(password, 'utf8'), cipher.final()])
  return Buffer.concat([header, nonce, cipher.getAuthTag(), text]).toString('base64')
}

/**
 * Returns the password. Throws `DecryptionError` if no key decrypts it, if it was encrypted for another store, or if
 * its format is unknown.
 */
export function decryptPassword(keys: EncryptionKeys, storeId: string, encrypted: EncryptedPassword): string {
  const bytes = Buffer.from(encrypted, 'base64')
  if (bytes.length < TEXT_STARTS || bytes[0] !== VERSION)
    throw new DecryptionError(`the password of store ${storeId} is not encrypted in a format that this version knows`)
  for (const key of [keys.current, keys.previous]) {
    if (key !== null && key.id === bytes[1]) {
      const password = decrypt(key, storeId, bytes)
      if (password !== null) return password
    }
  }
  throw new DecryptionError(
    `the password of store ${storeId} was encrypted with another secret; ` +
      "set that secret as STORE_EXPORT_SECRET_PREVIOUS, or set the store's URL with store-export stores set",
  )
}

/** Whether the current key encrypted this password for this store. False if the password can't be read. */
export function isEncryptedWithCurrent(keys: EncryptionKeys, storeId: string, encrypted: EncryptedPassword): boolean {
  const bytes = Buffer.from(encrypted, 'base64')
  return bytes.length >= TEXT_STARTS && bytes[1] === keys.current.id && decrypt(keys.current, storeId, bytes) !== null
}

/** Numbers of store passwords that the keys can and can't decrypt, estimated from samples. */
export interface DecryptionCounts {
  readonly decryptable: number
  readonly undecryptable: number
  /** The error of the first sample that no key can decrypt; null if there is none. */
  readonly error: DecryptionError | null
}

/**
 * Decrypts up to four passwords of each key ID as samples, and counts all passwords that they stand for. Ignores the
 * password of the store `except`.
 */
export async function countDecryptable(
  { pool }: ControlDatabase,
  keys: EncryptionKeys,
  except: string | null = null,
): Promise<DecryptionCounts> {
  // Three characters of base64 are 18 bits: the version, the key's ID, and two bits of the nonce.
  const samples = await pool.query<{ id: string; encrypted: EncryptedPassword; count: number }>(sql`
    select id, database_password as encrypted, count
    from (
      select min(id::text collate "C")::uuid as id, count(*)::int as count from stores
      where database_password is not null and id is distinct from ${except}::uuid
      group by left(database_password, 3)) as sample
    join stores using (id) order by id`)
  const result = { decryptable: 0, undecryptable: 0, error: null as DecryptionError | null }
  for (const { id, encrypted, count } of samples) {
    const error = errorOf(keys, id, encrypted)
    if (error === null) result.decryptable += count
    else result.undecryptable += count
    result.error ??= error
  }
  return result
}

function errorOf(keys: EncryptionKeys, id: string, encrypted: EncryptedPassword): DecryptionError | null {
  try {
    decryptPassword(keys, id, encrypted)
    return null
  } catch (error) {
    if (error instanceof DecryptionError) return error
    throw error
  }
}

/** Returns the password; null if the key doesn't decrypt it. */
function decrypt(key: EncryptionKey, storeId: string, bytes: Buffer): string | null {
  const header = bytes.subarray(0, HEADER_BYTES)
  const nonce = bytes.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES)
  const decipher = createDecipheriv(CIPHER, key.object, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(associated(header, storeId))
  decipher.setAuthTag(bytes.subarray(HEADER_BYTES + NONCE_BYTES, TEXT_STARTS))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(TEXT_STARTS)), decipher.final()]).toString('utf8')
  } catch {
    // Two keys can have the same ID. The caller tries the other key.
    return null
  }
}

/** Returns the associated data. An ID in upper case gives the same data as in lower case. */
function associated(header: Buffer, storeId: string): Buffer {
  return Buffer.concat([header, Buffer.from(storeId.toLowerCase(), 'utf8')])
}
