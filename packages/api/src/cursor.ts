// Seals and opens cursors. A cursor has the position of the last row of a page. The service rejects an edited or
// truncated cursor, and a cursor of another list or store (R15). The limit and the filters can change between pages.

import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { ApiError, type Microseconds, type Resource } from '@store-export/contract'
import type { Position } from '@store-export/engine'

export interface CursorContent {
  /** Position of the last row. The next page begins after it. */
  readonly position: Position
  /** Watermark of the first page. */
  readonly watermark: Microseconds
}

/** The list that a cursor belongs to, and the secret that seals it. */
export interface CursorScope {
  readonly storeId: string
  readonly resource: Resource
  /** 32 bytes that all nodes share. It is a `KeyObject`, because creating one costs more than sealing a cursor. */
  readonly secret: KeyObject
}

/*
 * Layout, with sizes in bytes: version (1), 1 if the row has no creation time and 0 otherwise (1), creation time (8),
 * ID (16), watermark (8), seal (17). Times are microseconds since 2000. The 51 bytes are 68 base64 characters without
 * padding and without spare bits, so every changed character is detected.
 */
const VERSION = 2
const PAYLOAD_BYTES = 34
const SEAL_BYTES = 17
const ENCODED = /^[A-Za-z0-9_-]{68}$/

/** Returns a cursor of 68 characters, which need no escaping in a URL. */
export function sealCursor({ position, watermark }: CursorContent, scope: CursorScope): string {
  const payload = Buffer.alloc(PAYLOAD_BYTES)
  payload[0] = VERSION
  payload[1] = position.createdAt === null ? 1 : 0
  payload.writeBigInt64BE(position.createdAt ?? 0n, 2)
  payload.write(position.id.replaceAll('-', ''), 10, 'hex')
  payload.writeBigInt64BE(watermark, 26)
  return Buffer.concat([payload, seal(payload, scope)]).toString('base64url')
}

/** Returns the content of a cursor. Throws `INVALID_CURSOR` if the service did not seal it for this list and store. */
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
