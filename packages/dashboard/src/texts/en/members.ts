// Texts of Settings > Members.

import { html } from '../../ui/html.ts'
import type { Format } from '../format.ts'

/** Texts of the pages that end the access of a member. */
const removal = {
  last: {
    title: 'The only admin can’t leave',
    lead: 'First invite another admin, or make a member an admin. Your platform’s support can also end your access.',
    back: 'Back to the members',
  },
  leave: {
    title: 'Leave this store?',
    lead: 'You lose access to this store immediately. An admin can invite you again.',
    button: 'Leave store',
    keys: 'Keys that you have created or copied continue to work, because tools use them.',
    invitations:
      'Invitations that you have sent are withdrawn, and directory tokens that you have created are revoked.',
  },
  remove: {
    title: 'Remove this member?',
    lead: (email: string) => html`<strong>${email}</strong> loses access to this store immediately.`,
    button: 'Remove member',
    keys: (apiHref: string) =>
      html`Keys continue to work, because tools use them. If this member has copied a key, <a href="${apiHref}">replace or revoke it</a>.`,
    invitations:
      'Invitations that this member has sent are withdrawn, and directory tokens that this member has created are revoked.',
  },
  effects: 'What happens',
  unchanged: 'The keys and the other members stay as they are.',
}

export const members = ({ plural }: Format) => ({
  title: 'Members',
  lead: 'Admins manage the keys and the members of this store. Developers manage its keys. Both see its data. Viewers see its keys and their usage.',
  list: {
    title: 'Members of this store',
    columns: { email: 'Email', signsInWith: 'Signs in with', since: 'Member since', actions: 'Actions' },
    you: 'You',
    lastAdmin:
      'You are the only admin. To leave this store or get another role, first invite another admin, or make a member an admin.',
    changeRole: 'Change role',
    leave: 'Leave',
    remove: 'Remove',
    password: 'Password',
    singleSignOn: 'Single sign-on',
    passwordAndSingleSignOn: 'Password, single sign-on',
    passwordAndCode: 'Password and code',
    passwordCodeAndSingleSignOn: 'Password and code, single sign-on',
    link: 'Sign-in link',
    /** `others` are other ways to sign in. */
    withPasskey: (others: string) => `${others}, passkey`,
  },
  invitations: {
    title: 'Invitations',
    note: 'If you send an invitation again, the link of the earlier email no longer works.',
    columns: {
      email: 'Email',
      status: 'Status',
      invitedBy: 'Invited by',
      sent: 'Sent',
      actions: 'Actions',
    },
    expired: 'Expired',
    pending: 'Pending',
    you: 'You',
    sendAgain: 'Send again',
    withdraw: 'Withdraw',
  },
  invite: {
    title: 'Invite a person',
    noEmails: html`This dashboard can’t send emails. To add a person, ask your platform’s support. They use the command <code>store-export merchants add</code>.`,
    email: 'Email',
    hint: (days: number) =>
      `The person gets an email with a link that works once, for ${plural(days, { one: '# day', other: '# days' })}.`,
    button: 'Send invitation',
  },
  notices: {
    invited: 'The invitation is sent.',
    unsent: 'We couldn’t send the email. Check the address. If it’s right, send the invitation again in a few minutes.',
    withdrawn: 'The invitation is withdrawn. Its link no longer works.',
    removed: 'The member is removed and no longer has access.',
    ended: 'This invitation was accepted or withdrawn in the meantime.',
  },
  problems: {
    email: 'Enter an email address such as name@shop.example.',
    member: 'This person is a member already. You can change the role in the list.',
    storeLimit: (invitations: number) => `This store sent ${invitations} invitations in 24 hours. Try again tomorrow.`,
    addressLimit: (invitations: number) =>
      `This address got ${invitations} invitations to this store in 24 hours. Try again tomorrow.`,
  },
  removal,
})

export type MembersTexts = ReturnType<typeof members>
