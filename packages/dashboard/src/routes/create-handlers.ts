// Checks each request to a page before its handler: session, access to the store, permission, and CSRF protection of
// forms. It also applies the time limit, and creates the error pages and the events of a request. Requests for style
// sheets and scripts, and SCIM requests, don't pass through it.

import { randomBytes, randomUUID } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { consumeFormToken, noteOpenedStore, readSecondFactor, storesOfMerchant } from '@store-export/control'
import { within } from '@store-export/postgres'
import type { Context, Handler } from 'hono'
import { getCookie } from 'hono/cookie'
import { serialize } from 'hono/utils/cookie'
import { includesPermission, type Permission } from '../members/permissions.ts'
import { NO_LIMITS } from '../pages/key-limits-view.ts'
import { cookieAttributes } from '../security/cookie-attributes.ts'
import { FormError, type FormFields, readForm } from '../security/form-body.ts'
import type { Services } from '../services.ts'
import { type Localization, localize } from '../texts/languages.ts'
import { isControlDatabaseError } from './control-database-error.ts'
import type { DashboardRequest, HandlerResult, MerchantRequest, StoreRequest } from './dashboard-request.ts'
import {
  errorPage,
  forbiddenPage,
  notFoundPage,
  rejectedFormPage,
  repeatedFormPage,
  secondFactorPage,
  unreadableFormPage,
} from './error-pages.ts'
import { formPage, isOwnForm } from './form-origin.ts'
import { typedLimits } from './key-limits.ts'
import { respond } from './respond.ts'
import { storeHead, timeZoneOf } from './stores.ts'

type PageHandler<R extends DashboardRequest> = (request: R) => HandlerResult | Promise<HandlerResult>
type FormHandler<R extends DashboardRequest> = (request: R, form: FormFields) => HandlerResult | Promise<HandlerResult>

interface FormOptions {
  /** Whether the handler is idempotent for a form token. If not, the dashboard accepts each token only once. */
  readonly isRepeatable: boolean
}

/** Options for forms that may be sent twice, because their handler is idempotent. */
export const REPEATABLE: FormOptions = { isRepeatable: true }

/** The Hono environment: the request and response of Node. */
export type Environment = { readonly Bindings: HttpBindings }

/**
 * Functions that wrap a handler of the dashboard in a Hono handler. The wrapper makes the checks that its name says,
 * and then calls the handler.
 */
export interface Handlers {
  /** For pages that need no session. */
  readonly page: (handler: PageHandler<DashboardRequest>) => Handler<Environment>
  /** For forms that need no session, with CSRF protection. */
  readonly form: (handler: FormHandler<DashboardRequest>) => Handler<Environment>
  /** For pages of signed-in merchants. */
  readonly merchantPage: (handler: PageHandler<MerchantRequest>) => Handler<Environment>
  /** For forms of signed-in merchants, with CSRF protection. */
  readonly merchantForm: (handler: FormHandler<MerchantRequest>) => Handler<Environment>
  /** For pages of a store. The merchant must be a member of the store in the URL, with this permission. */
  readonly storePage: (needs: Permission, handler: PageHandler<StoreRequest>) => Handler<Environment>
  /** Like `storePage`, for forms with CSRF protection. */
  readonly storeForm: (
    needs: Permission,
    handler: FormHandler<StoreRequest>,
    options?: FormOptions,
  ) => Handler<Environment>
  /** Like `storePage`, but without a time limit, for downloads. */
  readonly storeFile: (needs: Permission, handler: PageHandler<StoreRequest>) => Handler<Environment>
}

/**
 * Time limit of a page or a form, in ms. After it, the response is the error page with status 503. The work continues
 * in the background, and its result is lost.
 */
const PAGE_TIMEOUT_MS = 15_000

