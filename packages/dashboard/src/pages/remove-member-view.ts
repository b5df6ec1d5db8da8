// Renders the confirmation pages for the end of a member's access.

import type { StoreMember } from '@store-export/control'
import { isAllowed } from '../members/permissions.ts'
import { card, pageHead } from '../ui/components.ts'
import { button, form, linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import type { Frame } from './models.ts'

/** Returns the page on which an admin confirms the removal of a member. */
export function removeMemberView(frame: Frame, { merchantId, email, isFromDirectory }: StoreMember): Html {
  const paths = pathsOf(frame)
  const { directory } = frame.texts
  const { removal } = frame.texts.members
  const { title, button: label, keys, invitations } = removal.remove
  const again = isFromDirectory ? html`<p>${directory.member.remove}</p>` : NOTHING
  const effects = html`<p>${keys(paths.api)}</p><p>${invitations}</p>${again}`
  return confirmationPage(
    frame,
    { title, lead: removal.remove.lead(email) },
    { label, effects, action: paths.removeMember(merchantId) },
  )
}

/** Returns the page on which a member confirms to leave the store. */
export function leaveView(frame: Frame): Html {
  const paths = pathsOf(frame)
  const { removal } = frame.texts.members
  const { title, lead, button: label, keys } = removal.leave
  const invitations = isAllowed(frame, 'manage members') ? html`<p>${removal.leave.invitations}</p>` : NOTHING
  const effects = isAllowed(frame, 'manage keys')
    ? html`<p>${keys}</p>${invitations}`
    : html`<p>${removal.unchanged}</p>`
  return confirmationPage(frame, { title, lead }, { label, effects, action: paths.leave })
}

/** Returns the page that says why the last admin can't leave. */
export function lastAdminView(frame: Frame): Html {
  const { title, lead, back } = frame.texts.members.removal.last
  const head = pageHead(frame, { title, lead, trail: trailOf(frame) })
  return layout(frame, html`${head}<p class="actions">${linkButton(back, pathsOf(frame).members)}</p>`)
}

interface Confirmation {
  /** Text of the button. */
  readonly label: string
  /** What happens apart from the end of the access. */
  readonly effects: Html
  readonly action: string
}

function confirmationPage(
  frame: Frame,
  head: { readonly title: string; readonly lead: Html | string },
  { label, effects, action }: Confirmation,
): Html {
  const { common, members } = frame.texts
  const cancel = linkButton(common.cancel, pathsOf(frame).members)
  const buttons = html`<div class="actions">${button(label, 'danger-main')}${cancel}</div>`
  const content = html`${effects}${form({ action, frame }, buttons)}`
  return layout(
    frame,
    html`${pageHead(frame, { ...head, trail: trailOf(frame) })}${card({ id: 'effects', title: members.removal.effects }, content)}`,
  )
}

function trailOf(frame: Frame) {
  return [{ label: frame.texts.members.title, href: pathsOf(frame).members }]
}
