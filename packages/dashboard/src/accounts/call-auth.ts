// Calls functions of better-auth, and distinguishes a rejection from an error of the database.

import { isAPIError } from 'better-auth/api'

/** The result of a call that better-auth did not reject. `cookies` are values of Set-Cookie. */
export interface AuthResult<T> {
  readonly cookies: readonly string[]
  readonly response: T
}

/** The result of a call. `code` is better-auth's name of the reason for a rejection, or '' if there is none. */
export type AuthCall<T> =
  | ({ readonly kind: 'done' } & AuthResult<T>)
  | { readonly kind: 'rejected'; readonly code: string; readonly status: number }

const SERVER_ERROR = 500

/**
 * Returns the result of the call. Rejects with an error that better-auth reports with a status from 500, for example if
 * the control database fails, and with errors of other classes. Codes in `rejections` count as rejections despite such
 * a status.
 */
export async function callAuth<T>(
  call: () => Promise<{ headers: Headers; response: T }>,
  rejections: readonly string[] = [],
): Promise<AuthCall<T>> {
  try {
    const { headers, response } = await call()
    return { kind: 'done', cookies: headers.getSetCookie(), response }
  } catch (error) {
    if (!isAPIError(error)) throw error
    const code = error.body?.code ?? ''
    if (error.statusCode >= SERVER_ERROR && !rejections.includes(code)) throw error
    return { kind: 'rejected', code, status: error.statusCode }
  }
}

/** Returns the value of a cookie of the request, as the browser sent it; null if it is absent or empty. */
export function cookieOf(headers: Headers, name: string): string | null {
  const cookies = (headers.get('cookie') ?? '').split(';').map((each) => each.trim())
  return cookies.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1) || null
}

/** Returns a Cookie header with the cookies that a response sets, as the browser would send them back. */
export function headersWith(cookies: readonly string[]): Headers {
  return new Headers({ cookie: cookies.map((cookie) => cookie.split(';', 1)[0]).join('; ') })
}

/** Returns the Cookie header of the request, the only header that better-auth needs to find the session. */
export function cookieHeader(headers: Headers): Headers {
  return new Headers({ cookie: headers.get('cookie') ?? '' })
}

/**
 * Returns only the User-Agent header, which better-auth stores in the new session, cut after 300 characters. Without
 * the Cookie header, better-auth doesn't use an old session of the browser.
 */
export function userAgentHeader(headers: Headers): Headers {
  return new Headers({ 'user-agent': (headers.get('user-agent') ?? '').slice(0, 300) })
}
