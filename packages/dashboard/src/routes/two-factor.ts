// Lets merchants turn on and off the codes of an app, which are a second factor. Setting up, new recovery codes, and
// turning off need the password. Confirming a set-up needs a code of the new secret. If the account has a second
// factor, such as a passkey, these changes also need a session that a second factor opened.
//
// A handler redirects to the account page if there is nothing to change. It returns 409 if the merchant must sign in
// again first, 400 for a wrong password or code, and 429 after too many attempts.

import { ISSUER } from '../accounts/auth.ts'
import type { Attempt, PasswordCheck } from '../accounts/limit-attempts.ts'
import { recoveryCodesView, twoFactorSetUpView } from '../pages/two-factor-view.ts'
import type { FormFields } from '../security/form-body.ts'
import { ACCOUNT_FLASHES, renderAccount } from './account.ts'
import { frameOf, type HandlerResult, type MerchantRequest, type PageResult } from './dashboard-request.ts'
import { flashCookie } from './flash.ts'
import { readSignInFirst } from './sign-in-first.ts'

/** A secret in base32. The form of the set-up sends it back, so it can be any text. */
const SECRET = /^[A-Z2-7]{16,128}$/

/** POST /account/two-factor/set-up: makes a secret, and shows it with its QR code. */
export async function setUpTwoFactor(request: MerchantRequest, form: FormFields): Promise<HandlerResult> {
  if (request.session.hasTwoFactor) return { to: '/account' }
  if ((await readSignInFirst(request)).toAdd !== null) return renderSignInFirst(request)
  const outcome = await request.services.accounts.twoFactor.setUp(checkOf(request, form))
  if (outcome.kind !== 'done') return renderRejected(request, outcome)
  return renderSetUp(request, { secret: outcome.secret, problem: null })
}

/** POST /account/two-factor/confirm: turns the second factor on, and shows the recovery codes. */
export async function confirmTwoFactor(request: MerchantRequest, form: FormFields): Promise<HandlerResult> {
  const { session, services, context } = request
  const secret = form.secret ?? ''
  // After a wrong code, the page shows the secret that the form sent, not the stored one. Otherwise, a stolen session
  // could read the secret of a set-up.
  if (session.hasTwoFactor || !SECRET.test(secret)) return { to: '/account' }
  // The account may have got a passkey since the set-up.
  if ((await readSignInFirst(request)).toAdd !== null) return renderSignInFirst(request)
  const { headers } = context.req.raw
  const outcome = await services.accounts.twoFactor.confirm(session, { code: form.code ?? '', headers })
  if (outcome.kind === 'rate_limited') {
    const problem = request.texts.signIn.problems.rateLimited(outcome.waitSeconds)
    return { ...renderSetUp(request, { secret, problem }), status: 429 }
  }
  if (outcome.kind === 'rejected')
    return { ...renderSetUp(request, { secret, problem: request.texts.twoFactor.setUp.wrongCode }), status: 400 }
  return renderRecoveryCodes(await requestWith(request, outcome.cookies), outcome)
}

/** POST /account/two-factor/recovery-codes: replaces the recovery codes, and shows the new ones. */
export async function renewRecoveryCodes(request: MerchantRequest, form: FormFields): Promise<HandlerResult> {
  if (!request.session.hasTwoFactor) return { to: '/account' }
  if ((await readSignInFirst(request)).toRemove !== null) return renderSignInFirst(request)
  const outcome = await request.services.accounts.twoFactor.renewRecoveryCodes(checkOf(request, form))
  return outcome.kind === 'done' ? renderRecoveryCodes(request, outcome) : renderRejected(request, outcome)
}

/** POST /account/two-factor/turn-off: turns the second factor off. */
export async function turnOffTwoFactor(request: MerchantRequest, form: FormFields): Promise<HandlerResult> {
  if (!request.session.hasTwoFactor) return { to: '/account' }
  if ((await readSignInFirst(request)).toRemove !== null) return renderSignInFirst(request)
  const outcome = await request.services.accounts.twoFactor.turnOff(checkOf(request, form))
  if (outcome.kind !== 'done') return renderRejected(request, outcome)
  return { to: '/account', cookies: [...outcome.cookies, flashCookie(request, ACCOUNT_FLASHES.twoFactorOff)] }
}

function checkOf({ session, context }: MerchantRequest, form: FormFields): PasswordCheck {
  // The field `confirm` has the password that confirms the change.
  return { session, password: form.confirm ?? '', headers: context.req.raw.headers }
}

/** Returns the account page. Its card says how the merchant must sign in before the change. */
async function renderSignInFirst(request: MerchantRequest): Promise<PageResult> {
  return { ...(await renderAccount(request, { problem: null, notice: null, storeId: undefined })), status: 409 }
}

async function renderRejected(
  request: MerchantRequest,
  outcome: Exclude<Attempt<object>, { kind: 'done' }>,
): Promise<PageResult> {
  const isLimited = outcome.kind === 'rate_limited'
  const twoFactorProblem = isLimited
    ? request.texts.signIn.problems.rateLimited(outcome.waitSeconds)
    : request.texts.account.password.problems.current
  const page = await renderAccount(request, { problem: null, twoFactorProblem, notice: null, storeId: undefined })
  return { ...page, status: isLimited ? 429 : 400 }
}

function renderSetUp(
  request: MerchantRequest,
  { secret, problem }: { readonly secret: string; readonly problem: string | null },
): PageResult {
  // URLSearchParams encodes a space as +, which apps would show.
  const label = encodeURIComponent(`${ISSUER}:${request.session.email}`)
  const uri = `otpauth://totp/${label}?${new URLSearchParams({ secret, issuer: ISSUER }).toString().replaceAll('+', '%20')}`
  const frame = frameOf(request, { title: request.texts.twoFactor.setUp.title })
  return { html: twoFactorSetUpView(frame, { secret, uri, problem }) }
}

interface NewRecoveryCodes {
  readonly recoveryCodes: readonly string[]
  /** Cookies of a new session; absent if the session stays. */
  readonly cookies?: readonly string[]
}

/** Returns the page of the recovery codes. Only turning the second factor on creates a new session. */
function renderRecoveryCodes(
  request: MerchantRequest,
  { recoveryCodes: codes, cookies = [] }: NewRecoveryCodes,
): PageResult {
  const isNew = cookies.length > 0
  const { titleNew, titleRenewed } = request.texts.twoFactor.recovery
  const frame = frameOf(request, { title: isNew ? titleNew : titleRenewed })
  return { html: recoveryCodesView(frame, { codes, isNew }), cookies }
}

/**
 * Returns the request with the session of new cookies, so that the forms of its page belong to that session. Returns
 * the request unchanged if that session has already ended.
 */
async function requestWith(request: MerchantRequest, cookies: readonly string[]): Promise<MerchantRequest> {
  const cookie = cookies.map((each) => each.split(';', 1)[0]).join('; ')
  const known = await request.services.accounts.sessionOf(new Headers({ cookie }))
  return known === null ? request : { ...request, session: known.session, formTokenScope: known.session.id }
}
