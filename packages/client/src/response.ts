// An HTTP answer becomes data or an error. An answer that is not whole is a fault, never fewer rows.

import { ConnectionError, StoreExportError } from './errors.ts'
import type { NextSync, RowsPage } from './paged-list.ts'

/** An answer, read whole. */
export interface CompleteResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** What makes values of the text; throws where it is no JSON. */
  readonly parse: (text: string) => unknown
}

/** The object of an answer. Throws what the answer is, where it is none. */
export function responseObject<Row>(answer: CompleteResponse): Row {
  const { data } = bodyOf(answer)
  if (typeof data !== 'object' || data === null || Array.isArray(data)) throw unexpectedResponse('it has no object')
  return data as Row
}

/** The rows of an answer. Throws what the answer is, where it is no list. */
export function responsePage<Row>(answer: CompleteResponse): RowsPage<Row> {
  const { data, meta } = bodyOf(answer)
  if (!Array.isArray(data) || typeof meta !== 'object' || meta === null) throw unexpectedResponse('it is no list')
  const { next_cursor: cursor, has_more: hasMore } = meta as { next_cursor?: unknown; has_more?: unknown }
  const isLast = hasMore === false && cursor === null
  if (!isLast && !(hasMore === true && typeof cursor === 'string'))
    throw unexpectedResponse('it does not say what follows')
  return {
    rows: data,
    cursor: isLast ? null : String(cursor),
    watermark: answer.headers.get('x-sync-watermark'),
    nextSync: nextSyncOf(answer.headers),
    servedAt: answer.headers.get('date'),
  }
}

function nextSyncOf(headers: Headers): NextSync | null {
  const watermark = headers.get('x-sync-watermark')
  const parameter = headers.get('x-sync-parameter')
  if (watermark === null) return null
  if (parameter === 'updated_since') return { updatedSince: watermark }
  return parameter === 'created_since' ? { createdSince: watermark } : null
}

function bodyOf(answer: CompleteResponse): { data?: unknown; meta?: unknown } {
  if (answer.status !== 200) throw errorOf(answer)
  let body: unknown
  try {
    body = answer.parse(answer.text)
  } catch (cause) {
    throw unexpectedResponse('it is no JSON, or was cut', cause)
  }
  if (typeof body !== 'object' || body === null) throw unexpectedResponse('it is no JSON object')
  return body
}

function errorOf(answer: CompleteResponse): StoreExportError {
  const { status, headers } = answer
  const { error } = (parsed(answer) ?? {}) as { error?: { code?: unknown; message?: unknown } }
  const isOurs = typeof error?.code === 'string' && typeof error.message === 'string'
  const location = headers.get('location')
  const strange =
    location === null ? 'the answer is not the service’s own' : `the address leads on to ${location}; use that one`
  return new StoreExportError({
    code: isOurs ? String(error.code) : 'UNKNOWN',
    message: isOurs ? String(error.message) : strange,
    status,
    requestId: headers.get('x-request-id'),
    retryAfterSeconds: secondsOf(headers.get('retry-after')),
  })
}

function secondsOf(text: string | null): number | null {
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) : null
}

/** What is no JSON is no answer of the service. */
function parsed({ text, parse }: CompleteResponse): unknown {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

function unexpectedResponse(why: string, cause?: unknown): ConnectionError {
  return new ConnectionError(`the answer was not understood: ${why}`, { cause })
}
