// Turns an HTTP response into data or an error. An incomplete response is an error, so no rows are lost silently.

import { ConnectionError, IgnoredParameterError, StoreExportError } from './errors.ts'
import type { NextSync, RowsPage } from './paged-list.ts'

/** A response whose body has arrived completely, before it is parsed. */
export interface CompleteResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Parses the body. Throws if it is not JSON. */
  readonly parse: (text: string) => unknown
}

/**
 * Returns the object in `data`. Throws `StoreExportError` unless the status is 200, and `ConnectionError` if the body
 * is not what the endpoint returns.
 */
export function responseObject<Row>(response: CompleteResponse): Row {
  const { data } = bodyOf(response)
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw unexpectedResponse('data is not an object')
  return data as Row
}

/**
 * Returns the page of rows. Throws `StoreExportError` unless the status is 200, and `ConnectionError` if the body is
 * not what the endpoint returns.
 */
export function responsePage<Row>(response: CompleteResponse): RowsPage<Row> {
  const { data, meta } = bodyOf(response)
  if (!Array.isArray(data) || typeof meta !== 'object' || meta === null) throw unexpectedResponse('it is not a list')
  const { next_cursor: cursor, has_more: hasMore } = meta as { next_cursor?: unknown; has_more?: unknown }
  const isLast = hasMore === false && cursor === null
  if (!isLast && !(hasMore === true && typeof cursor === 'string'))
    throw unexpectedResponse('next_cursor and has_more contradict each other')
  return {
    rows: data,
    cursor: isLast ? null : String(cursor),
    watermark: response.headers.get('x-sync-watermark'),
    nextSync: nextSyncOf(response.headers),
    storeFields: response.headers.get('x-store-fields'),
    servedAt: response.headers.get('date'),
  }
}

/**
 * Throws `IgnoredParameterError` if the service ignored a parameter of `query`. The header has the names of up to ten
 * ignored parameters, percent-encoded. Parameters that a proxy added are not in `query`, so they throw nothing.
 */
export function rejectIgnored({ headers }: CompleteResponse, path: string, query: URLSearchParams): void {
  const header = headers.get('x-ignored-params')
  if (header === null) return
  const ignored = header.split(',')
  const sent = [...query.keys()].filter((name) => ignored.includes(encodeURIComponent(name)))
  if (sent.length > 0) throw new IgnoredParameterError(path, sent)
}

/** Returns the filter for the next sync; null without the headers for it, or if they name an unknown parameter. */
function nextSyncOf(headers: Headers): NextSync | null {
  const watermark = headers.get('x-sync-watermark')
  const parameter = headers.get('x-sync-parameter')
  if (watermark === null) return null
  if (parameter === 'updated_since') return { updatedSince: watermark }
  return parameter === 'created_since' ? { createdSince: watermark } : null
}

function bodyOf(response: CompleteResponse): { data?: unknown; meta?: unknown } {
  if (response.status !== 200) throw errorOf(response)
  let body: unknown
  try {
    body = response.parse(response.text)
  } catch (cause) {
    throw unexpectedResponse('it is not JSON, or it was cut off', cause)
  }
  if (typeof body !== 'object' || body === null) throw unexpectedResponse('it is not a JSON object')
  return body
}

function errorOf(response: CompleteResponse): StoreExportError {
  const { status, headers } = response
  const { error } = (parsed(response) ?? {}) as { error?: { code?: unknown; message?: unknown } }
  const isFromService = typeof error?.code === 'string' && typeof error.message === 'string'
  const location = headers.get('location')
  const unknown =
    location === null
      ? 'the response is not from the service; check the address, and any proxy in between'
      : `the server redirects to ${location}; use that address`
  return new StoreExportError({
    code: isFromService ? String(error.code) : 'UNKNOWN',
    message: isFromService ? String(error.message) : unknown,
    status,
    requestId: headers.get('x-request-id'),
    retryAfterSeconds: secondsOf(headers.get('retry-after')),
    requiredScope: headers.get('x-required-scope'),
  })
}

/** Returns the value of `Retry-After` in seconds; null if it is absent, or a date, which the service does not send. */
function secondsOf(text: string | null): number | null {
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) : null
}

/** Returns the parsed body; undefined if it is not JSON, because such a response is not from the service. */
function parsed({ text, parse }: CompleteResponse): unknown {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

function unexpectedResponse(why: string, cause?: unknown): ConnectionError {
  return new ConnectionError(`unexpected response: ${why}`, { cause })
}
