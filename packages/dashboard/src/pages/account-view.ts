// Renders the account page: language, password, second factor, passkeys, and sessions.

import { NEW_PASSWORD_MINUTES } from '../accounts/link-sign-ins.ts'
import { badge, callout, card, pageHead } from '../ui/components.ts'
import { relativeTime } from '../ui/dates.ts'
import { button, field, form } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import { table } from '../ui/table.ts'
import { languageCard } from './language-card.ts'
import type { AccountPage, Frame } from './models.ts'
import { passkeysCard } from './passkeys-view.ts'
import { twoFactorCard } from './two-factor-view.ts'

/** Returns the account page. The form sets a first password if the merchant has none. */
export function accountView(frame: Frame, page: AccountPage): Html {
  const { account: texts, stores } = frame.texts
  const trail = page.storeId === null ? { trail: [{ label: stores.title, href: '/stores' }] } : {}
  const head = pageHead(frame, { title: texts.title, lead: page.email, ...trail })
  return layout(
    frame,
    html`${head}${languageCard(frame, page)}${passwordCard(frame, page)}${twoFactorCard(frame, page)}${passkeysCard(frame, page)}${sessionsCard(frame, page)}`,
  )
}

/** Returns the form for a new password, or the advice to sign in again if the session is too old for a first one. */
function passwordCard(frame: Frame, page: AccountPage): Html {
  const { passwordProblem: problem, passwordLengthMin, hasPassword, needsNoCurrentPassword } = page
  const { password: texts } = frame.texts.account
  const title = { id: 'password', title: texts.title }
  if (page.needsNewSession)
    return card({ ...title, note: texts.noteSet }, callout(texts.problems.sessionOld, 'waiting'))
  const fields = html`${
    hasPassword && !needsNoCurrentPassword
      ? field({
          name: 'current',
          label: texts.current,
          type: 'password',
          autocomplete: 'current-password',
          problem: problem?.field === 'current' ? problem.text : null,
        })
      : ''
  }
${field({
  name: 'next',
  label: texts.next,
  type: 'password',
  autocomplete: 'new-password',
  lengthMin: passwordLengthMin,
  hint: texts.hint(passwordLengthMin),
  problem: problem?.field === 'next' ? problem.text : null,
})}
${button(hasPassword ? texts.change : texts.set)}`
  const { storeId } = page
  const store = storeId === null ? NOTHING : html`<input type="hidden" name="store" value="${storeId}">`
  const noteChange = needsNoCurrentPassword ? texts.noteForgotten(NEW_PASSWORD_MINUTES) : texts.noteChange
  const note = hasPassword ? noteChange : texts.noteSet
  return card({ ...title, note }, form({ action: '/account/password', frame }, html`${store}${fields}`))
}

function sessionsCard(frame: Frame, page: AccountPage): Html {
  const { sessions: texts } = frame.texts.account
  const rows = page.sessions.map(({ client, startedAt, isCurrent }) => [
    html`${clientText(frame, client)} ${isCurrent ? badge(texts.thisBrowser, 'good') : ''}`,
    relativeTime(startedAt, frame),
  ])
  const list = table({
    caption: texts.title,
    columns: [{ label: texts.browser }, { label: texts.signedIn }],
    rows,
  })
  const everywhere = form({ action: '/account/sign-out-everywhere', frame }, button(texts.signOutEverywhere, 'plain'))
  const others = form({ action: '/account/sign-out-others', frame }, button(texts.signOutOthers, 'plain'))
  const actions = html`${page.sessions.length > 1 ? others : NOTHING}${everywhere}`
  const { title, note } = texts
  return card({ id: 'sessions', title, note, actions, isFlush: true }, list)
}

/** Returns a name such as "Firefox on Linux"; "A browser" if the User-Agent header names none. */
function clientText({ texts }: Frame, { browser, system }: AccountPage['sessions'][number]['client']): string {
  const { aBrowser, browserOn } = texts.account.sessions
  const name = browser ?? aBrowser
  return system === null ? name : browserOn(name, system)
}
