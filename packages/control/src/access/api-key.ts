// Creates and parses API keys. A key is a prefix, 256 random bits in base62, and a CRC32 of both in base62, as in
// GitHub's tokens. A key of any accepted prefix is valid, so a change of the prefix concerns only new keys. See
// https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/

import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { DEFAULT_KEY_PREFIX, KEY_PREFIX_PATTERN, KEY_REST_LENGTH } from '@store-export/contract'
import type { RandomBytes } from '../random.ts'
import { Secret } from '../secret.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_BYTES = 32
/** Characters of the checksum. 62^6 is the first power of 62 above 2^32. */
const CHECKSUM_LENGTH = 6
/** Characters of the secret part, 43. 62^43 is the first power of 62 above 2^256. */
const SECRET_LENGTH = KEY_REST_LENGTH - CHECKSUM_LENGTH
const SHAPE = new RegExp(`^${KEY_PREFIX_PATTERN}[0-9A-Za-z]{${KEY_REST_LENGTH}}$`)
/** Characters of the secret part that lists show after the prefix. */
const VISIBLE_SECRET_LENGTH = 8
const VISIBLE_END_LENGTH = 4

/** The complete text of a key. It prints as [key], so that no log or error message contains the text by accident. */
export class PlainKey extends Secret {
  constructor(text: string) {
    super(text, '[key]')
  }
}

/** The SHA-256 hash of a key, for the control database. A key has 256 random bits, so it needs no slow hash. */
export class HashedKey {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}

/** Returns a key that is made from bytes of `random`. It starts with `prefix`, which is `sdx_` by default. */
export function makeApiKey(random: RandomBytes, prefix: string = DEFAULT_KEY_PREFIX): PlainKey {
  const body = prefix + base62(BigInt(`0x${random(SECRET_BYTES).toString('hex')}`), SECRET_LENGTH)
  return new PlainKey(body + checksum(body))
}

/** Returns `text` as a key; null if its prefix, length, alphabet, or checksum is wrong. */
export function parseApiKey(text: string): PlainKey | null {
  if (!SHAPE.test(text)) return null
  const body = text.slice(0, -CHECKSUM_LENGTH)
  return checksum(body) === text.slice(-CHECKSUM_LENGTH) ? new PlainKey(text) : null
}

/** Returns the hash under which the control database stores a key. */
export function hashApiKey(key: PlainKey): HashedKey {
  return new HashedKey(hash('sha256', key.reveal(), 'buffer'))
}

/** Returns the parts that lists show: the prefix with eight characters of the secret part, and the last four. */
export function visibleParts(key: PlainKey): { prefix: string; lastFour: string } {
  const text = key.reveal()
  const prefixLength = text.length - KEY_REST_LENGTH
  return { prefix: text.slice(0, prefixLength + VISIBLE_SECRET_LENGTH), lastFour: text.slice(-VISIBLE_END_LENGTH) }
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_LENGTH)
}

function base62(value: bigint, length: number): string {
  let digits = ''
  for (let rest = value; digits.length < length; rest /= 62n) digits = ALPHABET.charAt(Number(rest % 62n)) + digits
  return digits
}
