// Asks before a key is replaced by a new one.

import { addressesOf } from '../look/addresses.ts'
import { callout, card, pageHead } from '../look/components.ts'
import { button, form, linkButton } from '../look/forms.ts'
import { type Html, html } from '../look/html.ts'
import { keyFacts } from '../look/key-facts.ts'
import { layout } from '../look/layout.ts'
import type { Frame, ReplacePage } from './models.ts'

/** The whole page. */
export function replaceView(frame: Frame, { key, hasRoom }: ReplacePage): Html {
  const addresses = addressesOf(frame)
  const lead = hasRoom
    ? html`You get a new key for <strong>${key.name}</strong> now. The old one keeps working until you revoke it.`
    : html`You get a new key for <strong>${key.name}</strong> now.`
  const head = pageHead({ title: 'Replace this key?', lead, trail: [{ label: 'API', href: addresses.api }] })
  const warning = hasRoom
    ? html`<p class="note">When the tool runs with the new key, come back and revoke the old one.</p>`
    : callout(
        'All keys are taken, so the old key ends at once: the tool stops until you give it the new one.',
        'waiting',
      )
  const buttons = html`<div class="actions">${button(hasRoom ? 'Make the new key' : 'End the old key, make the new one')}${linkButton('Keep it', addresses.api)}</div>`
  const ends = html`<input type="hidden" name="ends" value="${hasRoom ? 'later' : 'at once'}">`
  const ask = form({ action: addresses.replace(key.id), frame }, html`${ends}${buttons}`)
  return layout(frame, html`${head}${card({ id: 'key', title: 'Key' }, html`${keyFacts(frame, key)}${warning}${ask}`)}`)
}
