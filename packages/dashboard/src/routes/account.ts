// Shows the account page, changes passwords, and ends other sessions. Passkeys, codes, and the language have files of
// their own. A change of the password needs the current one, with two exceptions: the first password, and one change
// within ten minutes of a sign-in by link.

import type { MemberStore } from '@store-export/control'
import type { PasswordRejection } from '../accounts/accounts.ts'
import { PASSWORD_LENGTH } from '../accounts/auth.ts'
import { PASSKEYS_MAX } from '../accounts/passkeys.ts'
import { accountView } from '../pages/account-view.ts'
import type { AccountPage, PageNotice } from '../pages/models.ts'
import type { PasskeysCard } from '../pages/passkey-models.ts'
import type { FormFields } from '../security/form-body.ts'
import { frameOf, type HandlerResult, type MerchantRequest, type PageResult } from './dashboard-request.ts'
import { flashCookie, takeFlash } from './flash.ts'
import { LANGUAGE_SAVED } from './language.ts'
import { passwordProblem } from './password-problem.ts'
import { readSignInFirst } from './sign-in-first.ts'
import { storeHead, timeZoneOf } from './stores.ts'

/** GET /account?store={s}: shows the account page. `store` is the store that the navigation shows. */
export async function accountPage(request: MerchantRequest): Promise<HandlerResult> {
  const { value, cookies } = takeFlash(request)
  const text = noticeText(request, value)
  const notice = text === null ? null : ({ kind: 'done', text } as const)
  const storeId = request.context.req.query('store')
  return { ...(await renderAccount(request, { problem: null, notice, storeId })), cookies }
}

/** Values of the flash cookie for messages of the account page. `LANGUAGE_SAVED` of language.ts is one, too. */
export const ACCOUNT_FLASHES = {
  passwordChanged: 'account.password',
  othersSignedOut: 'account.others',
  twoFactorOff: 'account.two-factor-off',
  passkeyAdded: 'account.passkey-added',
  passkeyRenamed: 'account.passkey-renamed',
  passkeyRemoved: 'account.passkey-removed',
} as const

function noticeText({ texts }: MerchantRequest, flash: string): string | null {
  const { account, twoFactor, passkeys } = texts
  switch (flash) {
    case ACCOUNT_FLASHES.passwordChanged:
      return account.password.changed
    case ACCOUNT_FLASHES.othersSignedOut:
      return account.sessions.othersSignedOut
    case ACCOUNT_FLASHES.twoFactorOff:
      return twoFactor.turnedOff
    case ACCOUNT_FLASHES.passkeyAdded:
      return passkeys.added
    case ACCOUNT_FLASHES.passkeyRenamed:
      return passkeys.renamed
    case ACCOUNT_FLASHES.passkeyRemoved:
      return passkeys.removed
    case LANGUAGE_SAVED:
      return account.language.saved
    default:
      return null
  }
}

/** POST /account/sign-out-others: ends all sessions of the merchant except the current one. */
export async function signOutOthers(request: MerchantRequest): Promise<HandlerResult> {
  await request.services.accounts.signOutOthers(request.context.req.raw.headers)
  return { to: '/account', cookies: [flashCookie(request, ACCOUNT_FLASHES.othersSignedOut)] }
}

/**
 * POST /account/password: changes the password or sets the first one, sends an email about it, and redirects.
 * Otherwise, shows the form again with status 400, or 429 after too many attempts.
 */
export async function changePassword(request: MerchantRequest, form: FormFields): Promise<HandlerResult> {
  const change = { current: form.current ?? null, next: form.next ?? '' }
  const { headers } = request.context.req.raw
  const storeId = form.store
  const outcome = await request.services.accounts.changePassword(request.session, { ...change, headers })
  if ('cookies' in outcome) {
    await sendPasswordEmail(request)
    const to = storeId === undefined ? '/account' : `/account?${new URLSearchParams({ store: storeId })}`
    return { to, cookies: [...outcome.cookies, flashCookie(request, ACCOUNT_FLASHES.passwordChanged)] }
  }
  if ('waitSeconds' in outcome) {
    const text = request.texts.account.password.problems.rateLimited(outcome.waitSeconds)
    return {
      ...(await renderAccount(request, { problem: { field: 'current', text }, notice: null, storeId })),
      status: 429,
    }
  }
  return {
    ...(await renderAccount(request, { problem: problemOf(request, outcome.problem), notice: null, storeId })),
    status: 400,
  }
}

