// Texts of Settings > Activity.

import type { MemberRole, OtherActor, StoreAction } from '@store-export/control'
import { type Html, html } from '../../ui/html.ts'

export const activity = () => ({
  title: 'Activity',
  lead: 'Changes to the keys of this store, and to the people who can see it.',
  caption: 'Changes, newest first',
  columns: { change: 'Change', by: 'By', time: 'Time' },
  changes: 'Changes',
  filter: {
    action: 'Change',
    allActions: 'All changes',
    actions: {
      'key.created': 'Created a key',
      'key.renamed': 'Renamed a key',
      'key.revoked': 'Revoked a key, or its end',
      'membership.added': 'Gave access, or joined',
      'membership.role_changed': 'Changed a role',
      'membership.removed': 'Ended access, or left',
      'invitation.created': 'Invited a person',
      'invitation.withdrawn': 'Withdrew an invitation',
      'store.added': 'Added this store',
      'store.changed': 'Changed this store',
    } satisfies Record<StoreAction, string>,
    by: 'By',
    everyone: 'Everyone',
    from: 'From',
    until: 'Until',
    dayProblem: 'Enter a day, such as 2026-11-21.',
    apply: 'Show',
    noMatches: 'No change matches your choice.',
    showAll: 'Show all changes',
  },
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
  membershipAdded: (person: Html, role: MemberRole) => html`Gave ${person} access to this store as ${ROLES[role]}`,
  roleChanged: (person: Html, role: MemberRole) => html`Made ${person} ${ROLES[role]}`,
  ownRoleChanged: (role: MemberRole) => html`Became ${ROLES[role]}`,
  membershipRemoved: (person: Html) => html`Ended the access of ${person} to this store`,
  joined: (role: MemberRole) => html`Accepted an invitation and joined as ${ROLES[role]}`,
  left: html`Left this store`,
  invited: (person: Html, role: MemberRole) => html`Invited ${person} as ${ROLES[role]}`,
  invitationWithdrawn: (person: Html) => html`Withdrew the invitation of ${person}`,
  storeAdded: html`Added this store`,
  storeChanged: (parts: string) => html`Changed this store: ${parts}`,
  storeParts: { name: 'its name', state: 'its state', database: 'its database' },
  you: (email: string) => `${email} (you)`,
  actors: {
    removed_account: 'A removed account',
    end_date: 'Its end date',
    leak_report: 'A leak report',
    command_line: 'Your platform’s command line',
    platform: 'Your platform',
  } satisfies Record<OtherActor, string>,
})

const ROLES: Readonly<Record<MemberRole, string>> = { admin: 'an admin', viewer: 'a viewer' }

export type ActivityTexts = ReturnType<typeof activity>
