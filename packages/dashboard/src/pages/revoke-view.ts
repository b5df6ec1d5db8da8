// Asks once before a key is revoked.

import { addressesOf } from '../look/addresses.ts'
import { card, pageHead } from '../look/components.ts'
import { button, form, linkButton } from '../look/forms.ts'
import { type Html, html, NOTHING } from '../look/html.ts'
import { keyFacts, maskedKey } from '../look/key-facts.ts'
import { layout } from '../look/layout.ts'
import type { Frame, RevokePage } from './models.ts'

/** The whole page. */
export function revokeView(frame: Frame, { key, makesRoomFor }: RevokePage): Html {
  const addresses = addressesOf(frame)
  const head = pageHead({
    title: 'Revoke this key?',
    lead: html`The tool that uses <strong>${key.name}</strong> stops at its next request. This can’t be undone.`,
    trail: [{ label: 'API', href: addresses.api }],
  })
  const buttons = html`<div class="actions">${button('Revoke key', 'danger-main')}${linkButton('Keep it', addresses.api)}</div>`
  const then =
    makesRoomFor === null
      ? NOTHING
      : html`<input type="hidden" name="for" value="${makesRoomFor.id}"><p>Afterwards you can replace <strong>${makesRoomFor.name}</strong> (${maskedKey(makesRoomFor)}).</p>`
  const ask = form({ action: addresses.revoke(key.id), frame }, html`${then}${buttons}`)
  return layout(frame, html`${head}${card({ id: 'key', title: 'Key' }, html`${keyFacts(frame, key)}${ask}`)}`)
}
