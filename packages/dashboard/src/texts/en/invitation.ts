// Texts of the email with an invitation, and of the page that its link opens.

import { html } from '../../ui/html.ts'
import type { Format } from '../format.ts'

export const invitation = ({ plural }: Format) => ({
  title: (store: string) => `Join ${store}`,
  lead: {
    admin: (invitedBy: string, email: string) =>
      html`<strong>${invitedBy}</strong> invites <strong>${email}</strong> to this store as an admin. Admins see its data and usage, and manage its keys and members.`,
    developer: (invitedBy: string, email: string) =>
      html`<strong>${invitedBy}</strong> invites <strong>${email}</strong> to this store as a developer. Developers see its data and usage, and manage its keys.`,
    viewer: (invitedBy: string, email: string) =>
      html`<strong>${invitedBy}</strong> invites <strong>${email}</strong> to this store as a viewer. Viewers see its keys and their usage, but change nothing and see no data of customers.`,
  },
  otherSession: (signedInAs: string, email: string) =>
    html`This browser is signed in as <strong>${signedInAs}</strong>. The invitation is for <strong>${email}</strong>. If you accept it, the other account is signed out.`,
  decline: 'If you don’t want to join, close this page.',
  accept: 'Accept invitation',
  acceptNote: 'You already have an account. The link doesn’t sign you in. You sign in as usual afterwards.',
  choosePassword: 'Choose a password',
  createAccount: 'Create account and join',
  joined: 'You have joined the store. Sign in to open it.',
  ended: {
    title: 'This invitation doesn’t work',
    text: 'It was already accepted, has expired, or was withdrawn. If you have joined already, sign in. Otherwise, request a new invitation.',
    replaced: 'A newer invitation was sent to you, so this link no longer works. Open the link of the newest email.',
    openDashboard: 'Open the dashboard',
  },
  email: {
    subject: (store: string) => `Invitation to ${store}`,
    invitation: {
      admin: (invitedBy: string, store: string) =>
        `${invitedBy} invites you as an admin to the store “${store}” in Store Data Export. There you can create API keys for its tools and see its data.`,
      developer: (invitedBy: string, store: string) =>
        `${invitedBy} invites you as a developer to the store “${store}” in Store Data Export. There you can create API keys for its tools and see its data.`,
      viewer: (invitedBy: string, store: string) =>
        `${invitedBy} invites you as a viewer to the store “${store}” in Store Data Export. There you can see whether the syncs of its tools work.`,
    },
    link: (url: string) => `To accept, open this link and press the button:\n${url}`,
    foot: (days: number, invitedBy: string) =>
      `The link works once, for ${plural(days, { one: '# day', other: '# days' })}. It is for you alone: don’t forward it. If you don’t know ${invitedBy}, ignore this email.`,
  },
})

export type InvitationTexts = ReturnType<typeof invitation>
