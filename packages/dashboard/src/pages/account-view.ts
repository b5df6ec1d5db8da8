// Renders the account page: password, second factor, and sessions.

import { badge, card, pageHead } from '../ui/components.ts'
import { relativeTime } from '../ui/dates.ts'
import { button, field, form } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import { table } from '../ui/table.ts'
import type { AccountPage, Frame } from './models.ts'
import { twoFactorCard } from './two-factor-view.ts'

/** Returns the account page. The form sets a first password if the merchant has none. */
export function accountView(frame: Frame, page: AccountPage): Html {
  const stores = { trail: [{ label: 'Your stores', href: '/stores' }] }
  const head = pageHead({ title: 'Your account', lead: page.email, ...(page.storeId === null ? stores : {}) })
  return layout(
    frame,
    html`${head}${passwordCard(frame, page)}${twoFactorCard(frame, page)}${sessionsCard(frame, page)}`,
  )
}

function passwordCard(frame: Frame, page: AccountPage): Html {
  const { passwordProblem: problem, passwordLengthMin, hasPassword } = page
  const fields = html`${
    hasPassword
      ? field({
          name: 'current',
          label: 'Current password',
          type: 'password',
          autocomplete: 'current-password',
          problem: problem?.field === 'current' ? problem.text : null,
        })
      : ''
  }
${field({
  name: 'next',
  label: 'New password',
  type: 'password',
  autocomplete: 'new-password',
  lengthMin: passwordLengthMin,
  hint: `At least ${passwordLengthMin} characters. Several random words are easy to remember and hard to guess.`,
  problem: problem?.field === 'next' ? problem.text : null,
})}
${button(hasPassword ? 'Change password' : 'Set password')}`
  const { storeId } = page
  const store = storeId === null ? NOTHING : html`<input type="hidden" name="store" value="${storeId}">`
  const note = hasPassword
    ? 'Changing your password signs out your other browsers.'
    : 'You have no password yet. Set one to sign in without a link.'
  return card(
    { id: 'password', title: 'Password', note },
    form({ action: '/account/password', frame }, html`${store}${fields}`),
  )
}

function sessionsCard(frame: Frame, page: AccountPage): Html {
  const rows = page.sessions.map(({ client, startedAt, isCurrent }) => [
    html`${client} ${isCurrent ? badge('This browser', 'good') : ''}`,
    relativeTime(startedAt, frame),
  ])
  const list = table({
    caption: 'Where you’re signed in',
    columns: [{ label: 'Browser' }, { label: 'Signed in' }],
    rows,
    isStacked: true,
  })
  const others = form({ action: '/account/sign-out-others', frame }, button('Sign out other browsers', 'plain'))
  const everywhere = form({ action: '/account/sign-out-everywhere', frame }, button('Sign out everywhere', 'plain'))
  const actions = html`${page.sessions.length > 1 ? others : NOTHING}${everywhere}`
  const note = 'If you don’t recognize a browser, sign out everywhere and change your password.'
  return card({ id: 'sessions', title: 'Where you’re signed in', note, actions, isFlush: true }, list)
}
