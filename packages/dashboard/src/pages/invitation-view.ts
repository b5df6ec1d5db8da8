// Renders the page of an invitation's link. The page has a button, because a program that previews the link would
// otherwise use it up.

import { callout } from '../ui/components.ts'
import { button, field, form } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import { storePaths } from '../ui/store-paths.ts'
import type { InvitationPage } from './member-models.ts'
import type { Frame } from './models.ts'

/** Returns the page of an invitation that can be accepted. A new account chooses its password here. */
export function invitationView(frame: Frame, page: InvitationPage): Html {
  const lead = html`<strong>${page.invitedBy}</strong> invites <strong>${page.email}</strong> to this store. Members see its data and usage, and can create and revoke its keys.`
  const other =
    page.otherSession === null
      ? NOTHING
      : callout(
          html`This browser is signed in as <strong>${page.otherSession}</strong>. The invitation is for <strong>${page.email}</strong>. If you accept it, the other account is signed out.`,
          'waiting',
        )
  const ways = page.hasAccount ? acceptForm(frame, page) : newAccount(frame, page)
  return loneCard(
    frame,
    html`<h1>Join ${page.storeName}</h1><p class="lead">${lead}</p>${other}${ways}<p class="note">If you don’t want to join, close this page.</p>`,
  )
}

/** Returns the page of a link that no longer works. It does not say whether there was an invitation. */
export function endedInvitationView(frame: Frame, problem: string | null): Html {
  return loneCard(
    frame,
    html`<h1>This invitation doesn’t work</h1>
<p class="lead">${problem ?? 'It was already accepted, has expired, or was withdrawn. If you have joined already, sign in. Otherwise, ask for a new invitation.'}</p>
<p><a href="/">Open the dashboard</a></p>`,
  )
}

function acceptForm(frame: Frame, { token }: InvitationPage): Html {
  const note = html`<p class="note">Your account exists. The link doesn’t sign you in: you sign in as usual afterwards.</p>`
  return html`${form({ action: '/invitation', frame }, html`${tokenField(token)}${button('Accept invitation')}`)}${note}`
}

function newAccount(frame: Frame, page: InvitationPage): Html {
  const { token, passwordLengthMin, passwordProblem, singleSignOnLabel, storeId, email } = page
  const username = html`<input class="visually-hidden" type="email" name="username" value="${email}" autocomplete="username" tabindex="-1" aria-hidden="true" readonly>`
  const password = field({
    name: 'password',
    label: 'Choose a password',
    type: 'password',
    autocomplete: 'new-password',
    lengthMin: passwordLengthMin,
    hint: `At least ${passwordLengthMin} characters. Several random words are easy to remember and hard to guess.`,
    problem: passwordProblem,
  })
  const own = form(
    { action: '/invitation', frame },
    html`${tokenField(token)}${username}${password}${button('Create account and join')}`,
  )
  if (singleSignOnLabel === null) return own
  const next = html`<input type="hidden" name="next" value="${storePaths(storeId).api}">`
  const provider = form({ action: '/sign-in/oidc', frame }, html`${next}${button(singleSignOnLabel, 'plain')}`)
  return html`${own}${provider}`
}

function tokenField(token: string): Html {
  return html`<input type="hidden" name="token" value="${token}">`
}

/** Returns a page without navigation, because the current session can be that of another account. */
function loneCard(frame: Frame, content: Html): Html {
  return layout(
    { ...frame, viewer: null },
    html`<section class="card lone-card"><div class="card-body">${content}</div></section>`,
  )
}
