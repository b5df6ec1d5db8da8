// Handles sign-in by password or one-time link, and sign-out. The error message of the sign-in does not reveal whether
// an account exists.

import { linkView } from '../pages/link-view.ts'
import type { PageNotice } from '../pages/models.ts'
import { signInView } from '../pages/sign-in-view.ts'
import { clientNetwork } from '../security/client-network.ts'
import type { FormFields } from '../security/form-body.ts'
import { connectionAddress } from './connection-address.ts'
import {
  type DashboardRequest,
  frameOf,
  type HandlerResult,
  type MerchantRequest,
  type PageResult,
} from './dashboard-request.ts'

/**
 * GET /sign-in?next={path}&late=form&joined=yes: shows the form, or redirects a signed-in merchant to `next`.
 * `late=form` says that a form arrived after the end of its session. `joined=yes` says that the merchant accepted an
 * invitation.
 */
export function signInPage(request: DashboardRequest): HandlerResult {
  const { req } = request.context
  const next = safePath(req.query('next') ?? '')
  if (request.session !== null) return { to: next }
  const problem = req.query('late') === 'form' ? request.texts.signIn.problems.late : null
  const joined = { kind: 'done', text: request.texts.invitation.joined } as const
  const notice = req.query('joined') === 'yes' ? joined : null
  return renderSignIn(request, { status: 200, problem, notice, next })
}

/**
 * POST /sign-in: signs in by password, or redirects to the page that requests a code. Shows the form again with status
 * 400, or 429 after too many attempts.
 */
export async function signIn(request: DashboardRequest, form: FormFields): Promise<HandlerResult> {
  const email = form.email ?? ''
  const password = form.password ?? ''
  const outcome = await request.services.accounts.signIn({ email, password, ...clientOf(request) })
  request.services.emit({
    event: 'sign_in.attempted',
    requestId: request.requestId,
    by: 'password',
    outcome: outcome.kind,
  })
  const next = safePath(form.next ?? '')
  if (outcome.kind === 'succeeded') return redirectAfterSignIn(request, outcome.cookies, next)
  if (outcome.kind === 'code_required') return redirectToCode(request, outcome.cookies, next)
  const { wrong, rateLimited } = request.texts.signIn.problems
  const problem = outcome.kind === 'rejected' ? wrong : rateLimited(outcome.waitSeconds)
  return renderSignIn(request, { status: outcome.kind === 'rejected' ? 400 : 429, problem, email, next })
}

/**
 * GET /link/{token}: shows a button that signs in and leads to the path in `next`. Programs that preview links would
 * use up the token if this page signed in itself.
 */
export function linkPage(request: DashboardRequest): HandlerResult {
  const token = request.context.req.param('token') ?? ''
  const frame = frameOf(request, { title: request.texts.signIn.link.title })
  const next = safePath(request.context.req.query('next') ?? '')
  return { html: linkView(frame, { token, next, signedInAs: request.session?.email ?? null }) }
}

/**
 * POST /link: signs in by one-time link, or redirects to the page that requests a code. Shows the sign-in page with
 * status 400 for a link that doesn't work, or 429 after too many attempts.
 */
export async function useLink(request: DashboardRequest, form: FormFields): Promise<HandlerResult> {
  const outcome = await request.services.accounts.signInByLink(form.token ?? '', clientOf(request))
  request.services.emit({ event: 'sign_in.attempted', requestId: request.requestId, by: 'link', outcome: outcome.kind })
  const next = safePath(form.next ?? '')
  if (outcome.kind === 'succeeded') return redirectAfterSignIn(request, outcome.cookies, next)
  if (outcome.kind === 'code_required') return redirectToCode(request, outcome.cookies, next)
  const { linkUsed, rateLimited } = request.texts.signIn.problems
  const problem = outcome.kind === 'rejected' ? linkUsed : rateLimited(outcome.waitSeconds)
  return renderSignIn(request, { status: outcome.kind === 'rejected' ? 400 : 429, problem })
}

/** POST /sign-out: ends the session of this browser. */
export async function signOut(request: MerchantRequest): Promise<HandlerResult> {
  return { to: '/sign-in', cookies: await request.services.accounts.signOut(request.context.req.raw.headers) }
}

/** POST /account/sign-out-everywhere: ends all sessions of the merchant. */
export async function signOutEverywhere(request: MerchantRequest): Promise<HandlerResult> {
  return { to: '/sign-in', cookies: await request.services.accounts.signOutEverywhere(request.context.req.raw.headers) }
}

/** Returns the sign-in page. The other kinds of sign-in also show their errors on it. */
export function renderSignIn(request: DashboardRequest, content: SignInContent): PageResult {
  const { status, problem, notice = null, email = '', next = '/', cookies = [] } = content
  const singleSignOnLabel = request.services.accounts.singleSignOn?.label ?? null
  const frame = frameOf(request, { title: request.texts.signIn.title, notice })
  const allowsPasskeys = request.services.origins.isPasskeyHost(request.context.req.header('host') ?? null)
  const html = signInView(frame, { email, problem, next, singleSignOnLabel, allowsPasskeys })
  return { status, html, cookies }
}

interface SignInContent extends Pick<PageResult, 'cookies'> {
  readonly status: 200 | 400 | 429 | 503
  /** The error message; null without an error. */
  readonly problem: string | null
  /** A message above the page; null for none. */
  readonly notice?: PageNotice | null
  /** The email address that the merchant typed, for the field. */
  readonly email?: string
  /** Path to open after the sign-in. */
  readonly next?: string
}

/** Redirects to `next`, the page from which the merchant came. Ends the previous session of the browser. */
export async function redirectAfterSignIn(
  request: DashboardRequest,
  cookies: readonly string[],
  next = '/',
): Promise<HandlerResult> {
  if (request.session !== null) await request.services.accounts.signOut(request.context.req.raw.headers)
  return { to: next, cookies }
}

/** Redirects to the page that requests a code. Ends the previous session of the browser. */
async function redirectToCode(
  request: DashboardRequest,
  cookies: readonly string[],
  next: string,
): Promise<HandlerResult> {
  return redirectAfterSignIn(request, cookies, `/sign-in/code?${new URLSearchParams({ next })}`)
}

/** Returns a path in `/stores` or `/account`, and `/` for other paths, so that no sign-in leads to another site. */
export function safePath(path: string): string {
  const isSafe = path.length <= PATH_LENGTH_MAX && SAFE_PATH.test(path)
  return isSafe ? path : '/'
}

const PATH_LENGTH_MAX = 2000
const SAFE_PATH = /^\/(?:stores|account)(?:\/[A-Za-z0-9_-]+)*(?:\?[A-Za-z0-9_.~%=&:+*-]*)?$/

/** Returns the client's address or IPv6 network for the rate limit, and the headers for the new session. */
export function clientOf({ context, services }: DashboardRequest): { clientAddress: string; headers: Headers } {
  const forwardedFor = context.req.header('x-forwarded-for') ?? null
  return {
    clientAddress: clientNetwork(connectionAddress(context), forwardedFor, services.proxies),
    headers: context.req.raw.headers,
  }
}