/** Returns the wrappers for one dashboard. */
export function createHandlers(services: Services): Handlers {
  const handle = (
    work: PageHandler<DashboardRequest>,
    timeoutMs: number | null = PAGE_TIMEOUT_MS,
  ): Handler<Environment> => {
    return (context) => handleRequest(context, services, work, timeoutMs)
  }
  const store = (needs: Permission, work: PageHandler<StoreRequest>) =>
    requireMerchant((request) => requireStore(request, needs, work))
  return {
    page: handle,
    form: (handler) => handle(csrfGuard(handler)),
    merchantPage: (handler) => handle(requireMerchant(handler)),
    merchantForm: (handler) => handle(requireMerchant(csrfGuard(handler))),
    storePage: (needs, handler) => handle(store(needs, handler)),
    storeForm: (needs, handler, options) => handle(store(needs, csrfGuard(handler, options))),
    storeFile: (needs, handler) => handle(store(needs, handler), null),
  }
}

/** Responds to a request, and emits `page.completed`. Doesn't reject: an error becomes an error page and an event. */
async function handleRequest(
  context: Context<Environment>,
  services: Services,
  work: PageHandler<DashboardRequest>,
  timeoutMs: number | null,
): Promise<Response> {
  const requestId = randomUUID()
  const startedAt = performance.now()
  const anonymous: DashboardRequest = {
    context,
    services,
    requestId,
    startedAt,
    now: new Date(),
    sentForm: null,
    session: null,
    formTokenScope: '',
    stores: [],
    ...localize(null, context.req.header('accept-language')),
  }
  // For an error page: the request with the language of the merchant, once it is known, but without a session.
  let reader = anonymous
  const run = async () => {
    // A body can take seconds to arrive, and the session or the role can end meanwhile. So the checks follow the body.
    const sentForm = await readSentForm(anonymous)
    const { request, cookies } = await authenticate({ ...anonymous, sentForm })
    reader = { ...anonymous, ...localizationOf(request) }
    return respond(request, await work(request), cookies)
  }
  const safely = async () => {
    try {
      return await (timeoutMs === null ? run() : within(timeoutMs, run(), () => undefined))
    } catch (cause) {
      const isTemporary = isControlDatabaseError(cause)
      services.emit({ event: isTemporary ? 'control.query_failed' : 'page.failed', requestId, cause })
      return respond(reader, errorPage(reader, isTemporary), [])
    }
  }
  const response = await safely()
  const { method, routePath: route } = context.req
  const durationMs = performance.now() - startedAt
  services.emit({ event: 'page.completed', requestId, route, method, status: response.status, durationMs })
  return response
}

/**
 * Returns the form in the body; an error if the body can't be read. Null if there is no form, or if it comes from a
 * page outside of the dashboard.
 */
async function readSentForm(request: DashboardRequest): Promise<DashboardRequest['sentForm']> {
  const { req } = request.context
  if (req.method !== 'POST' || !isOwnForm(request)) return null
  return readForm(req.raw).catch((error: unknown) => {
    if (error instanceof FormError) return error
    throw error
  })
}

/**
 * Finds the session and the merchant's stores. A visitor without a session gets a random ID in a cookie, to which form
 * tokens are bound. Returns the cookies that the response must set.
 */
async function authenticate(
  anonymous: DashboardRequest,
): Promise<{ request: DashboardRequest; cookies: readonly string[] }> {
  const { context, services } = anonymous
  const known = await services.accounts.sessionOf(context.req.raw.headers)
  if (known !== null) {
    const { session, cookies } = known
    const stores = await storesOfMerchant(services.database, session.merchantId)
    const localization = localize(session.language, context.req.header('accept-language'))
    return { request: { ...anonymous, ...localization, session, formTokenScope: session.id, stores }, cookies }
  }
  const name = services.origins.isSecure ? '__Host-visitor' : 'visitor'
  const given = getCookie(context, name) ?? ''
  if (/^[A-Za-z0-9_-]{22}$/.test(given)) return { request: { ...anonymous, formTokenScope: given }, cookies: [] }
  const visitorId = randomBytes(16).toString('base64url')
  const cookie = serialize(name, visitorId, { httpOnly: true, path: '/', ...cookieAttributes(services.origins) })
  return { request: { ...anonymous, formTokenScope: visitorId }, cookies: [cookie] }
}

