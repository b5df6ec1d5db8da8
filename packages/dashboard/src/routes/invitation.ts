// Handles the link of an invitation. Opening the link changes nothing.

import { findInvitation, isReplacedToken, type OpenInvitation } from '@store-export/control'
import { PASSWORD_LENGTH } from '../accounts/auth.ts'
import { type AcceptOutcome, acceptInvitation } from '../members/accept-invitation.ts'
import { hashInvitationToken } from '../members/invitation-token.ts'
import { endedInvitationView, invitationView } from '../pages/invitation-view.ts'
import type { FormFields } from '../security/form-body.ts'
import { storePaths } from '../ui/store-paths.ts'
import { type DashboardRequest, frameOf, type HandlerResult, type PageResult } from './dashboard-request.ts'
import { passwordProblem } from './password-problem.ts'
import { clientOf, redirectAfterSignIn } from './sign-in.ts'

/** GET /invitation/{token}: shows the invitation and a button, or with status 404 that the link doesn't work. */
export async function invitationPage(request: DashboardRequest): Promise<HandlerResult> {
  const token = request.context.req.param('token') ?? ''
  const { services, session } = request
  const invitation = await findInvitation(services.database, hashInvitationToken(token), session?.id)
  if (invitation === null) return renderEndedLink(request, token)
  return renderInvitation(request, { token, invitation, problem: null })
}

/**
 * POST /invitation: accepts the invitation, and redirects. Shows an error with status 400 for a rejected password, 404
 * for a link that doesn't work, and 429 after too many attempts.
 */
export async function useInvitation(request: DashboardRequest, form: FormFields): Promise<HandlerResult> {
  const token = form.token ?? ''
  const password = form.password ?? ''
  const { clientAddress } = clientOf(request)
  const outcome = await acceptInvitation(request.services, {
    ...{ token, password, clientAddress },
    session: request.session,
  })
  switch (outcome.kind) {
    case 'accepted':
      return redirectAfterJoining(request, outcome, password)
    case 'password rejected': {
      const problem = passwordProblem(request.texts, outcome.reason)
      return { ...renderInvitation(request, { token, invitation: outcome.invitation, problem }), status: 400 }
    }
    case 'ended':
      return renderEndedLink(request, token)
    case 'rate_limited':
      return renderEnded(request, {
        status: 429,
        problem: request.texts.signIn.problems.rateLimited(outcome.waitSeconds),
      })
  }
}

/**
 * Signs in with the password that the account has just got, and opens the store. If the session is that of the account
 * already, only opens the store. Otherwise, ends a session of another account, and redirects to the sign-in page.
 */
async function redirectAfterJoining(
  request: DashboardRequest,
  { email, storeId, isNew }: Extract<AcceptOutcome, { kind: 'accepted' }>,
  password: string,
): Promise<HandlerResult> {
  const { accounts } = request.services
  const next = storePaths(storeId).api
  if (isNew) {
    const signedIn = await accounts.signIn({ email, password, ...clientOf(request) })
    if (signedIn.kind === 'succeeded') return redirectAfterSignIn(request, signedIn.cookies, next)
  } else if (request.session?.email === email) return { to: next }
  const cookies = request.session === null ? [] : await accounts.signOut(request.context.req.raw.headers)
  return { to: `/sign-in?${new URLSearchParams({ next, joined: 'yes' })}`, cookies }
}

interface InvitationContent {
  readonly token: string
  readonly invitation: OpenInvitation
  /** The error message for the password; null without an error. */
  readonly problem: string | null
}

function renderInvitation(request: DashboardRequest, { token, invitation, problem }: InvitationContent): PageResult {
  const { session, services } = request
  const page = {
    ...invitation,
    token,
    otherSession: session === null || session.email === invitation.email ? null : session.email,
    passwordLengthMin: PASSWORD_LENGTH.min,
    passwordProblem: problem,
    singleSignOnLabel: services.accounts.singleSignOn?.label ?? null,
  }
  const title = request.texts.invitation.title(invitation.storeName)
  return { html: invitationView(frameOf(request, { title }), page) }
}

/** Returns the page of a link that doesn't work. If a newer email has a link that works, the page says so. */
async function renderEndedLink(request: DashboardRequest, token: string): Promise<PageResult> {
  const isReplaced = await isReplacedToken(request.services.database, hashInvitationToken(token))
  return renderEnded(request, { status: 404, problem: isReplaced ? request.texts.invitation.ended.replaced : null })
}

function renderEnded(
  request: DashboardRequest,
  { status, problem }: { readonly status: 404 | 429; readonly problem: string | null },
): PageResult {
  const { title } = request.texts.invitation.ended
  return { status, html: endedInvitationView(frameOf(request, { title }), problem) }
}
