// Renders the confirmation page for the removal of a member.

import { card, pageHead } from '../ui/components.ts'
import { button, form, linkButton } from '../ui/forms.ts'
import { type Html, html } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import type { RemoveMemberPage } from './member-models.ts'
import type { Frame } from './models.ts'

/** Returns the page on which a member confirms the removal of a member, or leaves the store. */
export function removeMemberView(frame: Frame, member: RemoveMemberPage): Html {
  const paths = pathsOf(frame)
  const trail = [{ label: 'Members', href: paths.members }]
  if (member.isLast) {
    const title = 'The last member can’t leave'
    const lead = 'Invite another person first, or ask your platform’s support to end your access.'
    const back = linkButton('Back to the members', paths.members)
    return layout(frame, html`${pageHead({ title, lead, trail })}<p class="actions">${back}</p>`)
  }
  const title = member.isViewer ? 'Leave this store?' : 'Remove this member?'
  const lead = member.isViewer
    ? html`You lose access to this store immediately. Another member can invite you again.`
    : html`<strong>${member.email}</strong> loses access to this store immediately.`
  const buttons = html`<div class="actions">${button(member.isViewer ? 'Leave store' : 'Remove member', 'danger-main')}${linkButton('Cancel', paths.members)}</div>`
  const effects = html`<p>Keys continue to work, because tools use them. If this member has copied a key, <a href="${paths.api}">replace or revoke it</a>.</p>
<p>Invitations that this member has sent are withdrawn.</p>`
  const confirmation = form({ action: paths.removeMember(member.merchantId), frame }, buttons)
  return layout(
    frame,
    html`${pageHead({ title, lead, trail })}${card({ id: 'effects', title: 'What happens' }, html`${effects}${confirmation}`)}`,
  )
}
