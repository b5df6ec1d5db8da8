// Texts of the page that connects a company's directory, and of the members' pages about it.

import type { Format } from '../format.ts'

export const directory = ({ plural }: Format) => ({
  title: 'Directory',
  note: 'Okta, Microsoft Entra ID, or another directory of your company can add and remove members.',
  connected: 'Active token',
  notConnected: 'Not connected',
  ended: 'No active token',
  endedNote:
    'Your directory can no longer add and remove members, because it has no active token. People who leave your company keep their access.',
  manage: 'Manage',
  lead: 'Your company’s directory, such as Okta or Microsoft Entra ID, adds and removes members of this store by SCIM 2.0.',
  url: 'SCIM address',
  urlNote: 'Your directory calls it base URL or tenant URL.',
  steps: [
    'Create a token, and enter the address and the token in your directory.',
    'Choose the email address as the user name. It must be the address with which people sign in.',
    'If some people should be admins or developers, map the attribute roles to admin, developer, or viewer.',
    'Assign the people or groups that need access to this store.',
  ],
  token: 'Token',
  tokens: 'Tokens',
  columns: { token: 'Token', created: 'Created', lastUsed: 'Last used', actions: 'Actions' },
  revoke: 'Revoke',
  create: 'Create a token',
  createNote:
    'With this token, your directory can add and remove every member of this store, including all admins. The token stops working when you are no longer an admin.',
  full: 'This store has the maximum number of tokens. To create another, revoke one.',
  newToken: {
    title: 'Your new token',
    warning: 'Copy the token now. This page shows it for ten minutes, and never again.',
    hasCopied: 'I have copied it',
  },
  effectsTitle: 'What your directory can do',
  effects: [
    'It adds people as viewers, unless it sends another role. They sign in like other members.',
    'It can end the access of every member, including people who were invited. They lose access immediately.',
    'It can’t remove the only admin. It can’t change the role of a person who was invited. To change that role, remove the person in your directory and add them again.',
    'It sees only this store. It can’t change the name, email address, or password of an account.',
  ],
  revocation: {
    title: 'Revoke this token?',
    lead: 'Your directory can no longer add or remove members with this token. The current members keep their access.',
    button: 'Revoke token',
  },
  notices: {
    revoked: 'The token is revoked.',
    limitReached: (tokens: number) =>
      `No token was created, because this store has ${plural(tokens, { one: '# token', other: '# tokens' })}. Revoke one first.`,
  },
  /** On the pages about members. */
  member: {
    badge: 'Directory',
    signsInWith: 'Not shown',
    remove: 'Your directory added this person, and can add them again. Remove the person in your directory too.',
    secondFactor: (members: number) =>
      plural(members, {
        one: '# member from your directory may need to turn on two-factor sign-in.',
        other: '# members from your directory may need to turn on two-factor sign-in.',
      }),
  },
})

export type DirectoryTexts = ReturnType<typeof directory>
