// Renders Settings > Members: the members, the pending invitations, the form for invitations, and the cards of the
// directory and of the rule for second factors.

import { INVITATION_DAYS, type PendingInvitation } from '@store-export/control'
import { isAllowed } from '../members/permissions.ts'
import { badge, callout, card, pageHead } from '../ui/components.ts'
import { relativeTime } from '../ui/dates.ts'
import { button, field, form, linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import { table } from '../ui/table.ts'
import { directoryCard } from './directory-view.ts'
import type { MembersPage } from './member-models.ts'
import { roleChoice } from './member-role-view.ts'
import type { Frame } from './models.ts'
import { twoFactorRuleCard } from './two-factor-rule-view.ts'

/** Returns the page. Members who can't manage members see only the two lists. */
export function membersView(frame: Frame, page: MembersPage): Html {
  const { title, lead } = frame.texts.members
  const head = pageHead(frame, { title, lead })
  const invitations = page.invitations.length === 0 ? NOTHING : invitationsCard(frame, page)
  const invite = isAllowed(frame, 'manage members') ? inviteCard(frame, page) : NOTHING
  const rule = isAllowed(frame, 'manage members') ? twoFactorRuleCard(frame, page.requiresTwoFactor) : NOTHING
  const directory = isAllowed(frame, 'manage members') ? directoryCard(frame, page.directory) : NOTHING
  return layout(frame, html`${head}${membersCard(frame, page)}${invitations}${invite}${directory}${rule}`)
}

function membersCard(frame: Frame, { members }: MembersPage): Html {
  const { members: texts, roles, directory } = frame.texts
  const { title, columns, you, lastAdmin } = texts.list
  const canManage = isAllowed(frame, 'manage members')
  const admins = members.filter(({ role }) => role === 'admin')
  const rows = members.map((member) => [
    html`${member.email} ${member.isYou ? badge(you, 'good') : NOTHING}${member.isFromDirectory ? badge(directory.member.badge) : NOTHING}`,
    roles.names[member.role],
    ...(canManage ? [signInText(frame, member)] : []),
    relativeTime(member.since, frame),
    // The last admin can neither leave nor get another role.
    member.role === 'admin' && admins.length === 1 ? NOTHING : memberActions(frame, member),
  ])
  const list = table({
    caption: title,
    columns: [
      { label: columns.email },
      { label: roles.label },
      ...(canManage ? [{ label: columns.signsInWith }] : []),
      { label: columns.since },
      { label: columns.actions, isVisuallyHidden: true },
    ],
    rows,
  })
  const note = canManage && admins.length === 1 ? { note: lastAdmin } : {}
  return card({ id: 'members', title, isFlush: true, ...note }, list)
}

function memberActions(frame: Frame, { merchantId, email, isYou }: MembersPage['members'][number]): Html {
  const paths = pathsOf(frame)
  const { list: texts } = frame.texts.members
  const leave = linkButton(texts.leave, paths.leave, { about: email })
  if (!isAllowed(frame, 'manage members')) return isYou ? leave : NOTHING
  const changeRole = linkButton(texts.changeRole, paths.memberRole(merchantId), { about: email })
  const remove = isYou ? leave : linkButton(texts.remove, paths.removeMember(merchantId), { about: email })
  return html`<div class="cell-actions">${changeRole}${remove}</div>`
}

function signInText(frame: Frame, member: MembersPage['members'][number]): string {
  // An admin can let a directory add any address, and must not learn from this page whether it had an account.
  if (member.isFromDirectory) return frame.texts.directory.member.signsInWith
  const text = passwordText(frame, member)
  return member.hasPasskey ? frame.texts.members.list.withPasskey(text) : text
}

function passwordText(
  { texts: { members } }: Frame,
  { hasPassword, hasTwoFactor, hasSingleSignOn }: MembersPage['members'][number],
): string {
  const { list: texts } = members
  if (hasPassword && hasTwoFactor) return hasSingleSignOn ? texts.passwordCodeAndSingleSignOn : texts.passwordAndCode
  if (hasPassword) return hasSingleSignOn ? texts.passwordAndSingleSignOn : texts.password
  return hasSingleSignOn ? texts.singleSignOn : texts.link
}

function invitationsCard(frame: Frame, { invitations, form: inviting }: MembersPage): Html {
  const { roles } = frame.texts
  const { invitations: texts } = frame.texts.members
  const { columns } = texts
  const canManage = isAllowed(frame, 'manage members')
  const rows = invitations.map((invitation) => [
    invitation.email,
    roles.names[invitation.role],
    invitation.isExpired ? badge(texts.expired, 'neutral') : badge(texts.pending, 'waiting'),
    invitation.invitedBy === frame.viewer?.email ? texts.you : invitation.invitedBy,
    relativeTime(invitation.sentAt, frame),
    ...(canManage ? [invitationActions(frame, invitation, inviting !== null)] : []),
  ])
  const list = table({
    caption: texts.title,
    columns: [
      { label: columns.email },
      { label: roles.label },
      { label: columns.status },
      { label: columns.invitedBy },
      { label: columns.sent },
      ...(canManage ? [{ label: columns.actions, isVisuallyHidden: true }] : []),
    ],
    rows,
  })
  const note = canManage ? { note: texts.note } : {}
  return card({ id: 'invitations', title: texts.title, ...note, isFlush: true }, list)
}

function invitationActions(frame: Frame, { id, email }: PendingInvitation, canSend: boolean): Html {
  const paths = pathsOf(frame)
  const { invitations: texts } = frame.texts.members
  const about = html`<span class="visually-hidden"> ${email}</span>`
  const again = html`<button type="submit" class="button plain">${texts.sendAgain}${about}</button>`
  const withdraw = html`<button type="submit" class="button plain">${texts.withdraw}${about}</button>`
  return html`<div class="actions">${canSend ? form({ action: paths.sendInvitation(id), frame }, again) : NOTHING}${form({ action: paths.withdrawInvitation(id), frame }, withdraw)}</div>`
}

function inviteCard(frame: Frame, { form: inviting }: MembersPage): Html {
  const { invite: texts } = frame.texts.members
  const options = { id: 'invite', title: texts.title }
  if (inviting === null) {
    return card(options, callout(texts.noEmails))
  }
  const fields = html`${field({
    name: 'email',
    label: texts.email,
    type: 'email',
    value: inviting.email,
    problem: inviting.problem,
    autocomplete: 'off',
    // The maximum length of an email address (RFC 5321).
    lengthMax: 254,
    hint: texts.hint(INVITATION_DAYS),
  })}${roleChoice(frame, inviting.role)}${button(texts.button)}`
  return card(options, form({ action: pathsOf(frame).invitations, frame }, fields))
}
