// Seals the passwords of store databases with AES-256-GCM. The store's ID is associated data, so a sealed password that is
// copied to another row does not open. The operator's settings provide the keys.

import { createCipheriv, createDecipheriv, createHash, createSecretKey, type KeyObject } from 'node:crypto'
import { sql } from '@store-export/postgres'
import type { ControlDatabase } from './database.ts'
import type { RandomBytes } from './random.ts'

/** A password as stored: base64 of version, key ID, nonce, tag and ciphertext. */
export type SealedPassword = string

/** Bytes of a sealing key. */
export const SEALING_KEY_BYTES = 32
const FINGERPRINT_BYTES = 8

/** A key of 256 bits. It cannot be printed. */
export class SealingKey {
  /** The key itself. Node needs three times as long for a cipher with the bytes of a key. */
  readonly object: KeyObject
  /** First byte of the key's hash: selects the key to try. */
  readonly id: number
  /** 64 bits of another hash of the key, in hexadecimal: distinguishes keys and reveals nothing about them. */
  readonly fingerprint: string

  constructor(bytes: Buffer) {
    if (bytes.length !== SEALING_KEY_BYTES)
      throw new RangeError(`a sealing key has ${SEALING_KEY_BYTES} bytes; got ${bytes.length}`)
    this.object = createSecretKey(bytes)
    const hashOf = (use: string) => createHash('sha256').update(`store-export key ${use}`).update(bytes).digest()
    this.id = hashOf('id').readUInt8(0)
    this.fingerprint = hashOf('fingerprint').toString('hex', 0, FINGERPRINT_BYTES)
  }
}

/** The key that seals, and the one before it, which still opens. */
export interface SealingKeys {
  readonly current: SealingKey
  readonly previous: SealingKey | null
}

/** The control database, and what seals passwords in it. */
export interface SealingContext {
  readonly database: ControlDatabase
  readonly keys: SealingKeys
  readonly random: RandomBytes
}

/** A sealed password that no key opens. */
export class SealingProblem extends Error {
  override readonly name = 'SealingProblem'
}

const CIPHER = 'aes-256-gcm'
const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 2
const TEXT_STARTS = HEADER_BYTES + NONCE_BYTES + TAG_BYTES

/** The password sealed with the current key, for this store only. */
export function sealPassword({
  keys: { current },
  storeId,
  password,
  random,
}: Omit<SealingContext, 'database'> & { readonly storeId: string; readonly password: string }): SealedPassword {
  const header = Buffer.from([VERSION, current.id])
  const nonce = random(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, current.object, nonce)
  cipher.setAAD(associated(header, storeId))
  const text = Buffer.concat([cipher.update(password, 'utf8'), cipher.final()])
  return Buffer.concat([header, nonce, cipher.getAuthTag(), text]).toString('base64')
}

/** The password. Throws `SealingProblem` if neither key opens it or it was sealed for another store. */
export function openPassword(keys: SealingKeys, storeId: string, sealed: SealedPassword): string {
  const bytes = Buffer.from(sealed, 'base64')
  if (bytes.length < TEXT_STARTS || bytes[0] !== VERSION)
    throw new SealingProblem(`the password of store ${storeId} is not sealed in a way this version knows`)
  for (const key of [keys.current, keys.previous]) {
    if (key !== null && key.id === bytes[1]) {
      const password = open(key, storeId, bytes)
      if (password !== null) return password
    }
  }
  throw new SealingProblem(
    `the password of store ${storeId} was encrypted with another secret: ` +
      "set that secret as STORE_EXPORT_SECRET_PREVIOUS, or set the store's URL with store-export stores set",
  )
}

/** Whether the current key, rather than the previous one, opens it. */
export function isSealedWithCurrent(keys: SealingKeys, storeId: string, sealed: SealedPassword): boolean {
  const bytes = Buffer.from(sealed, 'base64')
  return bytes.length >= TEXT_STARTS && bytes[1] === keys.current.id && open(keys.current, storeId, bytes) !== null
}

/** How many store passwords these keys can decrypt, and how many they can't. */
export interface DecryptionCounts {
  readonly opened: number
  readonly unopened: number
  /** The error of the first password that does not open; null if all open. */
  readonly problem: SealingProblem | null
}

/** Opens one password of each key, except that of the store `except`, and counts all passwords that this key sealed. */
export async function countOpenable(
  { pool }: ControlDatabase,
  keys: SealingKeys,
  except: string | null = null,
): Promise<DecryptionCounts> {
  // base64: the first 18 bits are the version, the key's ID, and two bits of the nonce
  const samples = await pool.query<{ id: string; sealed: SealedPassword; count: number }>(sql`
    select id, database_password as sealed, count
    from (
      select min(id::text collate "C")::uuid as id, count(*)::int as count from stores
      where database_password is not null and id is distinct from ${except}::uuid
      group by left(database_password, 3)) as sample
    join stores using (id) order by id`)
  const result = { opened: 0, unopened: 0, problem: null as SealingProblem | null }
  for (const { id, sealed, count } of samples) {
    const problem = problemOf(keys, id, sealed)
    if (problem === null) result.opened += count
    else result.unopened += count
    result.problem ??= problem
  }
  return result
}

function problemOf(keys: SealingKeys, id: string, sealed: SealedPassword): SealingProblem | null {
  try {
    openPassword(keys, id, sealed)
    return null
  } catch (error) {
    if (error instanceof SealingProblem) return error
    throw error
  }
}

function open(key: SealingKey, storeId: string, bytes: Buffer): string | null {
  const header = bytes.subarray(0, HEADER_BYTES)
  const nonce = bytes.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES)
  const decipher = createDecipheriv(CIPHER, key.object, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(associated(header, storeId))
  decipher.setAuthTag(bytes.subarray(HEADER_BYTES + NONCE_BYTES, TEXT_STARTS))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(TEXT_STARTS)), decipher.final()]).toString('utf8')
  } catch {
    // two keys can share an ID; the caller tries the other one
    return null
  }
}

function associated(header: Buffer, storeId: string): Buffer {
  return Buffer.concat([header, Buffer.from(storeId.toLowerCase(), 'utf8')])
}
