// Defines what a handler gets and what it returns.

import type { MemberStore } from '@store-export/control'
import type { Context } from 'hono'
import type { MerchantSession } from '../accounts/accounts.ts'
import type { Frame, PageNotice, Section, StoreHead } from '../pages/models.ts'
import type { FormError, FormFields } from '../security/form-body.ts'
import type { Services } from '../services.ts'
import type { Localization } from '../texts/languages.ts'
import type { Html } from '../ui/html.ts'
import { formPage } from './form-origin.ts'
import { chosenTheme } from './theme.ts'

/** A request to the dashboard, and what its handler needs. */
export interface DashboardRequest extends Localization {
  readonly context: Context
  readonly services: Services
  readonly requestId: string
  /** Start, on the clock of `performance.now()`. */
  readonly startedAt: number
  readonly now: Date
  /**
   * The form in the body; an error if the body can't be read. Null if there is no form, or if it comes from a page
   * outside of the dashboard.
   */
  readonly sentForm: FormFields | FormError | null
  /** The merchant's session; null before the sign-in. */
  readonly session: MerchantSession | null
  /** ID to which form tokens are bound: that of the session, or that of the visitor before the sign-in. */
  readonly formTokenScope: string
  /** The merchant's stores and the role in each, sorted by name; empty before the sign-in. */
  readonly stores: readonly MemberStore[]
}

/** A request of a signed-in merchant. */
export interface MerchantRequest extends DashboardRequest {
  readonly session: MerchantSession
}

/** A request of a merchant to a page of one of their stores. */
export interface StoreRequest extends MerchantRequest {
  readonly store: MemberStore
  readonly head: StoreHead
}

/** A page, and the status and cookies of its response. */
export interface PageResult {
  readonly html: Html
  /** HTTP status; defaults to 200. */
  readonly status?: 200 | 400 | 403 | 404 | 409 | 413 | 415 | 429 | 500 | 503
  /** Values of Set-Cookie. */
  readonly cookies?: readonly string[]
}

/** Data for a script of a page. */
export interface JsonResult {
  readonly json: Readonly<Record<string, unknown>>
  /** HTTP status; defaults to 200. */
  readonly status?: 200 | 400 | 429
  /** Values of Set-Cookie. */
  readonly cookies?: readonly string[]
}

/** A redirect with status 303. */
export interface Redirect {
  /** Path in the dashboard, or an absolute URL. */
  readonly to: string
  readonly cookies?: readonly string[]
}

/** The result of a handler. The dashboard sends a `Response` unchanged. */
export type HandlerResult = PageResult | JsonResult | Redirect | Response

/** Returns what a page shows around its content, and what its forms need. `section` and `notice` default to none. */
export function frameOf(
  request: DashboardRequest | StoreRequest,
  { title, section = null, notice = null }: { title: string; section?: Section | null; notice?: PageNotice | null },
): Frame {
  const { services, session, formTokenScope: tokensOf, stores, now, context, language, locale, texts } = request
  return {
    title,
    viewer: session === null ? null : { email: session.email, storesCount: stores.length },
    store: 'head' in request ? request.head : null,
    section,
    notice,
    now,
    language,
    locale,
    texts,
    apiUrl: services.apiUrl,
    theme: chosenTheme(request),
    path: pageOf(context.req),
    formToken: () => services.formTokens.make(tokensOf),
  }
}

/**
 * Returns a path that shows the page again after a change of the theme. After a POST, this is the path of a page with
 * the form, because a GET of the URL can't repeat the response.
 */
function pageOf({ method, path, url }: Context['req']): string {
  return method === 'POST' ? formPage(path) : path + new URL(url).search
}
