// An answer before it is sent: status, headers and a whole body. Errors and pages alike become one of these.

import { ApiError, ERRORS, type ErrorCode, type ErrorDeclaration } from '@store-export/contract'
import { ControlDatabaseError } from '@store-export/control'
import { type PageWriter, StoreDatabaseError } from '@store-export/engine'
import { SERVICE_LINK } from './reference/reference-routes.ts'

/** A whole answer. */
export interface ApiResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly rows: number
  /** Gives back the memory that the body lies in; to be called when nothing reads it any more. */
  readonly release?: () => void
}

/** Headers of every response of the API (R27). Documents have their own `cache-control`. */
export const API_HEADERS = {
  'cache-control': 'private, no-store',
  vary: 'x-api-key, accept-encoding',
  'x-content-type-options': 'nosniff',
  link: SERVICE_LINK,
}

const JSON_TYPE = 'application/json; charset=utf-8'

/** Bytes that stand before the first row: of an object or of a list. */
export const OPENING = { object: '{"data":', list: '{"data":[' } as const

/** The answer that holds one object. */
export function objectResponse(page: PageWriter): ApiResponse {
  const { out, rows } = page
  out.putAscii('}')
  return { ...jsonResponse(200, out.result(), rows), release: () => page.release() }
}

/** The answer that holds a list; `nextCursor` is null on the last page. */
export function listResponse(page: PageWriter, nextCursor: string | null): ApiResponse {
  const { out, rows } = page
  const cursor = nextCursor === null ? 'null' : `"${nextCursor}"`
  out.putAscii(`],"meta":{"next_cursor":${cursor},"has_more":${nextCursor !== null}}}`)
  return { ...jsonResponse(200, out.result(), rows), release: () => page.release() }
}

/** The response to an error; `random` is from 0 to 1. Only an `ApiError` says more than which part failed (R5). */
export function errorResponse(error: unknown, random: () => number = Math.random): ApiResponse {
  const { code, message, status, headers } = error instanceof ApiError ? error : databaseError(error)
  const { body, ...rest } = jsonResponse(status, Buffer.from(JSON.stringify({ error: { code, message } })), 0)
  return { ...rest, body, headers: { ...rest.headers, ...retryAfter(code, random), ...headers } }
}

/** Random within its range, so that clients that failed together do not retry together (R41). */
function retryAfter(code: ErrorCode, random: () => number): Readonly<Record<string, string>> {
  const { retryAfterSeconds }: ErrorDeclaration = ERRORS[code]
  if (retryAfterSeconds === undefined) return {}
  const { min, max } = retryAfterSeconds
  return { 'retry-after': String(min + Math.floor(random() * (max - min + 1))) }
}

const TRY_AGAIN = 'try again after the seconds in the header Retry-After, with exponential backoff'

function databaseError(error: unknown): ApiError {
  return new ApiError('STORE_DB_ERROR', `${failureOf(error)}; ${TRY_AGAIN}`)
}

function failureOf(error: unknown): string {
  if (error instanceof StoreDatabaseError) return 'the store database could not be read'
  if (error instanceof ControlDatabaseError)
    return 'the service could not check the API key, because its own database did not respond'
  return 'the service failed because of an internal error'
}

function jsonResponse(status: number, body: Buffer, rows: number): ApiResponse {
  return { status, headers: { 'content-type': JSON_TYPE }, body, rows }
}
