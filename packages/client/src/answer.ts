// An HTTP answer becomes data or an error. An answer that is not whole is a fault, never fewer rows.

import { ConnectionError, StoreExportError } from './errors.ts'
import type { RowsPage } from './walk.ts'

/** An answer, read whole. */
export interface WholeAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** The object of an answer. Throws what the answer is, where it is none. */
export function objectOf<Row>(answer: WholeAnswer): Row {
  const { data } = bodyOf(answer)
  if (typeof data !== 'object' || data === null || Array.isArray(data)) throw notUnderstood('it has no object')
  return data as Row
}

/** The rows of an answer. Throws what the answer is, where it is no list. */
export function pageOf<Row>(answer: WholeAnswer): RowsPage<Row> {
  const { data, meta } = bodyOf(answer)
  if (!Array.isArray(data) || typeof meta !== 'object' || meta === null) throw notUnderstood('it is no list')
  const { next_cursor: cursor, has_more: hasMore } = meta as { next_cursor?: unknown; has_more?: unknown }
  const isLast = hasMore === false && cursor === null
  if (!isLast && !(hasMore === true && typeof cursor === 'string')) throw notUnderstood('it does not say what follows')
  return { rows: data, cursor: isLast ? null : String(cursor), watermark: answer.headers.get('x-sync-watermark') }
}

function bodyOf(answer: WholeAnswer): { data?: unknown; meta?: unknown } {
  const { status, text } = answer
  if (status !== 200) throw errorOf(answer)
  const body = parsed(text)
  if (typeof body !== 'object' || body === null) throw notUnderstood('it is no JSON object, or was cut')
  return body
}

function errorOf({ status, headers, text }: WholeAnswer): StoreExportError {
  const { error } = (parsed(text) ?? {}) as { error?: { code?: unknown; message?: unknown } }
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function notUnderstood(why: string): ConnectionError {
  return new ConnectionError(`the answer was not understood: ${why}`)
}
