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

/** A request to the dashboard, and what its handler needs. `session` is null for a visitor who isn't signed in. */
export interface DashboardRequest extends Localization {
  readonly context: Context
  readonly services: Services
  readonly requestId: string
  /** Start, on the clock of `performance.now()`. */
  readonly startedAt: number
  readonly now: Date
  /** The form in the body; an error for an unreadable body, and null if no page of the dashboard sent a form. */
  readonly sentForm: FormFields | FormError | null
  /** The merchant's session; null before the sign-in. */
  readonly session: MerchantSession | null
  /** ID to which form tokens are bound: that of the session, or that of the visitor before the sign-in. */
  readonly formTokenScope: string
  /** The merchant's stores with the merchant's role in each, by name. */
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
  readonly to: string
  readonly cookies?: readonly string[]
}

/** The result of a handler. The dashboard sends a `Response` unchanged. */
export type HandlerResult = PageResult | JsonResult | Redirect | Response

/** Returns the frame of a page: its title, the merchant, the store, the language, and the time of the request. */
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
 * Returns a path that shows the page again after a change of the theme. A form has no page of its own, so its path is
 * that of the page from which the form can be opened.
 */
function pageOf({ method, path, url }: Context['req']): string {
  return method === 'POST' ? formPage(path) : path + new URL(url).search
}
