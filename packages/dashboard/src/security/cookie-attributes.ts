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
 * Returns the attributes of a cookie that is `sameSite` in a dashboard without frames. Browsers send a cookie into the
 * frame of another site only if it is `None` and `Secure`. They accept `Secure` from a loopback address, too. Forms
 * don't depend on `sameSite`: each has a token and is checked for its origin.
 */
export function cookieAttributes(
  { isSecure, frameAncestors }: Pick<Origins, 'isSecure' | 'frameAncestors'>,
  sameSite: 'Strict' | 'Lax' = 'Lax',
): CookieAttributes {
  if (frameAncestors.length === 0) return { secure: isSecure, sameSite }
  return { secure: true, sameSite: 'None', partitioned: true }
}
