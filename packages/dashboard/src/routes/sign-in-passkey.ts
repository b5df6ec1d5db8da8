// Handles the sign-in with a passkey. The page's script requests a challenge, and sends the form with the response of
// the passkey.

import type { FormFields } from '../security/form-body.ts'
import type { DashboardRequest, HandlerResult, JsonResult } from './dashboard-request.ts'
import { clientOf, redirectAfterSignIn, renderSignIn, safePath } from './sign-in.ts'

/** POST /sign-in/passkey/challenge: returns a challenge for any passkey, and the form token of the next form. */
export async function createSignInChallenge(request: DashboardRequest): Promise<JsonResult> {
  const { services, requestId, texts } = request
  const form_token = services.formTokens.make(request.formTokenScope)
  const outcome = await services.accounts.passkeys.startSignIn(clientOf(request).clientAddress)
  if (outcome.kind === 'done') return { json: { form_token, options: outcome.options }, cookies: outcome.cookies }
  services.emit({ event: 'sign_in.attempted', requestId, by: 'passkey', outcome: 'rate_limited' })
  return { status: 429, json: { form_token, problem: texts.signIn.problems.rateLimited(outcome.waitSeconds) } }
}

/** POST /sign-in/passkey: signs in with a passkey, or shows the sign-in page with an error message. */
export async function signInWithPasskey(request: DashboardRequest, form: FormFields): Promise<HandlerResult> {
  const { services, requestId, texts } = request
  const next = safePath(form.next ?? '')
  const attempt = { credential: form.credential ?? '', ...clientOf(request) }
  const outcome = await services.accounts.passkeys.signIn(attempt)
  const name = outcome.kind === 'done' ? 'succeeded' : outcome.kind === 'unknown' ? 'rejected' : outcome.kind
  services.emit({ event: 'sign_in.attempted', requestId, by: 'passkey', outcome: name })
  switch (outcome.kind) {
    case 'done':
      return redirectAfterSignIn(request, outcome.cookies, next)
    case 'unknown':
      return renderSignIn(request, { status: 400, problem: texts.passkeys.signIn.unknown, next })
    case 'rejected':
      return renderSignIn(request, { status: 400, problem: texts.passkeys.signIn.rejected, next })
    case 'rate_limited':
      return renderSignIn(request, {
        status: 429,
        problem: texts.signIn.problems.rateLimited(outcome.waitSeconds),
        next,
      })
  }
}
