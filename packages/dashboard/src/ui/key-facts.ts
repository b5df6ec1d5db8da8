// Renders facts about a key, for the confirmation pages before its replacement or revocation.

import { limitTexts } from '../pages/key-limits-view.ts'
import type { KeyRow, MaskedKey } from '../pages/key-models.ts'
import type { Frame } from '../pages/models.ts'
import { facts } from './components.ts'
import { count, exactTime, relativeTime } from './dates.ts'
import { type Html, html, NOTHING } from './html.ts'

/** Returns the first and last characters of a key. They distinguish it from another key with the same name. */
export function maskedKey({ prefix, lastFour }: MaskedKey): Html {
  return html`<code>${prefix}…${lastFour}</code>`
}

/** Returns the facts by which a merchant recognizes a key. */
export function keyFacts(frame: Frame, key: KeyRow): Html {
  const limits = limitTexts(frame, key)
  return facts([
    { label: 'Name', text: key.name },
    { label: 'Key', text: maskedKey(key) },
    ...(limits.length === 0
      ? []
      : [
          {
            label: 'Limits',
            text: html`${limits.map((text, index) => html`${index === 0 ? NOTHING : html`<br>`}${text}`)}`,
          },
        ]),
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
