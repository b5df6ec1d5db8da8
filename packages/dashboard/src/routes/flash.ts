// Passes the name of a message through a redirect to the next page, in a cookie. That page deletes the cookie, so a
// reload doesn't repeat the message. The page ignores a name that it doesn't know.

import { getCookie } from 'hono/cookie'
import { serialize } from 'hono/utils/cookie'
import { cookieAttributes } from '../security/cookie-attributes.ts'
import type { DashboardRequest } from './dashboard-request.ts'

const NAME = 'flash'
/** Lifetime of the cookie, in seconds. Without a next page, the message must not come up much later. */
const SECONDS = 60

/** Returns the cookie for a message, such as `revoked.<key ID>`. */
export function flashCookie(request: DashboardRequest, value: string): string {
  return cookie(request, value, SECONDS)
}

/** Returns the message and the cookie that deletes it; '' and no cookies without a message. */
export function takeFlash(request: DashboardRequest): { readonly value: string; readonly cookies: readonly string[] } {
  const value = getCookie(request.context, NAME) ?? ''
  return { value, cookies: value === '' ? [] : [cookie(request, '', 0)] }
}

function cookie({ services }: DashboardRequest, value: string, maxAge: number): string {
  return serialize(NAME, value, {
    httpOnly: true,
    path: '/',
    ...cookieAttributes(services.origins),
    maxAge,
  })
}
