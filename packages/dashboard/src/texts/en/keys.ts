// Texts of Settings > API.

import { type Html, html } from '../../ui/html.ts'
import type { Duration, Format } from '../format.ts'

export const keys = ({ plural, duration }: Format) => ({
  title: 'API',
  lead: 'Each tool that reads this store has its own key. You see whether a tool works, and you can revoke its key without affecting the others.',
  leadForViewer: 'Each tool that reads this store has its own key, so that you see whether each tool works.',
  unconfirmed: (name: string, createdHref: string) =>
    html`You haven’t confirmed that you copied the new key <strong>${name}</strong>. <a href="${createdHref}">Show it again</a> within ten minutes of creating it.`,
  cardTitle: 'Keys',
  count: (keys: number, keysMax: number) => `${keys} of ${plural(keysMax, { one: '# key', other: '# keys' })}`,
  empty: {
    heading: 'No keys yet',
    text: 'Create your first key below.',
    viewer: 'An admin or a developer of this store can create keys.',
    imported: 'The API doesn’t serve an imported store, so the store needs no keys.',
  },
  replacedBy: (key: Html, end: Duration | null) =>
    html`, replaced by ${key}${end === null ? '' : `, ends ${duration(end)} after the first use of the new key`}`,
  unused: {
    sinceCreation: (days: number) =>
      plural(days, {
        one: 'Never used since its creation # day ago.',
        other: 'Never used since its creation # days ago.',
      }),
    sinceLastUse: (days: number) => plural(days, { one: 'Not used for # day.', other: 'Not used for # days.' }),
    advice: (revokeHref: string, name: string) =>
      html`<a href="${revokeHref}">Revoke it<span class="visually-hidden">: ${name}</span></a> if no tool needs it.`,
  },
  requests24h: (count: number) => plural(count, { one: '# request in 24 hours', other: '# requests in 24 hours' }),
  created: (time: Html, creator: string | null) => html`Created ${time}${creator === null ? '' : ` by ${creator}`}`,
  replace: 'Replace',
  turnOff: 'Turn off',
  turnOn: 'Turn on',
  revoke: 'Revoke',
  revokeOld: 'Revoke the old key',
  full: (keysMax: number) =>
    `You have ${keysMax} active keys, which is the limit. To create another one, revoke a key that no tool needs.`,
  leastUsed: (name: string, requests: number, lastUsed: Html | null) =>
    html` The least recently used key is <strong>${name}</strong>: ${plural(requests, { one: '# request', other: '# requests' })} in 24 hours, last used ${lastUsed ?? 'never'}.`,
  revokedKeys: 'Revoked keys',
  columns: { name: 'Name', revoked: 'Revoked', lastUsed: 'Last used', created: 'Created' },
  status: { active: 'Active', off: 'Off', beingReplaced: 'Being replaced', revoked: 'Revoked' },
  notices: {
    revoked: (name: string) =>
      `“${name}” is revoked. From now on, the API rejects every request with this key. Your other keys still work.`,
    turnedOff: (name: string) => `“${name}” is off. Until you turn it on again, the API rejects the tool’s requests.`,
    turnedOn: (name: string) => `“${name}” is on. From now on, the API accepts requests with this key again.`,
    limitReached: (name: string, keysMax: number) =>
      `“${name}” was not created, because you have reached the limit of ${keysMax} active keys.`,
    nothingReplaced: 'Nothing was changed, because you have reached the limit of active keys.',
    alreadyReplaced: (name: string) => `“${name}” is already being replaced. No other key was created.`,
    formChanged: (name: string, before: string) =>
      `No key was created, because this form already created ${name === before ? `“${before}” with other limits` : `the key “${before}”`}. Send it again to create “${name}”.`,
  },
})

export type KeysTexts = ReturnType<typeof keys>