function localizationOf({ language, locale, texts }: Localization): Localization {
  return { language, locale, texts }
}

function requireMerchant(handler: PageHandler<MerchantRequest>): PageHandler<DashboardRequest> {
  return (request) =>
    request.session === null ? redirectToSignIn(request) : handler({ ...request, session: request.session })
}

/**
 * Redirects to the sign-in page, which later leads back. A form is not processed, and the sign-in page says so, except
 * for the form that signs out.
 */
function redirectToSignIn(request: DashboardRequest): HandlerResult {
  const { method, path, url } = request.context.req
  if (method === 'GET' && path === '/') return { to: '/sign-in' }
  if (method !== 'POST') return { to: `/sign-in?${new URLSearchParams({ next: path + new URL(url).search })}` }
  if (path === '/sign-out') return { to: '/sign-in' }
  const next = `${formPage(path)}${typedName(request)}`
  return { to: `/sign-in?${new URLSearchParams({ next, late: 'form' })}` }
}

/**
 * Returns a query with the typed name of a new key, so that it survives the sign-in, and with whether the key had
 * limits; '' for other forms. URLs contain no other field.
 */
function typedName({ context, sentForm: form }: DashboardRequest): string {
  if (!context.req.path.endsWith('/settings/api/keys')) return ''
  if (form === null || form instanceof FormError || !form.name) return ''
  const isLimited = JSON.stringify(typedLimits(form)) !== JSON.stringify(NO_LIMITS)
  return `?${new URLSearchParams({ name: form.name, ...(isLimited ? { limited: 'yes' } : {}) })}`
}

/**
 * Responds with 404 to stores of other merchants, and with 403 to roles without the permission. Also responds with 403
 * to sessions without a second factor if the store requires one. `authenticate` reads the role and the rule on each
 * request. Also notes that a member whom a directory added has opened the store.
 */
async function requireStore(
  request: MerchantRequest,
  needs: Permission,
  handler: PageHandler<StoreRequest>,
): Promise<HandlerResult> {
  // A URL can have an ID in upper case.
  const id = (request.context.req.param('store') ?? '').toLowerCase()
  const store = request.stores.find((each) => each.id === id)
  if (store === undefined) return notFoundPage(request)
  if (store.requiresTwoFactor && (await readSecondFactor(request.services.database, request.session.id)).used === null)
    return secondFactorPage(request)
  if (store.isUnopened)
    await noteOpenedStore(request.services.database, { merchantId: request.session.merchantId, storeId: id })
  const storeRequest = { ...request, store, head: storeHead(store, await timeZoneOf(request, store)) }
  return includesPermission(store.role, needs) ? handler(storeRequest) : forbiddenPage(storeRequest, needs)
}

/**
 * Rejects forms from other origins or sessions (403), and unreadable forms (400, 413, 415). Rejects a second use of a
 * token (409), unless the form is repeatable.
 */
function csrfGuard<R extends DashboardRequest>(handler: FormHandler<R>, options?: FormOptions): PageHandler<R> {
  return async (request) => {
    const { services, sentForm: form } = request
    const back = backOf(request)
    if (form === null) return rejectedFormPage(request, back)
    if (form instanceof FormError) return unreadableFormPage(request, form, back)
    const hash = services.formTokens.check(form.form_token ?? '', request.formTokenScope)
    if (hash === null) return rejectedFormPage(request, back)
    // Forms without a session, such as the sign-in, can be sent again without harm.
    const isRepeatable = request.session === null || options?.isRepeatable === true
    return isRepeatable || (await consumeFormToken(services.database, hash))
      ? handler(request, form)
      : repeatedFormPage(request, back)
  }
}

/** Returns the path to which an error page of the form links, from which the merchant can open the form again. */
function backOf({ context, session }: DashboardRequest): string {
  return session === null ? '/sign-in' : formPage(context.req.path)
}
