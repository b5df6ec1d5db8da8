// Lets an operator find a request in the logs of its client and of proxies, by two headers: `x-request-id`, and
// `traceparent` (W3C Trace Context). The service replaces a value that could be a secret, because the value would reach
// the log.

import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { KEY_IN_TEXT } from '@store-export/contract'

/** The IDs of a request in the log, and the response headers that return them. */
export interface RequestIds {
  /** The ID that the client sent, or a new UUID if it sent no safe ID. */
  readonly requestId: string
  /** The trace context that the client sent; null without a valid one. */
  readonly traceContext: TraceContext | null
  readonly headers: Readonly<Record<string, string>>
}

/** The trace that a request belongs to, and the client's span: 32 and 16 hexadecimal digits in lower case. */
export interface TraceContext {
  readonly traceId: string
  readonly parentId: string
}

/**
 * Returns the IDs of a request. An ID is invalid if its header is repeated, because Node joins the values with a comma.
 */
export function readRequestIds(headers: IncomingHttpHeaders): RequestIds {
  const sent = headers['x-request-id']
  const requestId = typeof sent === 'string' && isSafe(sent) ? sent : randomUUID()
  const trace = typeof headers.traceparent === 'string' ? parseTraceparent(headers.traceparent) : null
  if (trace === null) return { requestId, traceContext: null, headers: { 'x-request-id': requestId } }
  const { traceId, parentId, flags } = trace
  const traceparent = `00-${traceId}-${parentId}-${flags}`
  return { requestId, traceContext: { traceId, parentId }, headers: { 'x-request-id': requestId, traceparent } }
}

const ID_CHARACTERS_MAX = 128

/**
 * Matches IDs of allowed characters that contain no API key and no token of 40 characters or more. The log would
 * replace such a key or token (R44 in docs/spec/readings.md).
 */
const SAFE_ID = new RegExp(`^(?!.*(${KEY_IN_TEXT}))(?!.*[\\w+-]{40})[\\w.:/+-]+$`)

function isSafe(text: string): boolean {
  return text.length <= ID_CHARACTERS_MAX && SAFE_ID.test(text)
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-|$)/
const ONLY_ZEROS = /^0+$/

/**
 * Returns the parsed header; null for an invalid value. Versions after 00 can append members, which the service
 * ignores.
 */
function parseTraceparent(text: string): (TraceContext & { readonly flags: string }) | null {
  const [matched = '', version, traceId = '', parentId = '', flags = ''] = TRACEPARENT.exec(text) ?? []
  if (version === undefined || version === 'ff' || ONLY_ZEROS.test(traceId) || ONLY_ZEROS.test(parentId)) return null
  return version === '00' && matched.length < text.length ? null : { traceId, parentId, flags }
}
