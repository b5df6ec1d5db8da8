// What one key is and did, as labels and values: on the pages that ask before something is done to it.

import type { Frame, KeyRow } from '../pages/models.ts'
import { facts } from './components.ts'
import { count, exactInstant, instant } from './dates.ts'
import { type Html, html } from './html.ts'

/** The facts of `key`. */
export function keyFacts(frame: Frame, key: KeyRow): Html {
  return facts([
    { label: 'Name', text: key.name },
    { label: 'Key', text: html`<code>${key.prefix}…${key.lastFour}</code>` },
    {
      label: 'Last used',
      text: key.lastUsedAt === null ? 'Never' : html`<strong>${instant(key.lastUsedAt, frame)}</strong>`,
    },
    { label: 'Requests in 24 hours', text: count(key.requests24h, frame) },
    {
      label: 'Created',
      text: html`${exactInstant(key.createdAt, frame)}${key.createdBy === null ? '' : ` by ${key.createdBy}`}`,
    },
  ])
}
