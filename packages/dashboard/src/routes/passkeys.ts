// Lets merchants add, rename, and remove passkeys. Adding or removing a passkey needs the password. If the account has
// a second factor, the session must have one, too.

import { checkKeyName, InvalidKeyNameError } from '@store-export/control'
import { clientName } from '../accounts/client-name.ts'
import { PASSKEYS_MAX, type Passkey } from '../accounts/passkeys.ts'
import type { PasskeyPage } from '../pages/passkey-models.ts'
import { addPasskeyView, passkeyView } from '../pages/passkeys-view.ts'
import type { FormFields } from '../security/form-body.ts'
import { ACCOUNT_FLASHES, readPasskeys, renderAccount } from './account.ts'
import {
  frameOf,
  type HandlerResult,
  type JsonResult,
  type MerchantRequest,
  type PageResult,
} from './dashboard-request.ts'
import { flashCookie } from './flash.ts'
import { readSignInFirst } from './sign-in-first.ts'

/** GET /account/passkeys/new: shows the form, or the account page if the merchant can't add a passkey here. */
export async function addPasskeyPage(request: MerchantRequest): Promise<HandlerResult> {
  const { services, session, context, texts } = request
  const { adding } = await readPasskeys(request)
  if (adding.kind !== 'possible' || !(await services.accounts.hasPassword(session.merchantId)))
    return { to: '/account' }
  const { browser, system } = clientName(context.req.header('user-agent') ?? '')
  const { aBrowser, browserOn } = texts.account.sessions
  const name = system === null ? (browser ?? aBrowser) : browserOn(browser ?? aBrowser, system)
  return { html: addPasskeyView(frameOf(request, { title: texts.passkeys.add.title }), { name }) }
}

/**
 * POST /account/passkeys/challenge: returns a challenge for a new passkey if the password is right and the session can
 * add one. Otherwise, returns an error message with status 400, or 429 after too many attempts. Either response also
 * has the form token of the next form.
 */
export async function createPasskeyChallenge(request: MerchantRequest, form: FormFields): Promise<JsonResult> {
  const { services, texts } = request
  const reply = (result: { readonly options: unknown } | { readonly problem: string }) => ({
    form_token: services.formTokens.make(request.formTokenScope),
    ...result,
  })
  if (parseName(form) === null) return { status: 400, json: reply({ problem: texts.passkeys.add.problems.name }) }
  const { passkeys } = services.accounts
  if ((await passkeys.list(request.context.req.raw.headers)).length >= PASSKEYS_MAX)
    return { status: 400, json: reply({ problem: texts.passkeys.limit(PASSKEYS_MAX) }) }
  const { toAdd } = await readSignInFirst(request)
  if (toAdd !== null) return { status: 400, json: reply({ problem: texts.account.signInFirst.addPasskey(toAdd) }) }
  const outcome = await passkeys.startAdding(checkOf(request, form))
  if (outcome.kind === 'done') return { json: reply({ options: outcome.options }), cookies: outcome.cookies }
  const isLimited = outcome.kind === 'rate_limited'
  const { problems } = texts.account.password
  const problem = isLimited ? problems.rateLimited(outcome.waitSeconds) : problems.current
  return { status: isLimited ? 429 : 400, json: reply({ problem }) }
}

/** POST /account/passkeys: adds the passkey that the browser created, or shows the account page with an error. */
export async function addPasskey(request: MerchantRequest, form: FormFields): Promise<HandlerResult> {
  const { session, context } = request
  const { headers } = context.req.raw
  // The account may have got a second factor since the challenge.
  const { toAdd } = await readSignInFirst(request)
  if (toAdd !== null) return renderRejected(request, request.texts.account.signInFirst.addPasskey(toAdd))
  const name = parseName(form)
  const credential = form.credential ?? ''
  if (name !== null && (await request.services.accounts.passkeys.add(session, { name, credential, headers })))
    return { to: '/account', cookies: [flashCookie(request, ACCOUNT_FLASHES.passkeyAdded)] }
  return renderRejected(request, request.texts.passkeys.add.problems.rejected)
}

