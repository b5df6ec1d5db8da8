// The page of a new key that can't be shown any more. It offers to replace the key in one step.

import { addressesOf } from '../look/addresses.ts'
import { card, pageHead } from '../look/components.ts'
import { button, form, linkButton } from '../look/forms.ts'
import { type Html, html } from '../look/html.ts'
import { keyFacts } from '../look/key-facts.ts'
import { layout } from '../look/layout.ts'
import type { Frame, KeyGonePage, KeyRow } from './models.ts'

export function keyGoneView(frame: Frame, { key }: KeyGonePage): Html {
  const addresses = addressesOf(frame)
  const head = pageHead({
    title: 'This key can’t be shown again',
    lead: html`The key for <strong>${key.name}</strong> was created, and the service keeps no copy of it.`,
    trail: [{ label: 'API', href: addresses.api }],
  })
  const copied = linkButton('I have the key', addresses.api)
  const content =
    key.lastUsedAt === null
      ? html`<p>You did not copy it? Replace it: you get a new key, and this one, which no tool uses, is revoked.</p>${replaceForm(frame, key, copied)}`
      : html`<p>A tool uses this key already. To get a new one, replace it in the order in which the tool never stops.</p><div class="actions">${linkButton('Replace', addresses.replace(key.id))}${copied}</div>`
  return layout(frame, html`${head}${card({ id: 'key-title', title: 'Key' }, html`${keyFacts(frame, key)}${content}`)}`)
}

function replaceForm(frame: Frame, key: KeyRow, copied: Html): Html {
  const ends = html`<input type="hidden" name="ends" value="at once">`
  const buttons = html`<div class="actions">${button('Replace it with a new key')}${copied}</div>`
  return form({ action: addressesOf(frame).replace(key.id), frame }, html`${ends}${buttons}`)
}
