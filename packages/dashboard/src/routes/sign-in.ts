// Signing in by password or one-time link, and out. Every refusal is one sentence, the same for an account that is not
// there, so that nobody learns who has one.

import { counted } from '../look/dates.ts'
import { linkView } from '../pages/link-view.ts'
import { signInView } from '../pages/sign-in-view.ts'
import { clientAddress } from '../security/client-address.ts'
import type { FormFields } from '../security/form-body.ts'
import { connectionAddress } from './connection-address.ts'
import { type Answer, frameOf, type MerchantVisit, type PageAnswer, type Visit } from './visit.ts'

const WRONG = 'The e-mail address and the password do not fit together.'
const LATE =
  'Your session has ended, so the form was not processed. Sign in to continue where you were. If you just changed your password, use the new one.'
const LINK_WRONG = 'This link was used before or is too old. Ask whoever runs the platform for a new one.'

/** GET /sign-in */
export function signInPage(visit: Visit): Answer {
  const { req } = visit.context
  const next = safePath(req.query('next') ?? '')
  if (visit.session !== null) return { to: next }
  const problem = req.query('late') === 'form' ? LATE : null
  return signInAnswer(visit, { status: 200, problem, next })
}

/** POST /sign-in */
export async function signIn(visit: Visit, form: FormFields): Promise<Answer> {
  const email = form.email ?? ''
  const password = form.password ?? ''
  const outcome = await visit.parts.accounts.signIn({ email, password, ...clientOf(visit) })
  visit.parts.emit({ event: 'sign_in.attempted', requestId: visit.requestId, by: 'password', outcome: outcome.kind })
  const next = safePath(form.next ?? '')
  if (outcome.kind === 'succeeded') return entered(visit, outcome.cookies, next)
  const problem = outcome.kind === 'rejected' ? WRONG : held(outcome.waitSeconds)
  return signInAnswer(visit, { status: outcome.kind === 'rejected' ? 400 : 429, problem, email, next })
}

/** GET /link/{token}: a button, since programs that look at links before people do would use it up. */
export function linkPage(visit: Visit): Answer {
  const token = visit.context.req.param('token') ?? ''
  return { html: linkView(frameOf(visit, { title: 'Sign in' }), { token, signedInAs: visit.session?.email ?? null }) }
}

/** POST /link */
export async function useLink(visit: Visit, form: FormFields): Promise<Answer> {
  const outcome = await visit.parts.accounts.signInByLink(form.token ?? '', clientOf(visit))
  visit.parts.emit({ event: 'sign_in.attempted', requestId: visit.requestId, by: 'link', outcome: outcome.kind })
  if (outcome.kind === 'succeeded') return entered(visit, outcome.cookies)
  const problem = outcome.kind === 'rejected' ? LINK_WRONG : held(outcome.waitSeconds)
  return signInAnswer(visit, { status: outcome.kind === 'rejected' ? 400 : 429, problem })
}

/** POST /sign-out */
export async function signOut(visit: MerchantVisit): Promise<Answer> {
  return { to: '/sign-in', cookies: await visit.parts.accounts.signOut(visit.context.req.raw.headers) }
}

/** POST /account/sign-out-everywhere */
export async function signOutEverywhere(visit: MerchantVisit): Promise<Answer> {
  return { to: '/sign-in', cookies: await visit.parts.accounts.signOutEverywhere(visit.context.req.raw.headers) }
}

export function signInAnswer(visit: Visit, content: SignInContent): PageAnswer {
  const { status, problem, email = '', next = '/', cookies = [] } = content
  const singleSignOnLabel = visit.parts.accounts.singleSignOn?.label ?? null
  const html = signInView(frameOf(visit, { title: 'Sign in' }), { email, problem, next, singleSignOnLabel })
  return { status, html, cookies }
}

interface SignInContent extends Pick<PageAnswer, 'cookies'> {
  readonly status: 200 | 400 | 429 | 503
  /** null where there is none. */
  readonly problem: string | null
  /** What was given for it, to be written again. */
  readonly email?: string
  /** Where to go after the sign-in. */
  readonly next?: string
}

/** Goes to the stores, or back to a page. A session that this browser had ends with the new one. */
export async function entered(visit: Visit, cookies: readonly string[], next = '/'): Promise<Answer> {
  if (visit.session !== null) await visit.parts.accounts.signOut(visit.context.req.raw.headers)
  return { to: next, cookies }
}

/** An address of the dashboard that a sign-in may lead to; the home page for anything else. */
export function safePath(path: string): string {
  const isSafe = path.length <= PATH_LENGTH_MAX && SAFE_PATH.test(path)
  return isSafe ? path : '/'
}

const PATH_LENGTH_MAX = 2000
const SAFE_PATH = /^\/(?:stores|account)(?:\/[A-Za-z0-9_-]+)*(?:\?[A-Za-z0-9_.~%=&:+*-]*)?$/

/** Whose attempt it is. */
export function clientOf({ context, parts }: Visit): { clientAddress: string; headers: Headers } {
  const forwardedFor = context.req.header('x-forwarded-for') ?? null
  return {
    clientAddress: clientAddress(connectionAddress(context), forwardedFor, parts.proxies),
    headers: context.req.raw.headers,
  }
}

/** The sentence for whoever tried too often. */
export function held(waitSeconds: number): string {
  const minutes = Math.ceil(waitSeconds / 60)
  const reader = { locale: 'en' }
  const wait = waitSeconds < 90 ? counted(waitSeconds, 'second', reader) : counted(minutes, 'minute', reader)
  return `Too many attempts. Wait ${wait} and try again, or ask whoever runs the platform for a sign-in link.`
}
