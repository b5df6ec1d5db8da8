// Stores the theme that a visitor chose in a cookie, so that the server sends each page in this theme.

import { getCookie } from 'hono/cookie'
import { serialize } from 'hono/utils/cookie'
import { cookieAttributes } from '../security/cookie-attributes.ts'
import { FormError, type FormFields } from '../security/form-body.ts'
import { type Theme, themeOf } from '../ui/themes.ts'
import type { DashboardRequest, HandlerResult } from './dashboard-request.ts'

const NAME = 'theme'
/** Browsers limit the age of a cookie to 400 days. */
const SECONDS = 400 * 86_400

/** Returns the theme of the visitor. */
export function chosenTheme({ context }: Pick<DashboardRequest, 'context'>): Theme {
  return themeOf(getCookie(context, NAME))
}

/**
 * POST /theme: stores the theme, and redirects to the page in `next`. A form from another site changes nothing. Without
 * `next`, which the script leaves out, the response has no content. The form needs no token, because it changes only
 * the colors in this browser, and because error pages have no valid token.
 */
export function setTheme(request: DashboardRequest): HandlerResult {
  const { sentForm } = request
  if (sentForm === null) return { to: '/' }
  // An unreadable form chooses the theme of the system.
  const form: FormFields = sentForm instanceof FormError ? { next: '' } : sentForm
  const theme = themeOf(form.theme)
  const options = { httpOnly: true, path: '/', ...cookieAttributes(request.services.origins) }
  const cookie = serialize(NAME, theme, { ...options, maxAge: theme === 'system' ? 0 : SECONDS })
  if (form.next === undefined) return new Response(null, { status: 204, headers: { 'set-cookie': cookie } })
  return { to: ownPath(form.next), cookies: [cookie] }
}

/** Returns the path if it is on this site, and otherwise `/`, so that the form leads to no other site. */
function ownPath(path: string): string {
  return path.length <= PATH_LENGTH_MAX && OWN_PATH.test(path) ? path : '/'
}

const PATH_LENGTH_MAX = 2000
const OWN_PATH = /^\/(?!\/)[A-Za-z0-9_.~%=&:+*?/-]*$/