/** Returns the message at the field that the merchant must correct. */
function problemOf({ texts }: MerchantRequest, reason: PasswordRejection): AccountPage['passwordProblem'] {
  return {
    field: reason === 'current' || reason === 'link expired' ? 'current' : 'next',
    text: passwordProblem(texts, reason),
  }
}

/** Tells the merchant about the new password by email, so that the owner notices a change by someone else. */
async function sendPasswordEmail({ services, session, texts, requestId }: MerchantRequest): Promise<void> {
  const { subject, text } = texts.account.password.email
  try {
    await services.mailer?.send({
      to: session.email,
      subject,
      text: text(session.email, `${services.origins.url}/account`),
    })
  } catch (cause) {
    // The password is changed already, so a failed email must not fail the request.
    services.emit({ event: 'password_email.failed', requestId, cause })
  }
}

interface AccountOptions {
  /** The error at a field of the password form; null without an error. */
  readonly problem: AccountPage['passwordProblem']
  /** The error message of the second factor's form; absent without an error. */
  readonly twoFactorProblem?: string
  /** The message above the page; null without one. */
  readonly notice: PageNotice | null
  /** The store that the navigation shows, from the URL or the form. */
  readonly storeId: string | undefined
}

/** Returns the account page. The routes of passkeys and of the second factor also show their errors on it. */
export async function renderAccount(
  request: MerchantRequest,
  { problem, twoFactorProblem, notice, storeId }: AccountOptions,
): Promise<PageResult> {
  const { accounts } = request.services
  const sessions = await accounts.sessions(request.context.req.raw.headers)
  const store = storeOf(request, storeId)
  const isOn = request.session.hasTwoFactor
  const signInFirst = await readSignInFirst(request)
  const hasPassword = await accounts.hasPassword(request.session.merchantId)
  const page = {
    email: request.session.email,
    storeId: store?.id ?? null,
    chosenLanguage: request.session.language,
    hasPassword,
    needsNoCurrentPassword: await accounts.allowsNewPassword(request.session),
    needsNewSession: !hasPassword && !(await accounts.allowsFirstPassword(request.session)),
    passwordLengthMin: PASSWORD_LENGTH.min,
    passwordProblem: problem,
    twoFactor: {
      isOn,
      signInFirst: isOn ? signInFirst.toRemove : signInFirst.toAdd,
      problem: twoFactorProblem ?? null,
    },
    passkeys: await readPasskeys(request),
    sessions: sessions.map(({ id, startedAt, client }) => ({
      startedAt,
      client,
      isCurrent: id === request.session.id,
    })),
  }
  const head = store === null ? {} : { head: storeHead(store, await timeZoneOf(request, store)) }
  const { title } = request.texts.account
  return { html: accountView(frameOf({ ...request, ...head }, { title, notice }), page) }
}

/**
 * Returns the passkeys of the merchant, and whether the merchant can add another one. Adding needs a host name in the
 * URL of the dashboard, fewer than `PASSKEYS_MAX` passkeys, and the session that `readSignInFirst` demands. On a
 * loopback address, the browser must use that host name, too.
 */
export async function readPasskeys(request: MerchantRequest): Promise<PasskeysCard> {
  const { services, context } = request
  const { passkeyOrigin, isPasskeyHost } = services.origins
  const list = await services.accounts.passkeys.list(context.req.raw.headers)
  if (passkeyOrigin === null) return { list, adding: { kind: 'no host name' } }
  if (!isPasskeyHost(context.req.header('host') ?? null))
    return { list, adding: { kind: 'elsewhere', url: `${passkeyOrigin}/account` } }
  if (list.length >= PASSKEYS_MAX) return { list, adding: { kind: 'full' } }
  const { toAdd: factor } = await readSignInFirst(request)
  return { list, adding: factor === null ? { kind: 'possible' } : { kind: 'sign in first', factor } }
}

/** Returns the store whose navigation the page shows: the chosen one, or the only one; null without either. */
function storeOf({ stores }: MerchantRequest, storeId: string | undefined): MemberStore | null {
  const only = stores.length === 1 ? stores[0] : undefined
  return stores.find(({ id }) => id === storeId) ?? only ?? null
}
