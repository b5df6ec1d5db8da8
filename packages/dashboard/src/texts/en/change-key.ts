// Texts of the pages that replace, change, revoke, turn off, and rename a key, and of the facts about it.

import { type Html, html } from '../../ui/html.ts'
import type { Duration, Format } from '../format.ts'

export const changeKey = ({ duration }: Format) => ({
  facts: {
    title: 'Key',
    name: 'Name',
    key: 'Key',
    limits: 'Limits',
    lastUsed: 'Last used',
    requests24h: 'Requests in 24 hours',
    created: 'Created',
    createdBy: (time: Html, creator: string) => html`${time} by ${creator}`,
  },
  replace: {
    title: 'Replace this key?',
    lead: (name: string) =>
      html`You get a new key for <strong>${name}</strong> now, with the same limits and no end date. Choose when the old key ends. You can also revoke the old key earlier.`,
    leadFull: (name: string) =>
      html`You have reached the limit of active keys, so you can’t create a new key for <strong>${name}</strong> yet.`,
    ends: {
      legend: 'The old key ends',
      atOnce: 'At once: the tool stops until it has the new key',
      after: (time: Duration) => `${duration(time)} after the first use of the new key`,
    },
    personalData: {
      legend: 'Personal data',
      with: 'The new key gets personal data',
      without: 'The new key leaves out personal data',
      hint: 'If you change this, delete the tool’s copy, so that the tool reads everything again.',
    },
    create: 'Create the new key',
    others: {
      title: 'Revoke another key first',
      note: (name: string) =>
        html`Revoke a key that no tool needs. Then you can replace <strong>${name}</strong> while its tool keeps running.`,
      caption: 'Other keys, least recently used first',
      actions: 'Actions',
    },
    atOnce: {
      title: 'If you need every key',
      warning: 'This revokes the old key immediately. The tool stops until it has the new key.',
      button: 'Revoke the old key and create a new one',
    },
  },
  revoke: {
    title: 'Revoke this key?',
    lead: (name: string) =>
      html`The tool that uses <strong>${name}</strong> stops working at its next request. You can’t undo this.`,
    button: 'Revoke key',
    thenReplace: (name: string, key: Html) => html`After that, you can replace <strong>${name}</strong> (${key}).`,
  },
  turnOff: {
    title: 'Turn this key off?',
    lead: (name: string) =>
      html`This is the key <strong>${name}</strong>. Until you turn it on again, the API rejects the tool’s requests.`,
    note: 'The key keeps its limits and its end date, and still counts as one of your keys.',
    button: 'Turn off',
  },
  permissions: {
    title: 'Change the permissions of this key',
    lead: (name: string) =>
      html`The tool that uses <strong>${name}</strong> keeps its key. The change applies to its next request.`,
    card: 'Permissions',
    personalData: {
      with: 'This key gets personal data.',
      without: 'This key leaves out personal data.',
      why: 'This can’t change, because the tool’s copy would mix rows with and without personal data.',
      replace: (href: string) => html`You can <a href="${href}">replace the key</a> and choose differently.`,
      create: (href: string) => html`You can <a href="${href}">create another key</a>.`,
    },
    lessAccess:
      'If you take something away, the tool gets an error for it. Its copy keeps the rows that it has read before.',
    moreAccess: 'If you add something, the tool may need a setting to read it too. It then reads all of it.',
    button: 'Save permissions',
    stale:
      'Another person changed this key since you opened the page, so nothing was saved. The form shows the permissions that the key has now.',
  },
  rename: {
    title: 'Rename this key',
    lead: (name: string) => html`Nothing changes for the tool that uses <strong>${name}</strong>.`,
    button: 'Rename',
  },
})

export type ChangeKeyTexts = ReturnType<typeof changeKey>
