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
  const head = pageHead({
    title: 'Members',
    lead: 'Members see this store’s data and usage. They can create and revoke its keys, and invite others.',
  })
  const invitations = page.invitations.length === 0 ? NOTHING : invitationsCard(frame, page)
  return layout(frame, html`${head}${membersCard(frame, page)}${invitations}${inviteCard(frame, page)}`)
}

function membersCard(frame: Frame, { members }: MembersPage): Html {
  const paths = pathsOf(frame)
  const rows = members.map((member) => [
    html`${member.email} ${member.isViewer ? badge('You', 'good') : NOTHING}`,
    signInText(member),
    relativeTime(member.since, frame),
    linkButton(member.isViewer ? 'Leave' : 'Remove', paths.removeMember(member.merchantId), { about: member.email }),
  ])
  const list = table({
    caption: 'Members',
    columns: [
      { label: 'Email' },
      { label: 'Signs in with' },
      { label: 'Member since' },
      { label: 'Remove', isVisuallyHidden: true },
    ],
    rows,
    isStacked: true,
  })
  return card({ id: 'members', title: 'Members of this store', isFlush: true }, list)
}

function signInText({ hasPassword, hasTwoFactor, hasSingleSignOn }: MembersPage['members'][number]): string {
  if (hasPassword && hasTwoFactor) return hasSingleSignOn ? 'Password and code, single sign-on' : 'Password and code'
  if (hasPassword) return hasSingleSignOn ? 'Password, single sign-on' : 'Password'
  return hasSingleSignOn ? 'Single sign-on' : 'Sign-in link'
}

function invitationsCard(frame: Frame, { invitations, form: inviting }: MembersPage): Html {
  const rows = invitations.map((invitation) => [
    invitation.email,
    invitation.isExpired ? badge('Expired', 'neutral') : badge('Pending', 'waiting'),
    invitation.invitedBy === frame.viewer?.email ? 'You' : invitation.invitedBy,
    relativeTime(invitation.sentAt, frame),
    invitationActions(frame, invitation, inviting !== null),
  ])
  const list = table({
    caption: 'Invitations',
    columns: [
      { label: 'Email' },
      { label: 'Status' },
      { label: 'Invited by' },
      { label: 'Sent' },
      { label: 'Actions', isVisuallyHidden: true },
    ],
    rows,
    isStacked: true,
  })
  const note = 'If you send an invitation again, the link of the earlier email no longer works.'
  return card({ id: 'invitations', title: 'Invitations', note, isFlush: true }, list)
}

function invitationActions(frame: Frame, { id, email }: PendingInvitation, canSend: boolean): Html {
  const paths = pathsOf(frame)
  const about = html`<span class="visually-hidden"> ${email}</span>`
  const again = html`<button type="submit" class="button plain">Send again${about}</button>`
  const withdraw = html`<button type="submit" class="button plain">Withdraw${about}</button>`
  return html`<div class="actions">${canSend ? form({ action: paths.sendInvitation(id), frame }, again) : NOTHING}${form({ action: paths.withdrawInvitation(id), frame }, withdraw)}</div>`
}

function inviteCard(frame: Frame, { form: inviting }: MembersPage): Html {
  const options = { id: 'invite', title: 'Invite a person' }
  if (inviting === null) {
    const text = html`This dashboard can’t send emails. To add a person, ask your platform’s support. They use the command <code>store-export merchants add</code>.`
    return card(options, callout(text))
  }
  const fields = html`${field({
    name: 'email',
    label: 'Email',
    type: 'email',
    value: inviting.email,
    problem: inviting.problem,
    autocomplete: 'off',
    lengthMax: 254,
    hint: `The person gets an email with a link that works once, for ${INVITATION_DAYS} days.`,
  })}${button('Send invitation')}`
  return card(options, form({ action: pathsOf(frame).invitations, frame }, fields))
}
