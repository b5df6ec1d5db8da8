// Encodes a position in a list for the URL of the next page. The text needs no signature: if a merchant changes it, the
// page shows other rows of a list that the merchant can read.

import type { Position } from '@store-export/engine'

/*
 * Number of bytes of a position. Byte 0 is 1 if the row has no creation time, otherwise 0. Bytes 1 to 8 are the
 * creation time in microseconds since 2000. Bytes 9 to 24 are the ID. The 25 bytes are 34 characters of base64url
 * without padding.
 */
const BYTES = 25
const SHAPE = /^[A-Za-z0-9_-]{34}$/

/** The range of PostgreSQL timestamps, so that the database accepts every decoded position. */
const TIMESTAMP_MIN = -211_813_488_000_000_000n
const TIMESTAMP_END = 9_223_371_331_200_000_000n
/** Epoch of PostgreSQL timestamps, in ms since 1970. */
const EPOCH_MS = Date.UTC(2000, 0, 1)
/** PostgreSQL's `infinity` and `-infinity`, which are outside the range of the other timestamps. */
const INFINITIES: readonly bigint[] = [2n ** 63n - 1n, -(2n ** 63n)]

/** Returns the position as 34 characters that need no escaping in a URL. */
export function encodePosition({ createdAt, id }: Position): string {
  const bytes = Buffer.alloc(BYTES)
  bytes[0] = createdAt === null ? 1 : 0
  bytes.writeBigInt64BE(createdAt ?? 0n, 1)
  bytes.write(id.replaceAll('-', ''), 9, 'hex')
  return bytes.toString('base64url')
}

/** Returns the position; null if `text` is not an encoded position. Each position has exactly one text. */
export function decodePosition(text: string): Position | null {
  if (!SHAPE.test(text)) return null
  const bytes = Buffer.from(text, 'base64url')
  const isUndated = bytes[0] === 1
  const microseconds = bytes.readBigInt64BE(1)
  const id = bytes.toString('hex', 9).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  const position = { createdAt: isUndated ? null : microseconds, id }
  return isTimestamp(microseconds) && encodePosition(position) === text ? position : null
}

/** Returns the creation time at the position; null if it has no creation time, or if a `Date` can't represent it. */
export function creationTime({ createdAt }: Position): Date | null {
  if (createdAt === null) return null
  const date = new Date(Number(createdAt / 1000n) + EPOCH_MS)
  return Number.isNaN(date.getTime()) ? null : date
}

function isTimestamp(microseconds: bigint): boolean {
  return (microseconds >= TIMESTAMP_MIN && microseconds < TIMESTAMP_END) || INFINITIES.includes(microseconds)
}
