// Creates complete responses of the API. The whole body exists before the first byte is sent, so that
// serve-request.ts can send its length. With the length, a client can detect a response that was cut.

import { ApiError, ERRORS, type ErrorCode, type ErrorDeclaration } from '@store-export/contract'
import { ControlDatabaseError } from '@store-export/control'
import { type PageWriter, StoreDatabaseError } from '@store-export/engine'
import { errorLinks, SERVICE_LINKS } from './links.ts'

/** A complete response that the service has not sent yet. */
export interface ApiResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** Number of rows in the body; 0 for an error or a document. */
  readonly rows: number
  /** Releases the memory of `body`. Call it after the last read of `body`. Absent if there is nothing to release. */
  readonly release?: () => void
}

/**
 * Headers of every response (R27 in docs/spec/readings.md). Documents replace `cache-control` and `vary`. Errors, pages
 * with a next page, and the API catalog replace `link`.
 */
export const API_HEADERS = {
  'cache-control': 'private, no-store',
  vary: 'x-api-key, accept-encoding',
  'x-content-type-options': 'nosniff',
  link: SERVICE_LINKS,
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** The JSON before the first row: of a response with one object, and of a list. */
export const OPENING = { object: '{"data":', list: '{"data":[' } as const

/**
 * Returns the response with one object. `page` starts with `OPENING.object`, and the response takes over its memory.
 */
export function objectResponse(page: PageWriter): ApiResponse {
  const { out, rows } = page
  out.putAscii('}')
  return { ...jsonResponse(200, out.result(), rows), release: () => page.release() }
}

/**
 * Returns the response with a page of a list. `page` starts with `OPENING.list`, and the response takes over its
 * memory. `nextCursor` is null for the last page.
 */
export function listResponse(page: PageWriter, nextCursor: string | null): ApiResponse {
  const { out, rows } = page
  const cursor = nextCursor === null ? 'null' : `"${nextCursor}"`
  out.putAscii(`],"meta":{"next_cursor":${cursor},"has_more":${nextCursor !== null}}}`)
  return { ...jsonResponse(200, out.result(), rows), release: () => page.release() }
}

/**
 * Returns the response for an error. An `ApiError` has its own status and message. Any other error gets 502, and its
 * message stays private (R5 in docs/spec/readings.md). `random` returns a number from 0 to less than 1, which spreads
 * `Retry-After`.
 */
export function errorResponse(error: unknown, random: () => number = Math.random): ApiResponse {
  const { code, message, status, headers } = error instanceof ApiError ? error : databaseError(error)
  const { body, ...rest } = jsonResponse(status, Buffer.from(JSON.stringify({ error: { code, message } })), 0)
  const link = errorLinks(code)
  return { ...rest, body, headers: { ...rest.headers, link, ...retryAfter(code, random), ...headers } }
}

/**
 * Returns `retry-after` with a random value in the range that the error code declares, so that clients retry at
 * different times. Returns no header for a code without a range.
 */
function retryAfter(code: ErrorCode, random: () => number): Readonly<Record<string, string>> {
  const { retryAfterSeconds }: ErrorDeclaration = ERRORS[code]
  if (retryAfterSeconds === undefined) return {}
  const { min, max } = retryAfterSeconds
  return { 'retry-after': String(min + Math.floor(random() * (max - min + 1))) }
}

/** What a client must do after status 502. */
export const TRY_AGAIN = 'try again after the number of seconds in the header Retry-After, with exponential backoff'

/**
 * Returns the error that the client gets in place of `error`. All causes have one code, and no message is passed on.
 */
function databaseError(error: unknown): ApiError {
  return new ApiError('STORE_DB_ERROR', `${failureOf(error)}; ${TRY_AGAIN}`)
}

function failureOf(error: unknown): string {
  if (error instanceof StoreDatabaseError) return 'the store database could not be read'
  if (error instanceof ControlDatabaseError)
    return 'the service could not check the API key, because its own database did not respond'
  return 'the service failed because of an internal error'
}

/** Returns a response with this JSON as its body. */
export function jsonResponse(status: number, body: Buffer, rows: number): ApiResponse {
  return { status, headers: { 'content-type': JSON_TYPE }, body, rows }
}
