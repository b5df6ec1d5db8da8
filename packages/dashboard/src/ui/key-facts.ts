// What one key is and did, as labels and values: on the pages that ask before something is done to it.

import type { Frame, KeyRow, MaskedKey } from '../pages/models.ts'
import { facts } from './components.ts'
import { count, exactTime, relativeTime } from './dates.ts'
import { type Html, html } from './html.ts'

/** The visible parts of a key, which tell it from another key of the same name. */
export function maskedKey({ prefix, lastFour }: MaskedKey): Html {
  return html`<code>${prefix}…${lastFour}</code>`
}

/** The facts of `key`. */
export function keyFacts(frame: Frame, key: KeyRow): Html {
  return facts([
    { label: 'Name', text: key.name },
    { label: 'Key', text: maskedKey(key) },
    {
      label: 'Last used',
      text: key.lastUsedAt === null ? 'Never' : html`<strong>${relativeTime(key.lastUsedAt, frame)}</strong>`,
    },
    { label: 'Requests in 24 hours', text: count(key.requests24h, frame) },
    {
      label: 'Created',
      text: html`${exactTime(key.createdAt, frame)}${key.createdBy === null ? '' : ` by ${key.createdBy}`}`,
    },
  ])
}
