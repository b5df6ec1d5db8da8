// Renders the facts by which a merchant recognizes a key.

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

/** Returns the facts about a key, for the pages on which a merchant confirms a change of the key. */
export function keyFacts(frame: Frame, key: KeyRow): Html {
  const { facts: texts } = frame.texts.changeKey
  const limits = limitTexts(frame, key)
  const createdAt = exactTime(key.createdAt, frame)
  return facts([
    { label: texts.name, text: key.name },
    { label: texts.key, text: maskedKey(key) },
    ...(limits.length === 0
      ? []
      : [
          {
            label: texts.limits,
            text: html`${limits.map((text, index) => html`${index === 0 ? NOTHING : html`<br>`}${text}`)}`,
          },
        ]),
    {
      label: texts.lastUsed,
      text:
        key.lastUsedAt === null
          ? frame.texts.common.never
          : html`<strong>${relativeTime(key.lastUsedAt, frame)}</strong>`,
    },
    ...(key.requests24h === null ? [] : [{ label: texts.requests24h, text: count(key.requests24h, frame) }]),
    {
      label: texts.created,
      text: key.createdBy === null ? createdAt : texts.createdBy(createdAt, key.createdBy),
    },
  ])
}
