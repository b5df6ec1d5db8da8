// Renders the page of an invitation's link. The page has a button, because a program that previews the link would
// otherwise use it up.

import { callout } from '../ui/components.ts'
import { button, field, form, linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import { storePaths } from '../ui/store-paths.ts'
import type { InvitationPage } from './member-models.ts'
import type { Frame } from './models.ts'

/** Returns the page of an invitation that can be accepted. A new account chooses its password here. */
export function invitationView(frame: Frame, page: InvitationPage): Html {
  const { invitation: texts } = frame.texts
  const { invitedBy, email, role, otherSession } = page
  const other = otherSession === null ? NOTHING : callout(texts.otherSession(otherSession, email), 'waiting')
  const ways = page.hasAccount ? acceptForm(frame, page) : newAccount(frame, page)
  return loneCard(
    frame,
    html`<h1>${texts.title(page.storeName)}</h1><p class="lead">${texts.lead[role](invitedBy, email)}</p>${other}${ways}<p class="note">${texts.decline}</p>`,
  )
}

/**
 * Returns the page of a link that doesn't work. Without a `problem`, it doesn't say whether there was an invitation.
 */
export function endedInvitationView(frame: Frame, problem: string | null): Html {
  const { title, text, openDashboard } = frame.texts.invitation.ended
  return loneCard(
    frame,
    html`<h1>${title}</h1>
<p class="lead">${problem ?? text}</p>
<p class="actions">${linkButton(openDashboard, '/', { kind: 'main' })}</p>`,
  )
}

function acceptForm(frame: Frame, { token }: InvitationPage): Html {
  const { accept, acceptNote } = frame.texts.invitation
  const note = html`<p class="note">${acceptNote}</p>`
  return html`${form({ action: '/invitation', frame }, html`${tokenField(token)}${button(accept)}`)}${note}`
}

function newAccount(frame: Frame, page: InvitationPage): Html {
  const { token, passwordLengthMin, passwordProblem, singleSignOnLabel, storeId, email } = page
  const { invitation: texts } = frame.texts
  // With this field, password managers store the address with the new password.
  const username = html`<input class="visually-hidden" type="email" name="username" value="${email}" autocomplete="username" tabindex="-1" aria-hidden="true" readonly>`
  const password = field({
    name: 'password',
    label: texts.choosePassword,
    type: 'password',
    autocomplete: 'new-password',
    lengthMin: passwordLengthMin,
    hint: frame.texts.account.password.hint(passwordLengthMin),
    problem: passwordProblem,
  })
  const own = form(
    { action: '/invitation', frame },
    html`${tokenField(token)}${username}${password}${button(texts.createAccount)}`,
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
