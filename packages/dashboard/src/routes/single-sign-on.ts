// Signing in at the operator's own login. The form is answered with a page that goes on by itself, not with a redirect:
// browsers hold each redirect after a form to the policy's form-action, and which hosts a login leads through is its
// own business. So the policy stays at 'self' for every page.

import { getCookie } from 'hono/cookie'
import { serialize } from 'hono/utils/cookie'
import type { SingleSignOnEnd } from '../accounts/single-sign-on.ts'
import { leavingView } from '../pages/leaving-view.ts'
import type { FormFields } from '../security/form-body.ts'
import { missing } from './problems.ts'
import { respond } from './respond.ts'
import { clientOf, entered, held, safePath, signInAnswer } from './sign-in.ts'
import { type Answer, frameOf, type Visit } from './visit.ts'

const SENTENCES = {
  unknown: 'Your account there has no stores here. Ask whoever runs the platform.',
  declined: 'You did not sign in there, so you are not signed in here.',
  broken: 'The sign-in there did not come to its end. Begin it again from here.',
} as const
const UNREACHABLE = 'The sign-in there gives no answer just now. Try again in a minute, or sign in here.'

/** POST /sign-in/oidc */
export async function leaveForSingleSignOn(visit: Visit, form: FormFields): Promise<Answer> {
  const { singleSignOn } = visit.parts.accounts
  if (singleSignOn === null) return missing(visit)
  const way = await singleSignOn.leave()
  if (way === null) {
    emit(visit, 'unreachable')
    return signInAnswer(visit, { status: 503, problem: UNREACHABLE, next: safePath(form.next ?? '') })
  }
  const { address } = way
  const cookies = [...way.cookies, returnCookie(visit, safePath(form.next ?? ''), RETURN_SECONDS)]
  const html = leavingView(frameOf(visit, { title: 'Sign in' }), address)
  const response = await respond(visit, { html, cookies }, [])
  response.headers.set('refresh', `0; url=${address}`)
  return response
}

/** GET /sign-in/oidc/callback */
export async function comeBack(visit: Visit): Promise<Answer> {
  const { singleSignOn } = visit.parts.accounts
  if (singleSignOn === null) return missing(visit)
  const end = await singleSignOn.comeBack({ query: visit.context.req.query(), ...clientOf(visit) })
  emit(visit, end.kind)
  const next = safePath(getCookie(visit.context, RETURN_COOKIE) ?? '')
  switch (end.kind) {
    case 'succeeded':
      return entered(visit, [...end.cookies, returnCookie(visit, '', 0)], next)
    case 'rejected':
      return signInAnswer(visit, { status: 400, problem: SENTENCES[end.why], cookies: end.cookies, next })
    case 'rate_limited':
      return signInAnswer(visit, { status: 429, problem: held(end.waitSeconds), next })
    case 'unreachable':
      return signInAnswer(visit, { status: 503, problem: UNREACHABLE, next })
  }
}

/** Remembers in the browser where to go after the sign-in elsewhere. */
function returnCookie({ parts }: Visit, path: string, maxAge: number): string {
  const { isSecure: secure } = parts.origins
  return serialize(RETURN_COOKIE, path, { httpOnly: true, sameSite: 'Lax', path: '/sign-in', secure, maxAge })
}

const RETURN_COOKIE = 'return-to'
/** A sign-in elsewhere takes no longer. */
const RETURN_SECONDS = 600

function emit({ parts, requestId }: Visit, outcome: SingleSignOnEnd['kind']): void {
  parts.emit({ event: 'sign_in.attempted', requestId, by: 'oidc', outcome })
}
