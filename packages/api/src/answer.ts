// An answer before it is sent: status, headers and a whole body. Errors and pages alike become one of these.

import { ApiError } from '@store-export/contract'
import type { PageWriter } from '@store-export/engine'

/** A whole answer. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly rows: number
  /** Gives back the memory that the body lies in; to be called when nothing reads it any more. */
  readonly release?: () => void
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** Bytes that stand before the first row: of an object or of a list. */
export const LEAD = { object: '{"data":', list: '{"data":[' } as const

/** The answer that holds one object. */
export function objectAnswer(page: PageWriter): Answer {
  const { out, rows } = page
  out.putAscii('}')
  return { ...json(200, out.result(), rows), release: () => page.release() }
}

/** The answer that holds a list; `nextCursor` is null on the last page. */
export function listAnswer(page: PageWriter, nextCursor: string | null): Answer {
  const { out, rows } = page
  const cursor = nextCursor === null ? 'null' : `"${nextCursor}"`
  out.putAscii(`],"meta":{"next_cursor":${cursor},"has_more":${nextCursor !== null}}}`)
  return { ...json(200, out.result(), rows), release: () => page.release() }
}

/** The answer that says what went wrong. Anything but an `ApiError` says no more than that it failed (R5). */
export function errorAnswer(error: unknown): Answer {
  const { code, message, status, headers } = error instanceof ApiError ? error : unavailable()
  const { body, ...rest } = json(status, Buffer.from(JSON.stringify({ error: { code, message } })), 0)
  return { ...rest, body, headers: { ...rest.headers, ...headers } }
}

function unavailable(): ApiError {
  return new ApiError('STORE_DB_ERROR', 'the store database could not be read; try again with exponential backoff')
}

function json(status: number, body: Buffer, rows: number): Answer {
  return { status, headers: { 'content-type': JSON_TYPE }, body, rows }
}
