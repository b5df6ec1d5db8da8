// Texts of Settings > Activity.

import { type Html, html } from '../../ui/html.ts'

export const activity = () => ({
  title: 'Activity',
  lead: 'Changes to the keys of this store, and to the people who can see it.',
  caption: 'Changes, newest first',
  columns: { change: 'Change', by: 'By', time: 'Time' },
  changes: 'Changes',
  empty: { heading: 'No changes', text: 'There are no older changes.' },
  pages: 'Pages of changes',
  newest: 'Newest changes',
  older: 'Older changes',
  aKey: html`a key`,
  theKey: (key: Html) => html`the key ${key}`,
  removedAccount: html`a removed account`,
  aPerson: html`a person`,
  keyCreated: (key: Html) => html`Created ${key}`,
  keyCreatedAsReplacement: (key: Html) => html`Created ${key}, which replaces an older one`,
  keyRenamed: (key: Html) => html`Renamed ${key}`,
  keyExpired: (key: Html) => html`End of ${key}`,
  keyLeaked: (key: Html, place: Html) => html`Revoked ${key}, because it was found in public${place}`,
  keyRevoked: (key: Html) => html`Revoked ${key}`,
  membershipAdded: (person: Html) => html`Gave ${person} access to this store`,
  membershipRemoved: (person: Html) => html`Ended the access of ${person} to this store`,
  joined: html`Accepted an invitation and joined`,
  left: html`Left this store`,
  invited: (person: Html) => html`Invited ${person}`,
  invitationWithdrawn: (person: Html) => html`Withdrew the invitation of ${person}`,
  storeAdded: html`Added this store`,
  storeChanged: (parts: string) => html`Changed this store: ${parts}`,
  storeParts: { name: 'its name', state: 'its state', database: 'its database' },
  you: (email: string) => html`${email} (you)`,
  actors: {
    removedAccount: html`A removed account`,
    endDate: html`Its end date`,
    leakReport: html`A leak report`,
    platform: html`Your platform`,
  },
})

export type ActivityTexts = ReturnType<typeof activity>
