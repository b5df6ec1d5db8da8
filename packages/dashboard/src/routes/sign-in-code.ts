// Handles the code of the second factor, after the password or a one-time link.

import { signInCodeView } from '../pages/sign-in-code-view.ts'
import type { FormFields } from '../security/form-body.ts'
import { type DashboardRequest, frameOf, type HandlerResult, type PageResult } from './dashboard-request.ts'
import { clientOf, redirectAfterSignIn, renderSignIn, safePath } from './sign-in.ts'

/** GET /sign-in/code?next={path}: shows the form, or redirects to the sign-in page if no sign-in needs a code. */
export function signInCodePage(request: DashboardRequest): HandlerResult {
  const { req } = request.context
  if (!request.services.accounts.twoFactor.isPending(req.raw.headers)) return { to: '/sign-in' }
  return renderCode(request, { next: safePath(req.query('next') ?? ''), problem: null })
}

/**
 * POST /sign-in/code: completes the sign-in, or shows the form again with an error message. If the sign-in has expired
 * or had too many wrong codes, shows the sign-in page.
 */
export async function signInWithCode(request: DashboardRequest, form: FormFields): Promise<HandlerResult> {
  const { services, requestId, texts } = request
  const next = safePath(form.next ?? '')
  const outcome = await services.accounts.twoFactor.verify({ code: form.code ?? '', ...clientOf(request) })
  const name = outcome.kind === 'done' ? 'succeeded' : outcome.kind === 'ended' ? 'rejected' : outcome.kind
  services.emit({ event: 'sign_in.attempted', requestId, by: 'code', outcome: name })
  switch (outcome.kind) {
    case 'done':
      return redirectAfterSignIn(request, outcome.cookies, next)
    case 'ended':
      return renderSignIn(request, { status: 400, problem: texts.twoFactor.signIn.ended, next })
    case 'rejected':
      return { ...renderCode(request, { next, problem: texts.twoFactor.signIn.wrong }), status: 400 }
    case 'rate_limited':
      return {
        ...renderCode(request, { next, problem: texts.signIn.problems.rateLimited(outcome.waitSeconds) }),
        status: 429,
      }
  }
}

function renderCode(
  request: DashboardRequest,
  page: { readonly next: string; readonly problem: string | null },
): PageResult {
  return { html: signInCodeView(frameOf(request, { title: request.texts.twoFactor.signIn.title }), page) }
}
