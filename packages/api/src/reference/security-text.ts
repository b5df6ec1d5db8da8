// Tells finders of a vulnerability where to report it: `/.well-known/security.txt` (RFC 9116). The document must have
// an expiry date, so the service creates it again each day.

import { ApiError } from '@store-export/contract'
import { dataRoute, headersWith, REVALIDATED, type ReferenceRoute } from './reference-route.ts'

/** The contact and the address that `security.txt` contains, and the clock for its expiry date. */
export interface SecurityTextOptions {
  /** URI for reports; null for a document that returns 404. */
  readonly contact: string | null
  /** Public address of the service without a trailing slash. If it is absent, the document has no line `Canonical`. */
  readonly baseUrl?: string
  /** Returns the milliseconds since 1970. */
  readonly now: () => number
}

const PATH = '/.well-known/security.txt'
const PLAIN = 'text/plain; charset=utf-8'
const DAY_MS = 86_400_000
/** Days until the expiry date. RFC 9116 recommends less than a year. */
const VALID_DAYS = 180

/**
 * Returns the route of `/.well-known/security.txt`, with an expiry date 180 days after the current day. If the contact
 * is null, requests get 404.
 */
export function securityText(options: SecurityTextOptions): ReferenceRoute {
  const { contact, now } = options
  if (contact === null) return absentDocument()
  let current: { readonly day: number; readonly document: ReferenceRoute } | null = null
  const documentOf = (day: number) => {
    if (current?.day !== day) current = { day, document: dataRoute(PATH, PLAIN, textOf(contact, day, options)) }
    return current.document
  }
  const today = () => documentOf(Math.floor(now() / DAY_MS))
  return { ...today(), at: today }
}

function textOf(contact: string, day: number, { baseUrl }: SecurityTextOptions): string {
  const expires = new Date((day + VALID_DAYS) * DAY_MS).toISOString()
  const canonical = baseUrl === undefined ? '' : `Canonical: ${baseUrl}${PATH}\n`
  return `Contact: ${contact}\nExpires: ${expires}\n${canonical}`
}

function absentDocument(): ReferenceRoute {
  const body = () => Promise.reject(new ApiError('NOT_FOUND', 'no such path; this service names no security contact'))
  return { path: PATH, contentType: PLAIN, headers: headersWith("default-src 'none'"), body, cacheControl: REVALIDATED }
}
