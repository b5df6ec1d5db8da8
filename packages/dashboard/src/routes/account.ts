// The merchant's own account: password and sessions.

import { PASSWORD_LENGTH } from '../accounts/auth.ts'
import { storeAddresses } from '../look/addresses.ts'
import { counted } from '../look/dates.ts'
import { accountView } from '../pages/account-view.ts'
import type { AccountPage, Notice } from '../pages/models.ts'
import type { FormFields } from '../security/form-body.ts'
import { flashCookie, takeFlash } from './flash.ts'
import { type Answer, frameOf, type MerchantVisit, type PageAnswer } from './visit.ts'

/** GET /account?store={s}: `store` is the store to go back to. */
export async function accountPage(visit: MerchantVisit): Promise<Answer> {
  const { value, cookies } = takeFlash(visit)
  const text = 'Your password was changed. Other browsers are signed out.'
  const notice = value === CHANGED ? ({ kind: 'done', text } as const) : null
  const storeId = visit.context.req.query('store')
  return { ...(await show(visit, { problem: null, notice, storeId })), cookies }
}

/** Notices that the account page shows once. */
const CHANGED = 'password'

/** POST /account/password */
export async function changePassword(visit: MerchantVisit, form: FormFields): Promise<Answer> {
  const change = { current: form.current ?? '', next: form.next ?? '' }
  const { headers } = visit.context.req.raw
  const storeId = form.store
  const outcome = await visit.parts.accounts.changePassword(visit.session, { ...change, headers })
  if ('cookies' in outcome) {
    const to = storeId === undefined ? '/account' : `/account?${new URLSearchParams({ store: storeId })}`
    return { to, cookies: [...outcome.cookies, flashCookie(visit, CHANGED)] }
  }
  if ('waitSeconds' in outcome) {
    const text = `Too many attempts. Wait ${counted(outcome.waitSeconds, 'second', { locale: 'en' })} and try again.`
    return { ...(await show(visit, { problem: { field: 'current', text }, notice: null, storeId })), status: 429 }
  }
  return { ...(await show(visit, { problem: PROBLEMS[outcome.problem], notice: null, storeId })), status: 400 }
}

const PROBLEMS = {
  current: { field: 'current', text: 'This is not your current password.' },
  'too short': { field: 'next', text: `A password has at least ${PASSWORD_LENGTH.min} characters.` },
  'too long': { field: 'next', text: `A password has at most ${PASSWORD_LENGTH.max} characters.` },
} as const

interface AccountOptions {
  readonly problem: AccountPage['passwordProblem']
  readonly notice: Notice | null
  /** The store to go back to, as the address or the form names it. */
  readonly storeId: string | undefined
}

async function show(visit: MerchantVisit, { problem, notice, storeId }: AccountOptions): Promise<PageAnswer> {
  const { accounts } = visit.parts
  const sessions = await accounts.sessions(visit.context.req.raw.headers)
  const page = {
    email: visit.session.email,
    back: backOf(visit, storeId),
    hasPassword: await accounts.hasPassword(visit.session.merchantId),
    passwordLengthMin: PASSWORD_LENGTH.min,
    passwordProblem: problem,
    sessions: sessions.map(({ id, startedAt, client }) => ({ startedAt, client, isThis: id === visit.session.id })),
  }
  return { html: accountView(frameOf(visit, { title: 'Account', notice }), page) }
}

/** The store from which the account was opened, or the choice of stores. */
function backOf({ stores }: MerchantVisit, storeId: string | undefined): AccountPage['back'] {
  const store = stores.find(({ id }) => id === storeId) ?? (stores.length === 1 ? stores[0] : undefined)
  if (store === undefined) return { label: 'Your stores', href: '/stores', storeId: null }
  return { label: store.name, href: storeAddresses(store.id).api, storeId: store.id }
}
