// The merchant's own account: password and sessions.

import { PASSWORD_LENGTH } from '../accounts/auth.ts'
import { counted } from '../look/dates.ts'
import { accountView } from '../pages/account-view.ts'
import type { AccountPage } from '../pages/models.ts'
import type { FormFields } from '../security/form-body.ts'
import { type Answer, frameOf, type MerchantVisit, type PageAnswer } from './visit.ts'

/** GET /account */
export async function accountPage(visit: MerchantVisit): Promise<Answer> {
  const changed = visit.context.req.query('done') === 'password'
  const text = 'Your password was changed. Other browsers are signed out.'
  return show(visit, { problem: null, notice: changed ? { kind: 'done', text } : null })
}

/** POST /account/password */
export async function changePassword(visit: MerchantVisit, form: FormFields): Promise<Answer> {
  const change = { current: form.current ?? '', next: form.next ?? '' }
  const { headers } = visit.context.req.raw
  const outcome = await visit.parts.accounts.changePassword(visit.session, { ...change, headers })
  if ('cookies' in outcome) return { to: '/account?done=password', cookies: outcome.cookies }
  if ('waitSeconds' in outcome) {
    const text = `Too many attempts. Wait ${counted(outcome.waitSeconds, 'second', { locale: 'en' })} and try again.`
    return { ...(await show(visit, { problem: { field: 'current', text }, notice: null })), status: 429 }
  }
  return { ...(await show(visit, { problem: PROBLEMS[outcome.problem], notice: null })), status: 400 }
}

const PROBLEMS = {
  current: { field: 'current', text: 'This is not your current password.' },
  'too short': { field: 'next', text: `A password has at least ${PASSWORD_LENGTH.min} characters.` },
  'too long': { field: 'next', text: `A password has at most ${PASSWORD_LENGTH.max} characters.` },
} as const

async function show(
  visit: MerchantVisit,
  { problem, notice }: { problem: AccountPage['passwordProblem']; notice: { kind: 'done'; text: string } | null },
): Promise<PageAnswer> {
  const { accounts } = visit.parts
  const sessions = await accounts.sessions(visit.context.req.raw.headers)
  const page = {
    email: visit.session.email,
    hasPassword: await accounts.hasPassword(visit.session.merchantId),
    passwordLengthMin: PASSWORD_LENGTH.min,
    passwordProblem: problem,
    sessions: sessions.map(({ id, startedAt, client }) => ({ startedAt, client, isThis: id === visit.session.id })),
  }
  return { html: accountView(frameOf(visit, { title: 'Account', notice }), page) }
}
