// Handles single sign-on. The response to the form is a page with a Refresh header, because browsers apply the policy
// `form-action` to every redirect after a form. The hosts of the provider are unknown, so a redirect would need a
// policy weaker than 'self'.

import { getCookie } from 'hono/cookie'
import { serialize } from 'hono/utils/cookie'
import type { SingleSignOnResult } from '../accounts/single-sign-on.ts'
import { singleSignOnRedirectView } from '../pages/single-sign-on-redirect-view.ts'
import { cookieAttributes } from '../security/cookie-attributes.ts'
import type { FormFields } from '../security/form-body.ts'
import { type DashboardRequest, frameOf, type HandlerResult } from './dashboard-request.ts'
import { notFoundPage } from './error-pages.ts'
import { respond } from './respond.ts'
import { clientOf, redirectAfterSignIn, renderSignIn, safePath } from './sign-in.ts'

/** POST /sign-in/oidc: leads to the provider's sign-in page, or shows the sign-in page if it doesn't respond. */
export async function startSingleSignOn(request: DashboardRequest, form: FormFields): Promise<HandlerResult> {
  const { singleSignOn } = request.services.accounts
  const { problems } = request.texts.signIn
  if (singleSignOn === null) return notFoundPage(request)
  const started = await singleSignOn.start()
  if (started === null) {
    emit(request, 'unreachable')
    return renderSignIn(request, {
      status: 503,
      problem: problems.singleSignOn.unreachable,
      next: safePath(form.next ?? ''),
    })
  }
  const { url } = started
  const cookies = [...started.cookies, returnCookie(request, safePath(form.next ?? ''), RETURN_SECONDS)]
  const html = singleSignOnRedirectView(frameOf(request, { title: request.texts.signIn.redirect.title }), url)
  const response = await respond(request, { html, cookies }, [])
  response.headers.set('refresh', `0; url=${url}`)
  return response
}

/**
 * GET /sign-in/oidc/callback: signs in with the provider's response, or shows the sign-in page with an error message.
 */
export async function finishSingleSignOn(request: DashboardRequest): Promise<HandlerResult> {
  const { singleSignOn } = request.services.accounts
  if (singleSignOn === null) return notFoundPage(request)
  const end = await singleSignOn.finish({ query: request.context.req.query(), ...clientOf(request) })
  emit(request, end.kind)
  const next = safePath(getCookie(request.context, RETURN_COOKIE) ?? '')
  const { problems } = request.texts.signIn
  switch (end.kind) {
    case 'succeeded':
      return redirectAfterSignIn(request, [...end.cookies, returnCookie(request, '', 0)], next)
    case 'rejected':
      return renderSignIn(request, {
        status: 400,
        problem: problems.singleSignOn[end.reason],
        cookies: end.cookies,
        next,
      })
    case 'rate_limited':
      return renderSignIn(request, { status: 429, problem: problems.rateLimited(end.waitSeconds), next })
    case 'unreachable':
      return renderSignIn(request, { status: 503, problem: problems.singleSignOn.unreachable, next })
  }
}

/** Returns the cookie with the path to open after the sign-in. */
function returnCookie({ services }: DashboardRequest, path: string, maxAge: number): string {
  return serialize(RETURN_COOKIE, path, {
    httpOnly: true,
    path: '/sign-in',
    ...cookieAttributes(services.origins),
    maxAge,
  })
}

/** The provider's response has no path to return to, so a cookie stores it. */
const RETURN_COOKIE = 'return-to'
/** Lifetime of the cookie `return-to`, in seconds. */
const RETURN_SECONDS = 600

function emit({ services, requestId }: DashboardRequest, outcome: SingleSignOnResult['kind']): void {
  services.emit({ event: 'sign_in.attempted', requestId, by: 'oidc', outcome })
}
