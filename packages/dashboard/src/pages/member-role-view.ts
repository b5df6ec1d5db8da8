// Renders the page that changes the role of a member, and the choice of a role.

import { MEMBER_ROLES, type MemberRole } from '@store-export/control'
import { radioGroup } from '../ui/choices.ts'
import { card, pageHead } from '../ui/components.ts'
import { button, form, linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import type { MemberRolePage } from './member-models.ts'
import type { Frame } from './models.ts'

/** Returns the form that changes the role of a member. */
export function memberRoleView(frame: Frame, { merchantId, email, role, problem }: MemberRolePage): Html {
  const paths = pathsOf(frame)
  const { members, roles, common } = frame.texts
  const { title, lead, effects, button: label } = roles.change
  const head = pageHead(frame, { title, lead, trail: [{ label: members.title, href: paths.members }] })
  const content = html`${problem === null ? NOTHING : html`<p class="form-problem" role="alert">${problem}</p>`}
${roleChoice(frame, role)}
<p class="note">${effects}</p>
<div class="actions">${button(label)}${linkButton(common.cancel, paths.members)}</div>`
  return layout(
    frame,
    html`${head}${card({ id: 'role', title: email }, form({ action: paths.memberRole(merchantId), frame }, content))}`,
  )
}

/** Returns radio buttons for the roles. Each says what a member with the role can do. */
export function roleChoice({ texts: { roles } }: Frame, role: MemberRole): Html {
  return radioGroup({
    name: 'role',
    legend: roles.label,
    options: MEMBER_ROLES.map((value) => ({ value, label: roles.choices[value] })),
    value: role,
  })
}
