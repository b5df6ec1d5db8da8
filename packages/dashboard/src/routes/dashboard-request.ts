// A request: one request of a page with all that its handler needs to know, and the frame around what it shows.

import type { RegisteredStore } from '@store-export/control'
import type { Context } from 'hono'
import type { MerchantSession } from '../accounts/accounts.ts'
import type { Frame, PageNotice, Section, StoreHead } from '../pages/models.ts'
import type { Services } from '../services.ts'
import type { Html } from '../ui/html.ts'

/** A request of a page. */
export interface DashboardRequest {
  readonly context: Context
  readonly services: Services
  readonly requestId: string
  /** On the clock of `performance.now()`. */
  readonly startedAt: number
  readonly now: Date
  /** null before the sign-in. */
  readonly session: MerchantSession | null
  /** What form tokens are bound to: the session, or the visitor before the sign-in. */
  readonly formTokenScope: string
  /** The merchant's stores, by name. */
  readonly stores: readonly RegisteredStore[]
}

/** A request of somebody who is signed in. */
export interface MerchantRequest extends DashboardRequest {
  readonly session: MerchantSession
}

/** A request of a store's page by somebody who may see it. */
export interface StoreRequest extends MerchantRequest {
  readonly store: RegisteredStore
  readonly head: StoreHead
}

/** A page as a handler answers it. */
export interface PageResult {
  readonly html: Html
  /** 200 unless said. */
  readonly status?: 200 | 400 | 403 | 404 | 409 | 413 | 415 | 429 | 500 | 503
  /** Values of Set-Cookie. */
  readonly cookies?: readonly string[]
}

/** Somewhere else to go, after a form was taken. */
export interface Redirect {
  readonly to: string
  readonly cookies?: readonly string[]
}

/** What a handler answers; a `Response` is sent as it is. */
export type HandlerResult = PageResult | Redirect | Response

/** The frame of a page. */
export function frameOf(
  request: DashboardRequest | StoreRequest,
  { title, section = null, notice = null }: { title: string; section?: Section | null; notice?: PageNotice | null },
): Frame {
  const { services, session, formTokenScope: tokensOf, stores, now, context } = request
  return {
    title,
    viewer: session === null ? null : { email: session.email, storesCount: stores.length },
    store: 'head' in request ? request.head : null,
    section,
    notice,
    now,
    locale: localeOf(context.req.header('accept-language')),
    apiUrl: services.apiUrl,
    formToken: () => services.formTokens.make(tokensOf),
  }
}

/**
 * The English locale for numbers and dates, because the pages are English: the reader's own if that is their first
 * language; else that of Britain, whose order of days and 24 hours are those of most other languages.
 */
export function localeOf(acceptLanguage: string | undefined): string {
  const first = (acceptLanguage ?? '').split(',')[0]?.split(';')[0]?.trim() ?? ''
  if (first === '' || first === '*') return 'en'
  return /^en(?:-[A-Z]{2})?$/.test(first) ? first : 'en-GB'
}
