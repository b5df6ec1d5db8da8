// Defines the attributes of the dashboard's cookies, which depend on whether other origins may frame its pages.

import type { Origins } from './origins.ts'

/** Attributes of a cookie, besides its path and its age. */
export interface CookieAttributes {
  readonly secure: boolean
  readonly sameSite: 'Strict' | 'Lax' | 'None'
  /** Set if the browser stores a separate cookie for each site that frames the dashboard (CHIPS). */
  readonly partitioned?: true
}

/**
 * Returns the attributes of a cookie. `sameSite` applies if no other origin may frame the dashboard. Otherwise, the
 * cookie is `None` and `Secure`, because browsers send no other cookie into the frame of another site. They also accept
 * `Secure` over HTTP from a loopback address. `None` doesn't weaken forms: the dashboard checks their Origin header.
 */
export function cookieAttributes(
  { isSecure, frameAncestors }: Pick<Origins, 'isSecure' | 'frameAncestors'>,
  sameSite: 'Strict' | 'Lax' = 'Lax',
): CookieAttributes {
  if (frameAncestors.length === 0) return { secure: isSecure, sameSite }
  return { secure: true, sameSite: 'None', partitioned: true }
}
