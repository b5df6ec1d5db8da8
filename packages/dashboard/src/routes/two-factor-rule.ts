// Lets admins require a second factor of all members of a store. To turn the rule on, the admin's session must have a
// second factor. To turn it off, an admin with an app enters a new code. An admin without an app needs a session that a
// passkey or single sign-on opened at most ten minutes ago.

import { listMembers, readSecondFactor, setTwoFactorRule } from '@store-export/control'
import { twoFactorRuleView } from '../pages/two-factor-rule-view.ts'
import type { FormFields } from '../security/form-body.ts'
import type { HandlerResult, PageResult, StoreRequest } from './dashboard-request.ts'
import { notFoundPage } from './error-pages.ts'
import { hasFreshSession } from './fresh-session.ts'
import { redirectToMembers } from './members.ts'
import { memberFrame } from './remove-member.ts'

/** GET /stores/{s}/settings/members/two-factor: shows the form that turns the rule on or off. */
export async function twoFactorRulePage(request: StoreRequest): Promise<HandlerResult> {
  return showForm(request, null)
}

/**
 * POST /stores/{s}/settings/members/two-factor/on: requires a second factor of all members. If the session has none,
 * shows the form with status 409.
 */
export async function requireTwoFactor(request: StoreRequest): Promise<HandlerResult> {
  const { services, session } = request
  const { used } = await readSecondFactor(services.database, session.id)
  return used !== null ? setRule(request, true) : { ...(await showForm(request, null)), status: 409 }
}

/**
 * POST /stores/{s}/settings/members/two-factor/off: no longer requires a second factor. If it fails, shows the form
 * again. The status is 400 after a wrong code, and 429 after too many attempts. It is 409 if the admin has no app, and
 * the session isn't fresh.
 */
export async function releaseTwoFactor(request: StoreRequest, form: FormFields): Promise<HandlerResult> {
  const { session, services, context, texts } = request
  if (!session.hasTwoFactor) {
    const isFresh = await hasFreshSession(request)
    return isFresh ? setRule(request, false) : { ...(await showForm(request, null)), status: 409 }
  }
  const { headers } = context.req.raw
  const outcome = await services.accounts.twoFactor.check(session, { code: form.code ?? '', headers })
  if (outcome.kind === 'done') return setRule(request, false)
  if (outcome.kind === 'rejected') return { ...(await showForm(request, texts.twoFactor.setUp.wrongCode)), status: 400 }
  return { ...(await showForm(request, texts.signIn.problems.rateLimited(outcome.waitSeconds))), status: 429 }
}

async function setRule(request: StoreRequest, isRequired: boolean): Promise<HandlerResult> {
  const { services, store, session } = request
  const { database } = services
  const outcome = await setTwoFactorRule({ database, storeId: store.id, isRequired, changedBy: session.merchantId })
  // The store was removed, or the merchant lost the role, while this request ran.
  if (outcome === 'forbidden') return notFoundPage(request)
  return redirectToMembers(request, isRequired ? 'members.two-factor-on' : 'members.two-factor-off')
}

async function showForm(request: StoreRequest, problem: string | null): Promise<PageResult> {
  const { services, store, session } = request
  const { used } = await readSecondFactor(services.database, session.id)
  const members = await listMembers(services.database, store.id)
  const page = {
    isRequired: store.requiresTwoFactor,
    isUsed: used !== null,
    confirmBy: session.hasTwoFactor ? ('code' as const) : ('sign-in' as const),
    isFresh: await hasFreshSession(request),
    without: members
      .filter(({ isFromDirectory }) => !isFromDirectory)
      .filter(({ hasTwoFactor, hasPasskey, hasSingleSignOn }) => !hasTwoFactor && !hasPasskey && !hasSingleSignOn)
      .map(({ email }) => email),
    fromDirectory: members.filter(({ isFromDirectory }) => isFromDirectory).length,
    problem,
  }
  return { html: twoFactorRuleView(memberFrame(request, request.texts.twoFactorRule.title), page) }
}