/** Returns the account page with status 400 and the message `text`. */
async function renderRejected(request: MerchantRequest, text: string): Promise<PageResult> {
  const notice = { kind: 'problem', text } as const
  return { ...(await renderAccount(request, { problem: null, notice, storeId: undefined })), status: 400 }
}

/** GET /account/passkeys/{p}: shows the forms that rename and remove a passkey, or redirects if it doesn't exist. */
export async function passkeyPage(request: MerchantRequest): Promise<HandlerResult> {
  const passkey = await passkeyOf(request)
  return passkey === null
    ? { to: '/account' }
    : renderPasskey(request, { passkey, typedName: passkey.name, problem: null })
}

/** POST /account/passkeys/{p}/name: renames a passkey, or shows the form again with an error message. */
export async function renamePasskey(request: MerchantRequest, form: FormFields): Promise<HandlerResult> {
  const passkey = await passkeyOf(request)
  if (passkey === null) return { to: '/account' }
  const name = parseName(form)
  if (name === null) {
    const problem = { field: 'name', text: request.texts.passkeys.add.problems.name } as const
    return { ...(await renderPasskey(request, { passkey, typedName: form.name ?? '', problem })), status: 400 }
  }
  await request.services.accounts.passkeys.rename({ id: passkey.id, name, headers: request.context.req.raw.headers })
  return { to: '/account', cookies: [flashCookie(request, ACCOUNT_FLASHES.passkeyRenamed)] }
}

/** POST /account/passkeys/{p}/remove: removes a passkey, or shows the form again with an error message. */
export async function removePasskey(request: MerchantRequest, form: FormFields): Promise<HandlerResult> {
  const passkey = await passkeyOf(request)
  if (passkey === null) return { to: '/account' }
  const { toRemove } = await readSignInFirst(request)
  if (toRemove !== null)
    return { ...(await renderPasskey(request, { passkey, typedName: passkey.name, problem: null })), status: 409 }
  const outcome = await request.services.accounts.passkeys.remove(checkOf(request, form), passkey.id)
  if (outcome.kind === 'done')
    return { to: '/account', cookies: [flashCookie(request, ACCOUNT_FLASHES.passkeyRemoved)] }
  const isLimited = outcome.kind === 'rate_limited'
  const { problems } = request.texts.account.password
  const text = isLimited ? problems.rateLimited(outcome.waitSeconds) : problems.current
  const problem = { field: 'confirm', text } as const
  const page = await renderPasskey(request, { passkey, typedName: passkey.name, problem })
  return { ...page, status: isLimited ? 429 : 400 }
}

/** Returns the passkey in the URL; null if the account doesn't have it. */
async function passkeyOf({ services, context }: MerchantRequest): Promise<Passkey | null> {
  const list = await services.accounts.passkeys.list(context.req.raw.headers)
  return list.find(({ id }) => id === context.req.param('passkey')) ?? null
}

async function renderPasskey(request: MerchantRequest, page: Omit<PasskeyPage, 'signInFirst'>): Promise<PageResult> {
  const { toRemove } = await readSignInFirst(request)
  const frame = frameOf(request, { title: request.texts.passkeys.edit.title })
  return { html: passkeyView(frame, { ...page, signInFirst: toRemove }) }
}

/** Returns the name in the form, under the rules for names of keys; null for another name. */
function parseName({ name = '' }: FormFields): string | null {
  try {
    return checkKeyName(name)
  } catch (error) {
    if (error instanceof InvalidKeyNameError) return null
    throw error
  }
}

function checkOf({ session, context }: MerchantRequest, form: FormFields) {
  return { session, password: form.confirm ?? '', headers: context.req.raw.headers }
}
