// Renders Settings > Members: who sees the store, who is invited, and the form for invitations.

import { INVITATION_DAYS, type PendingInvitation } from '@store-export/control'
import { badge, callout, card, pageHead } from '../ui/components.ts'
import { relativeTime } from '../ui/dates.ts'
import { button, field, form, linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import { table } from '../ui/table.ts'
import type { MembersPage } from './member-models.ts'
import type { Frame } from './models.ts'

/** Returns the page Settings > Members. */
export function membersView(frame: Frame, page: MembersPage): Html {
  const { title, lead } = frame.texts.members
  const head = pageHead(frame, { title, lead })
  const invitations = page.invitations.length === 0 ? NOTHING : invitationsCard(frame, page)
  return layout(frame, html`${head}${membersCard(frame, page)}${invitations}${inviteCard(frame, page)}`)
}

function membersCard(frame: Frame, { members }: MembersPage): Html {
  const { list: texts } = frame.texts.members
  const { columns } = texts
  // The last member can't leave.
  const isOnly = members.length === 1
  const rows = members.map((member) => [
    html`${member.email} ${member.isViewer ? badge(texts.you, 'good') : NOTHING}`,
    signInText(frame, member),
    relativeTime(member.since, frame),
    ...(isOnly ? [] : [removeLink(frame, member)]),
  ])
  const list = table({
    caption: texts.title,
    columns: [
      { label: columns.email },
      { label: columns.signsInWith },
      { label: columns.since },
      ...(isOnly ? [] : [{ label: columns.remove, isVisuallyHidden: true }]),
    ],
    rows,
    isStacked: true,
  })
  return card({ id: 'members', title: texts.title, isFlush: true, ...(isOnly ? { note: texts.onlyYou } : {}) }, list)
}

function removeLink(frame: Frame, { isViewer, merchantId, email }: MembersPage['members'][number]): Html {
  const { list: texts } = frame.texts.members
  return linkButton(isViewer ? texts.leave : texts.remove, pathsOf(frame).removeMember(merchantId), { about: email })
}

function signInText(
  { texts: { members } }: Frame,
  { hasPassword, hasTwoFactor, hasSingleSignOn }: MembersPage['members'][number],
): string {
  const { list: texts } = members
  if (hasPassword && hasTwoFactor) return hasSingleSignOn ? texts.passwordCodeAndSingleSignOn : texts.passwordAndCode
  if (hasPassword) return hasSingleSignOn ? texts.passwordAndSingleSignOn : texts.password
  return hasSingleSignOn ? texts.singleSignOn : texts.link
}

function invitationsCard(frame: Frame, { invitations, form: inviting }: MembersPage): Html {
  const { invitations: texts } = frame.texts.members
  const { columns } = texts
  const rows = invitations.map((invitation) => [
    invitation.email,
    invitation.isExpired ? badge(texts.expired, 'neutral') : badge(texts.pending, 'waiting'),
    invitation.invitedBy === frame.viewer?.email ? texts.you : invitation.invitedBy,
    relativeTime(invitation.sentAt, frame),
    invitationActions(frame, invitation, inviting !== null),
  ])
  const list = table({
    caption: texts.title,
    columns: [
      { label: columns.email },
      { label: columns.status },
      { label: columns.invitedBy },
      { label: columns.sent },
      { label: columns.actions, isVisuallyHidden: true },
    ],
    rows,
    isStacked: true,
  })
  return card({ id: 'invitations', title: texts.title, note: texts.note, isFlush: true }, list)
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
    lengthMax: 254,
    hint: texts.hint(INVITATION_DAYS),
  })}${button(texts.button)}`
  return card(options, form({ action: pathsOf(frame).invitations, frame }, fields))
}
