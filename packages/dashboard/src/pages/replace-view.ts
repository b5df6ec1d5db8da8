// Renders the confirmation page for the replacement of a key. It first offers the way in which the tool keeps running.

import { callout, card, pageHead } from '../ui/components.ts'
import { relativeTime } from '../ui/dates.ts'
import { button, form, linkButton } from '../ui/forms.ts'
import { type Html, html } from '../ui/html.ts'
import { keyFacts, maskedKey } from '../ui/key-facts.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import { table } from '../ui/table.ts'
import type { KeyRow, ReplacePage } from './key-models.ts'
import type { Frame } from './models.ts'

/** Returns the page on which the merchant confirms that a key is replaced. */
export function replaceView(frame: Frame, { key, others }: ReplacePage): Html {
  const paths = pathsOf(frame)
  const lead =
    others === null
      ? html`You get a new key for <strong>${key.name}</strong> now. The old one keeps working until 24 hours after the first use of the new one, or until you revoke it.`
      : html`You have reached the limit of active keys, so you can’t create a new key for <strong>${key.name}</strong> yet.`
  const head = pageHead({ title: 'Replace this key?', lead, trail: [{ label: 'API', href: paths.api }] })
  if (others !== null) return layout(frame, html`${head}${roomCard(frame, key, others)}${atOnceCard(frame, key)}`)
  const order = html`<ol class="steps"><li>Create the new key and put it into the tool. It has the same limits, and no end.</li><li>When the tool works with the new key, the old one ends by itself after 24 hours. You can also revoke it before.</li></ol>`
  const buttons = html`<div class="actions">${button('Create the new key')}${linkButton('Cancel', paths.api)}</div>`
  const confirmation = replaceForm(frame, key, 'later', buttons)
  return layout(
    frame,
    html`${head}${card({ id: 'key', title: 'Key' }, html`${keyFacts(frame, key)}${order}${confirmation}`)}`,
  )
}

/** Returns the safe way: the merchant revokes another key first, so that this tool keeps running. */
function roomCard(frame: Frame, key: KeyRow, others: readonly KeyRow[]): Html {
  const paths = pathsOf(frame)
  const usedAt = ({ lastUsedAt }: KeyRow) => lastUsedAt?.getTime() ?? Number.NEGATIVE_INFINITY
  const list = table({
    caption: 'Other keys, least recently used first',
    columns: [{ label: 'Name' }, { label: 'Last used' }, { label: 'Actions', isVisuallyHidden: true }],
    rows: others
      .toSorted((one, other) => usedAt(one) - usedAt(other))
      .map((other) => [
        html`<span class="key-name">${other.name}</span><span class="key-mask">${maskedKey(other)}</span>`,
        other.lastUsedAt === null ? 'Never' : relativeTime(other.lastUsedAt, frame),
        html`<div class="cell-actions">${linkButton('Revoke', `${paths.revoke(other.id)}?for=${key.id}`, { kind: 'danger', about: other.name })}</div>`,
      ]),
    isStacked: true,
  })
  const note = html`Revoke a key that no tool needs. Then you can replace <strong>${key.name}</strong> while its tool keeps running.`
  return card({ id: 'room', title: 'Revoke another key first', note, isFlush: true }, list)
}

function atOnceCard(frame: Frame, key: KeyRow): Html {
  const warning = callout('This revokes the old key immediately. The tool stops until it has the new key.', 'waiting')
  const buttons = html`<div class="actions">${button('Revoke the old key and create a new one', 'danger-main')}${linkButton('Cancel', pathsOf(frame).api)}</div>`
  const confirmation = replaceForm(frame, key, 'at once', buttons)
  return card({ id: 'key', title: 'If you need every key' }, html`${keyFacts(frame, key)}${warning}${confirmation}`)
}

function replaceForm(frame: Frame, key: KeyRow, ends: 'later' | 'at once', buttons: Html): Html {
  const hidden = html`<input type="hidden" name="ends" value="${ends}">`
  return form({ action: pathsOf(frame).replace(key.id), frame }, html`${hidden}${buttons}`)
}
