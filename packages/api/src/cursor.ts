// A place in a list, sealed for the client: it says where the next page begins and is refused when edited, cut, or
// brought from another list or store (R15). It binds neither limit nor filters, so both may change between pages.

import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { ApiError, type Microseconds, type Resource } from '@store-export/contract'
import type { Position } from '@store-export/engine'

/** Where a walk is. */
export interface CursorContent {
  /** The row behind which the next page begins. */
  readonly position: Position
  /** That of the walk's first page. */
  readonly watermark: Microseconds
}

/** Whose list the cursor belongs to. */
export interface CursorScope {
  readonly storeId: string
  readonly resource: Resource
  /** 32 bytes that all nodes share, made a key once: to make one of bytes costs more than to seal with it. */
  readonly secret: KeyObject
}

/*
 * Layout: version (1), whether the row has no creation time (1), creation time in microseconds since 2000 (8), id (16),
 * watermark in microseconds since 2000 (8), then the seal (17: base64 without a spare bit, so that every character counts).
 * Together 51 bytes, which is 68 characters without padding.
 */
const VERSION = 2
const PAYLOAD_BYTES = 34
const SEAL_BYTES = 17
const ENCODED = /^[A-Za-z0-9_-]{68}$/

/** The cursor for the page behind a place: 68 characters that need no escaping in a URL. */
export function sealCursor({ position, watermark }: CursorContent, scope: CursorScope): string {
  const payload = Buffer.alloc(PAYLOAD_BYTES)
  payload[0] = VERSION
  payload[1] = position.createdAt === null ? 1 : 0
  payload.writeBigInt64BE(position.createdAt ?? 0n, 2)
  payload.write(position.id.replaceAll('-', ''), 10, 'hex')
  payload.writeBigInt64BE(watermark, 26)
  return Buffer.concat([payload, seal(payload, scope)]).toString('base64url')
}

/** The place a cursor names; throws `INVALID_CURSOR` where it is not one of ours for this list and store. */
export function openCursor(text: string, scope: CursorScope): CursorContent {
  const bytes = ENCODED.test(text) ? Buffer.from(text, 'base64url') : Buffer.alloc(0)
  const payload = bytes.subarray(0, PAYLOAD_BYTES)
  const found = bytes.subarray(PAYLOAD_BYTES)
  if (found.length !== SEAL_BYTES || payload[0] !== VERSION || !timingSafeEqual(found, seal(payload, scope)))
    throw new ApiError('INVALID_CURSOR', INVALID_MESSAGE)
  const id = payload.toString('hex', 10, 26).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  const position = { createdAt: payload[1] === 1 ? null : payload.readBigInt64BE(2), id }
  return { position, watermark: payload.readBigInt64BE(26) }
}

const INVALID_MESSAGE =
  'cursor: could not be decoded; pass meta.next_cursor of the previous page unchanged, to the same list with a key of the same store, or start again without cursor'

function seal(payload: Buffer, { secret, storeId, resource }: CursorScope): Buffer {
  const scoped = createHmac('sha256', secret).update(`${resource.list}\0${storeId}\0`).update(payload)
  return scoped.digest().subarray(0, SEAL_BYTES)
}
