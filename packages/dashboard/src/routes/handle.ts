// What stands before every page: who it is, whether the store is theirs, and whether a form may be taken. Handlers behind
// it see a visit that passed all of it.

import { randomBytes, randomUUID } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { isFirstSending, type RegisteredStore, storesOfMerchant } from '@store-export/control'
import { TimeLimitPassed, within } from '@store-export/postgres'
import type { Context, Handler } from 'hono'
import { getCookie } from 'hono/cookie'
import { serialize } from 'hono/utils/cookie'
import { isAccountsError } from '../accounts/fault.ts'
import type { Parts } from '../parts.ts'
import { type FormFields, FormProblem, readForm } from '../security/form-body.ts'
import { brokenForm, fault, missing, refusedForm, sentBefore } from './problems.ts'
import { respond } from './respond.ts'
import { headOf, zoneOf } from './stores.ts'
import type { Answer, MerchantVisit, StoreVisit, Visit } from './visit.ts'

/** A handler of a page, and one of a form. */
type PageHandler<V extends Visit> = (visit: V) => Answer | Promise<Answer>
type FormHandler<V extends Visit> = (visit: V, form: FormFields) => Answer | Promise<Answer>

/** How a form is processed. */
interface FormOptions {
  /** Whether its handler leads to the same result when the same form comes again; else a form counts once. */
  readonly isRepeatable: boolean
}

/** For forms whose handler may see the same form again. */
export const REPEATABLE: FormOptions = { isRepeatable: true }

/** The environment of a request. */
export type Environment = { readonly Bindings: HttpBindings }

/** Makes Hono's handlers of ours. */
export interface Handlers {
  readonly page: (handler: PageHandler<Visit>) => Handler<Environment>
  readonly form: (handler: FormHandler<Visit>) => Handler<Environment>
  readonly merchantPage: (handler: PageHandler<MerchantVisit>) => Handler<Environment>
  readonly merchantForm: (handler: FormHandler<MerchantVisit>) => Handler<Environment>
  readonly storePage: (handler: PageHandler<StoreVisit>) => Handler<Environment>
  readonly storeForm: (handler: FormHandler<StoreVisit>, options?: FormOptions) => Handler<Environment>
  /** A page without a time limit: it answers for as long as somebody reads. */
  readonly storeFile: (handler: PageHandler<StoreVisit>) => Handler<Environment>
}

const ANSWER_MS = 15_000

/** The handlers of one dashboard. */
export function createHandlers(parts: Parts): Handlers {
  const handle = (work: PageHandler<Visit>, timeoutMs: number | null = ANSWER_MS): Handler<Environment> => {
    return (context) => answer(context, parts, work, timeoutMs)
  }
  const store = (work: PageHandler<StoreVisit>) => merchant((visit) => ofStore(visit, work))
  return {
    page: handle,
    form: (handler) => handle(csrfGuard(handler)),
    merchantPage: (handler) => handle(merchant(handler)),
    merchantForm: (handler) => handle(merchant(csrfGuard(handler))),
    storePage: (handler) => handle(store(handler)),
    storeForm: (handler, options) => handle(store(csrfGuard(handler, options))),
    storeFile: (handler) => handle(store(handler), null),
  }
}

async function answer(
  context: Context<Environment>,
  parts: Parts,
  work: PageHandler<Visit>,
  timeoutMs: number | null,
): Promise<Response> {
  const requestId = randomUUID()
  const startedAt = performance.now()
  const bare: Visit = {
    context,
    parts,
    requestId,
    startedAt,
    now: new Date(),
    session: null,
    tokensOf: '',
    stores: [],
  }
  const run = async () => {
    const { visit, cookies } = await recognise(bare)
    return respond(visit, await work(visit), cookies)
  }
  const safely = async () => {
    try {
      return await (timeoutMs === null ? run() : within(timeoutMs, run(), () => undefined))
    } catch (cause) {
      const isPassing = isControlDatabaseError(cause)
      parts.emit({ event: isPassing ? 'control.query_failed' : 'page.failed', requestId, cause })
      return respond(bare, fault(bare, isPassing), [])
    }
  }
  const response = await safely()
  const { method, routePath: route } = context.req
  const durationMs = performance.now() - startedAt
  parts.emit({ event: 'page.completed', requestId, route, method, status: response.status, durationMs })
  return response
}

