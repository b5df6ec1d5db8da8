// Renders the confirmation page for the replacement of a key, with the choice when the old key ends. If the store has
// as many keys as possible, the page first offers to revoke another key, so that this tool keeps running.

import type { ReplacedKeyHours } from '@store-export/control'
import { radioGroup } from '../ui/choices.ts'
import { callout, card, pageHead } from '../ui/components.ts'
import { durationOfHours, relativeTime } from '../ui/dates.ts'
import { button, form, linkButton } from '../ui/forms.ts'
import { type Html, html } from '../ui/html.ts'
import { keyFacts, maskedKey } from '../ui/key-facts.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import { table } from '../ui/table.ts'
import type { KeyRow, ReplacePage } from './key-models.ts'
import type { Frame } from './models.ts'

/** The choice that is selected at first. It gives the other copies of a tool time to get the new key. */
export const DEFAULT_REPLACED_KEY_HOURS: ReplacedKeyHours = 24

/** Returns the page on which the merchant confirms that a key is replaced. */
export function replaceView(frame: Frame, { key, others }: ReplacePage): Html {
  const paths = pathsOf(frame)
  const { replace: texts, facts } = frame.texts.changeKey
  const lead = others === null ? texts.lead(key.name) : texts.leadFull(key.name)
  const trail = [{ label: frame.texts.keys.title, href: paths.api }]
  const head = pageHead(frame, { title: texts.title, lead, trail })
  if (others !== null) return layout(frame, html`${head}${roomCard(frame, key, others)}${atOnceCard(frame, key)}`)
  const cancel = linkButton(frame.texts.common.cancel, paths.api)
  const buttons = html`<div class="actions">${button(texts.create)}${cancel}</div>`
  const confirmation = replaceForm(frame, key, html`${endChoice(frame)}${personalDataChoice(frame, key)}${buttons}`)
  return layout(
    frame,
    html`${head}${card({ id: 'key', title: facts.title }, html`${keyFacts(frame, key)}${confirmation}`)}`,
  )
}

/** The choices when the old key ends. The one that stops the tool is last. */
const CHOICES = [1, 24, 168, 0] as const satisfies readonly ReplacedKeyHours[]

function endChoice({ texts }: Frame): Html {
  const { ends } = texts.changeKey.replace
  const label = (hours: ReplacedKeyHours) => (hours === 0 ? ends.atOnce : ends.after(durationOfHours(hours)))
  const options = CHOICES.map((hours) => ({ value: String(hours), label: label(hours) }))
  return radioGroup({ name: 'ends', legend: ends.legend, options, value: String(DEFAULT_REPLACED_KEY_HOURS) })
}

/**
 * Returns radio buttons. A browser sends nothing for an empty checkbox, and a missing value must not change what the
 * key gets.
 */
function personalDataChoice({ texts }: Frame, { withoutPersonalData }: KeyRow): Html {
  const { legend, hint, ...labels } = texts.changeKey.replace.personalData
  const options = (['with', 'without'] as const).map((value) => ({ value, label: labels[value] }))
  const value = withoutPersonalData ? 'without' : 'with'
  return radioGroup({ name: 'personal-data', legend, options, value, after: html`<p class="hint">${hint}</p>` })
}

/**
 * Returns the card for a store with as many keys as possible: the merchant revokes another key first, so that this tool
 * keeps running.
 */
function roomCard(frame: Frame, key: KeyRow, others: readonly KeyRow[]): Html {
  const paths = pathsOf(frame)
  const { keys, common, changeKey } = frame.texts
  const { others: texts } = changeKey.replace
  const usedAt = ({ lastUsedAt }: KeyRow) => lastUsedAt?.getTime() ?? Number.NEGATIVE_INFINITY
  const list = table({
    caption: texts.caption,
    columns: [
      { label: changeKey.facts.name },
      { label: changeKey.facts.lastUsed },
      { label: texts.actions, isVisuallyHidden: true },
    ],
    rows: others
      .toSorted((one, other) => usedAt(one) - usedAt(other))
      .map((other) => [
        html`<span class="key-name">${other.name}</span><span class="key-mask">${maskedKey(other)}</span>`,
        other.lastUsedAt === null ? common.never : relativeTime(other.lastUsedAt, frame),
        html`<div class="cell-actions">${linkButton(keys.revoke, `${paths.revoke(other.id)}?for=${key.id}`, { kind: 'danger', about: other.name })}</div>`,
      ]),
  })
  return card({ id: 'room', title: texts.title, note: texts.note(key.name), isFlush: true }, list)
}

/** Returns the card that replaces the key at once. This needs no room for another key, but stops the tool. */
function atOnceCard(frame: Frame, key: KeyRow): Html {
  const { atOnce: texts } = frame.texts.changeKey.replace
  const warning = callout(texts.warning, 'waiting')
  const cancel = linkButton(frame.texts.common.cancel, pathsOf(frame).api)
  const buttons = html`<div class="actions">${button(texts.button, 'danger-main')}${cancel}</div>`
  const confirmation = replaceForm(
    frame,
    key,
    html`<input type="hidden" name="ends" value="0">${personalDataChoice(frame, key)}${buttons}`,
  )
  return card({ id: 'key', title: texts.title }, html`${keyFacts(frame, key)}${warning}${confirmation}`)
}

function replaceForm(frame: Frame, key: KeyRow, content: Html): Html {
  return form({ action: pathsOf(frame).replace(key.id), frame }, content)
}
