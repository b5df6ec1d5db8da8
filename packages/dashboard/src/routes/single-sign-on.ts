// Signing in at the operator's own login. The form is answered with a page that goes on by itself, not with a redirect:
// browsers hold each redirect after a form to the policy's form-action, and which hosts a login leads through is its
// own business. So the policy stays at 'self' for every page.

import { getCookie } from 'hono/cookie'
import { serialize } from 'hono/utils/cookie'
import type { SingleSignOnResult } from '../accounts/single-sign-on.ts'
import { singleSignOnRedirectView } from '../pages/single-sign-on-redirect-view.ts'
import type { FormFields } from '../security/form-body.ts'
import { type DashboardRequest, frameOf, type HandlerResult } from './dashboard-request.ts'
import { notFoundPage } from './error-pages.ts'
import { respond } from './respond.ts'
import { clientOf, redirectAfterSignIn, renderSignIn, safePath, tooManyAttempts } from './sign-in.ts'

const SENTENCES = {
  unknown: 'Your account there has no stores here. Ask whoever runs the platform.',
  declined: 'You did not sign in there, so you are not signed in here.',
  broken: 'The sign-in there did not come to its end. Begin it again from here.',
} as const
const UNREACHABLE = 'The sign-in there gives no answer just now. Try again in a minute, or sign in here.'

/** POST /sign-in/oidc */
export async function startSingleSignOn(request: DashboardRequest, form: FormFields): Promise<HandlerResult> {
  const { singleSignOn } = request.services.accounts
  if (singleSignOn === null) return notFoundPage(request)
  const way = await singleSignOn.start()
  if (way === null) {
    emit(request, 'unreachable')
    return renderSignIn(request, { status: 503, problem: UNREACHABLE, next: safePath(form.next ?? '') })
  }
  const { address } = way
  const cookies = [...way.cookies, returnCookie(request, safePath(form.next ?? ''), RETURN_SECONDS)]
  const html = singleSignOnRedirectView(frameOf(request, { title: 'Sign in' }), address)
  const response = await respond(request, { html, cookies }, [])
  response.headers.set('refresh', `0; url=${address}`)
  return response
}

/** GET /sign-in/oidc/callback */
export async function finishSingleSignOn(request: DashboardRequest): Promise<HandlerResult> {
  const { singleSignOn } = request.services.accounts
  if (singleSignOn === null) return notFoundPage(request)
  const end = await singleSignOn.finish({ query: request.context.req.query(), ...clientOf(request) })
  emit(request, end.kind)
  const next = safePath(getCookie(request.context, RETURN_COOKIE) ?? '')
  switch (end.kind) {
    case 'succeeded':
      return redirectAfterSignIn(request, [...end.cookies, returnCookie(request, '', 0)], next)
    case 'rejected':
      return renderSignIn(request, { status: 400, problem: SENTENCES[end.reason], cookies: end.cookies, next })
    case 'rate_limited':
      return renderSignIn(request, { status: 429, problem: tooManyAttempts(end.waitSeconds), next })
    case 'unreachable':
      return renderSignIn(request, { status: 503, problem: UNREACHABLE, next })
  }
}

/** Remembers in the browser where to go after the sign-in elsewhere. */
function returnCookie({ services }: DashboardRequest, path: string, maxAge: number): string {
  const { isSecure: secure } = services.origins
  return serialize(RETURN_COOKIE, path, { httpOnly: true, sameSite: 'Lax', path: '/sign-in', secure, maxAge })
}

const RETURN_COOKIE = 'return-to'
/** A sign-in elsewhere takes no longer. */
const RETURN_SECONDS = 600

function emit({ services, requestId }: DashboardRequest, outcome: SingleSignOnResult['kind']): void {
  services.emit({ event: 'sign_in.attempted', requestId, by: 'oidc', outcome })
}
