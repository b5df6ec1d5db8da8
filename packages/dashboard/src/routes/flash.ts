// What a page says once after a redirect: a cookie that the next page takes, so that a reload does not say it again.

import { getCookie } from 'hono/cookie'
import { serialize } from 'hono/utils/cookie'
import type { Visit } from './visit.ts'

const NAME = 'flash'
const SECONDS = 60

/** The cookie with what the next page says, such as `revoked.<key ID>`. */
export function flashCookie(visit: Visit, value: string): string {
  return cookie(visit, value, SECONDS)
}

/** What is to be said, with the cookie that ends it; an empty value and no cookie for nothing. */
export function takeFlash(visit: Visit): { readonly value: string; readonly cookies: readonly string[] } {
  const value = getCookie(visit.context, NAME) ?? ''
  return { value, cookies: value === '' ? [] : [cookie(visit, '', 0)] }
}

function cookie({ parts }: Visit, value: string, maxAge: number): string {
  return serialize(NAME, value, { httpOnly: true, sameSite: 'Lax', path: '/', secure: parts.origins.isSecure, maxAge })
}
