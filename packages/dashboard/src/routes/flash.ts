// A notice that the next page shows once after a redirect. The page deletes its cookie, so a reload does not show it again.

import { getCookie } from 'hono/cookie'
import { serialize } from 'hono/utils/cookie'
import type { DashboardRequest } from './dashboard-request.ts'

const NAME = 'flash'
const SECONDS = 60

/** The cookie with the notice, such as `revoked.<key ID>`. */
export function flashCookie(request: DashboardRequest, value: string): string {
  return cookie(request, value, SECONDS)
}

/** The notice, with the cookie that deletes it; an empty value and no cookie if there is none. */
export function takeFlash(request: DashboardRequest): { readonly value: string; readonly cookies: readonly string[] } {
  const value = getCookie(request.context, NAME) ?? ''
  return { value, cookies: value === '' ? [] : [cookie(request, '', 0)] }
}

function cookie({ services }: DashboardRequest, value: string, maxAge: number): string {
  return serialize(NAME, value, {
    httpOnly: true,
    sameSite: 'Lax',
    path: '/',
    secure: services.origins.isSecure,
    maxAge,
  })
}
