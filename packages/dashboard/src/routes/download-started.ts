// Tells the script of a page that a download has started, because a page gets no event from a download.

import { serialize } from 'hono/utils/cookie'
import { cookieAttributes } from '../security/cookie-attributes.ts'
import type { DashboardRequest } from './dashboard-request.ts'

const NAME = 'download_started'
/** Lifetime of the cookie, in seconds. */
const SECONDS = 60

/**
 * Returns the header that sets a cookie to the token in the URL, which the script made; no header without a token. The
 * cookie isn't `httpOnly`, because the script waits for it.
 */
export function downloadStarted({ context, services }: DashboardRequest): Readonly<Record<string, string>> {
  const token = context.req.query('started') ?? ''
  if (!/^[a-z0-9]{1,32}$/.test(token)) return {}
  const options = { path: '/', ...cookieAttributes(services.origins), maxAge: SECONDS }
  return { 'set-cookie': serialize(NAME, token, options) }
}
