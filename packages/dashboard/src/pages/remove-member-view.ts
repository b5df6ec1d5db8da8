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
  const { members, common } = frame.texts
  const { last, leave, remove, effects: effectsTitle, keys, invitations } = members.removal
  const trail = [{ label: members.title, href: paths.members }]
  if (member.isLast) {
    const { title, lead } = last
    const back = linkButton(last.back, paths.members)
    return layout(frame, html`${pageHead(frame, { title, lead, trail })}<p class="actions">${back}</p>`)
  }
  const { title, button: label } = member.isViewer ? leave : remove
  const lead = member.isViewer ? leave.lead : remove.lead(member.email)
  const cancel = linkButton(common.cancel, paths.members)
  const buttons = html`<div class="actions">${button(label, 'danger-main')}${cancel}</div>`
  const effects = html`<p>${keys(paths.api)}</p><p>${invitations}</p>`
  const confirmation = form({ action: paths.removeMember(member.merchantId), frame }, buttons)
  return layout(
    frame,
    html`${pageHead(frame, { title, lead, trail })}${card({ id: 'effects', title: effectsTitle }, html`${effects}${confirmation}`)}`,
  )
}