/** Who it is: the session, or a visitor with a number of their own that forms before the sign-in are bound to. */
async function recognise(bare: Visit): Promise<{ visit: Visit; cookies: readonly string[] }> {
  const { context, parts } = bare
  const known = await parts.accounts.sessionOf(context.req.raw.headers)
  if (known !== null) {
    const { session, cookies } = known
    const stores = await storesOfMerchant(parts.database, session.merchantId)
    return { visit: { ...bare, session, tokensOf: session.id, stores }, cookies }
  }
  const { isSecure } = parts.origins
  const name = isSecure ? '__Host-visitor' : 'visitor'
  const given = getCookie(context, name) ?? ''
  if (/^[A-Za-z0-9_-]{22}$/.test(given)) return { visit: { ...bare, tokensOf: given }, cookies: [] }
  const made = randomBytes(16).toString('base64url')
  const cookie = serialize(name, made, { httpOnly: true, sameSite: 'Lax', path: '/', secure: isSecure })
  return { visit: { ...bare, tokensOf: made }, cookies: [cookie] }
}

function merchant(handler: PageHandler<MerchantVisit>): PageHandler<Visit> {
  return (visit) => (visit.session === null ? signInFirst(visit) : handler({ ...visit, session: visit.session }))
}

/** To the sign-in, and from there back to the same address. A form is not processed, and the sign-in page says so. */
async function signInFirst(visit: Visit): Promise<Answer> {
  const { method, path, url } = visit.context.req
  if (method === 'GET' && path === '/') return { to: '/sign-in' }
  if (method !== 'POST') return { to: `/sign-in?${new URLSearchParams({ next: path + new URL(url).search })}` }
  if (path === '/sign-out') return { to: '/sign-in' }
  const next = `${formPage(path)}${await typedName(visit)}`
  return { to: `/sign-in?${new URLSearchParams({ next, late: 'form' })}` }
}

/** The name that was typed for a new key, as a query; nothing else that people type may stand in an address. */
async function typedName(visit: Visit): Promise<string> {
  const { req } = visit.context
  if (!req.path.endsWith('/settings/api/keys') || !isOwnForm(visit)) return ''
  const form = await readForm(req.raw).catch(() => null)
  return form?.name ? `?${new URLSearchParams({ name: form.name })}` : ''
}

async function ofStore(visit: MerchantVisit, handler: PageHandler<StoreVisit>): Promise<Answer> {
  const id = (visit.context.req.param('store') ?? '').toLowerCase()
  const store: RegisteredStore | undefined = visit.stores.find((each) => each.id === id)
  if (store === undefined) return missing(visit)
  return handler({ ...visit, store, head: headOf(store, await zoneOf(visit, store)) })
}

/** Forms are accepted from the dashboard's own pages, of this very session, and once unless they are repeatable. */
function csrfGuard<V extends Visit>(handler: FormHandler<V>, options?: FormOptions): PageHandler<V> {
  return async (visit) => {
    const { context, parts } = visit
    const back = backOf(visit)
    if (!isOwnForm(visit)) return refusedForm(visit, back)
    const form = await readForm(context.req.raw).catch((error: unknown) => {
      if (error instanceof FormProblem) return error
      throw error
    })
    if (form instanceof FormProblem) return brokenForm(visit, form, back)
    const hash = parts.tokens.check(form.form_token ?? '', visit.tokensOf)
    if (hash === null) return refusedForm(visit, back)
    // A sign-in does nothing a second time that it does not do the first.
    const isRepeatable = visit.session === null || options?.isRepeatable === true
    return isRepeatable || (await isFirstSending(parts.database, hash)) ? handler(visit, form) : sentBefore(visit, back)
  }
}

/** Whether the browser says that the form stood on a page of the dashboard. */
function isOwnForm({ context, parts }: Visit): boolean {
  const origin = context.req.header('origin') ?? null
  const site = context.req.header('sec-fetch-site') ?? 'same-origin'
  return parts.origins.isOwn(origin) && site === 'same-origin'
}

/** The page that a form is on, where its own address has none. */
function backOf({ context, session }: Visit): string {
  return session === null ? '/sign-in' : formPage(context.req.path)
}

function formPage(path: string): string {
  return path
    .replace(/\/keys(\/.*)?$/, '')
    .replace(/^\/account\/.*$/, '/account')
    .replace(/^\/(link|sign-in|sign-out)$/, '/')
}

/** What a database or the way to it says when it does not answer: it passes by itself, and is no defect of ours. */
const NO_ANSWER =
  /^(?:ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|ETIMEOUT|ECANCELLED|ESERVFAIL|EREFUSED|CONNECT_TIMEOUT|CONNECTION_[A-Z_]+|08\w{3}|53\w{3}|57\w{3})$/

function isControlDatabaseError(cause: unknown): boolean {
  if (cause instanceof TimeLimitPassed || isAccountsError(cause)) return true
  return cause instanceof Error && 'code' in cause && NO_ANSWER.test(String(cause.code))
}
