// A place in a list as text for the address of its next page. It bears no seal: whoever edits it only comes to another
// place in a list of a store whose list they may read anyway.

import type { Position } from '@store-export/engine'

/*
 * Layout: whether the row has no creation time (1), creation time in microseconds since 2000 (8), id (16). Together 25
 * bytes, which is 34 characters without padding.
 */
const BYTES = 25
const SHAPE = /^[A-Za-z0-9_-]{34}$/

/** PostgreSQL's own range, so that no edited text becomes a timestamp that the database refuses. */
const TIMESTAMP_MIN = -211_813_488_000_000_000n
const TIMESTAMP_END = 9_223_371_331_200_000_000n
/** PostgreSQL counts from 2000. */
const EPOCH_MS = Date.UTC(2000, 0, 1)
const INFINITIES: readonly bigint[] = [2n ** 63n - 1n, -(2n ** 63n)]

/** The position as 34 characters that need no escaping in an address. */
export function encodePosition({ createdAt, id }: Position): string {
  const bytes = Buffer.alloc(BYTES)
  bytes[0] = createdAt === null ? 1 : 0
  bytes.writeBigInt64BE(createdAt ?? 0n, 1)
  bytes.write(id.replaceAll('-', ''), 9, 'hex')
  return bytes.toString('base64url')
}

/** The position that `text` names; null where it is none. One position has one text. */
export function decodePosition(text: string): Position | null {
  if (!SHAPE.test(text)) return null
  const bytes = Buffer.from(text, 'base64url')
  const isUndated = bytes[0] === 1
  const microseconds = bytes.readBigInt64BE(1)
  const id = bytes.toString('hex', 9).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  const position = { createdAt: isUndated ? null : microseconds, id }
  return isTimestamp(microseconds) && encodePosition(position) === text ? position : null
}

/** When the row at the position was created; null if it has no date, or one that is out of the range of dates. */
export function creationTime({ createdAt }: Position): Date | null {
  if (createdAt === null) return null
  const date = new Date(Number(createdAt / 1000n) + EPOCH_MS)
  return Number.isNaN(date.getTime()) ? null : date
}

function isTimestamp(microseconds: bigint): boolean {
  return (microseconds >= TIMESTAMP_MIN && microseconds < TIMESTAMP_END) || INFINITIES.includes(microseconds)
}
