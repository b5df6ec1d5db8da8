// Lets a client continue a list after a page, without state in the service. A cursor contains the position where the
// page ended, the watermark (the time for the client's next sync), and the end times `updated_until` and
// `created_until`. A seal (HMAC) binds these values to the list and the store. The service rejects an edited cursor,
// and a cursor of another list or store (R15 in docs/spec/readings.md). The limit and the other filters are not in the
// cursor and can change between pages.

import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { ApiError, type Microseconds, type Resource } from '@store-export/contract'
import type { Position, WindowField } from '@store-export/engine'
import { WINDOW_FIELDS, type WindowBounds } from './window.ts'

/** The contents of a cursor: where the list continues, and the end times that all its pages share. */
export interface CursorContent {
  /**
   * Position after which the next page begins: that of the last row of the page, or of the last row that it scanned.
   */
  readonly position: Position
  /** Watermark of the first page. */
  readonly watermark: Microseconds
  /** The end times `updated_until` and `created_until`, by the field that they limit; empty without end times. */
  readonly bounds: WindowBounds
}

/** The list that a cursor belongs to, and the secret that seals it. */
export interface CursorScope {
  readonly storeId: string
  readonly resource: Resource
  /**
   * 32 bytes that all nodes share. Passed as a `KeyObject`, because creating one for each cursor would cost more than
   * the seal.
   */
  readonly secret: KeyObject
}

/*
 * Version of the cursor's layout. The layout, with sizes in bytes: version (1), flags (1), creation time (8), ID (16),
 * watermark (8), each end time (8), seal (17 to 19). Times are microseconds since 2000. The number of bytes is a
 * multiple of three, so base64 needs no padding and has no spare bits, and every changed character is detected.
 */
const VERSION = 2
const FIXED_BYTES = 34
const TIME_BYTES = 8
const SEAL_BYTES_MIN = 17
const ENCODED = /^(?:[A-Za-z0-9_-]{68}|[A-Za-z0-9_-]{80}|[A-Za-z0-9_-]{92})$/
/** Flag: the row has no creation time. */
const UNDATED = 1
/** One flag per field: the cursor contains the end time for this field. */
const BOUNDED = { updated_at: 2, created_at: 4 } as const satisfies Record<WindowField, number>

/** Returns a cursor of 68, 80, or 92 characters. A client can put it into a URL without escaping it. */
export function sealCursor({ position, watermark, bounds }: CursorContent, scope: CursorScope): string {
  const bounded = WINDOW_FIELDS.filter((field) => bounds[field] !== undefined)
  const payload = Buffer.alloc(FIXED_BYTES + TIME_BYTES * bounded.length)
  payload[0] = VERSION
  payload[1] = bounded.reduce((flags, field) => flags | BOUNDED[field], position.createdAt === null ? UNDATED : 0)
  payload.writeBigInt64BE(position.createdAt ?? 0n, 2)
  payload.write(position.id.replaceAll('-', ''), 10, 'hex')
  payload.writeBigInt64BE(watermark, 26)
  for (const [at, field] of bounded.entries())
    payload.writeBigInt64BE(bounds[field] ?? watermark, FIXED_BYTES + TIME_BYTES * at)
  return Buffer.concat([payload, seal(payload, scope)]).toString('base64url')
}

/**
 * Returns the content of a cursor. Throws `INVALID_CURSOR` unless the service sealed `text` for this list and this
 * store.
 */
export function openCursor(text: string, scope: CursorScope): CursorContent {
  const bytes = ENCODED.test(text) ? Buffer.from(text, 'base64url') : Buffer.alloc(0)
  const flags = bytes[1] ?? 0
  const bounded = WINDOW_FIELDS.filter((field) => (flags & BOUNDED[field]) !== 0)
  const payload = bytes.subarray(0, FIXED_BYTES + TIME_BYTES * bounded.length)
  const [found, expected] = [bytes.subarray(payload.length), seal(payload, scope)]
  if (found.length !== expected.length || payload[0] !== VERSION || !timingSafeEqual(found, expected))
    throw new ApiError('INVALID_CURSOR', INVALID_MESSAGE)
  const id = payload.toString('hex', 10, 26).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  const position = { createdAt: (flags & UNDATED) === 0 ? payload.readBigInt64BE(2) : null, id }
  const bounds = Object.fromEntries(
    bounded.map((field, at) => [field, payload.readBigInt64BE(FIXED_BYTES + TIME_BYTES * at)]),
  )
  return { position, watermark: payload.readBigInt64BE(26), bounds }
}

const INVALID_MESSAGE =
  'cursor: could not be decoded; pass meta.next_cursor of the previous page unchanged, to the same list with a key of the same store, or start again without the parameter cursor'

/** Returns the first 17 to 19 bytes of the HMAC: as many as fill the cursor up to a multiple of three bytes. */
function seal(payload: Buffer, { secret, storeId, resource }: CursorScope): Buffer {
  const scoped = createHmac('sha256', secret).update(`${resource.list}\0${storeId}\0`).update(payload)
  return scoped.digest().subarray(0, SEAL_BYTES_MIN + ((3 - ((payload.length + SEAL_BYTES_MIN) % 3)) % 3))
}
