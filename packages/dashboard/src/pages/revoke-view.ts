// Renders the confirmation page for the revocation of a key.

import { card, pageHead } from '../ui/components.ts'
import { button, form, linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { keyFacts, maskedKey } from '../ui/key-facts.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import type { RevokePage } from './key-models.ts'
import type { Frame } from './models.ts'

/** Returns the page on which the merchant confirms the revocation. It says which replacement comes next, if any. */
export function revokeView(frame: Frame, { key, makesRoomFor }: RevokePage): Html {
  const paths = pathsOf(frame)
  const { revoke: texts, facts } = frame.texts.changeKey
  const head = pageHead(frame, {
    title: texts.title,
    lead: texts.lead(key.name),
    trail: [{ label: frame.texts.keys.title, href: paths.api }],
  })
  const cancel = linkButton(frame.texts.common.cancel, paths.api)
  const buttons = html`<div class="actions">${button(texts.button, 'danger-main')}${cancel}</div>`
  const then =
    makesRoomFor === null
      ? NOTHING
      : html`<input type="hidden" name="for" value="${makesRoomFor.id}"><p>${texts.thenReplace(makesRoomFor.name, maskedKey(makesRoomFor))}</p>`
  const confirmation = form({ action: paths.revoke(key.id), frame }, html`${then}${buttons}`)
  return layout(
    frame,
    html`${head}${card({ id: 'key', title: facts.title }, html`${keyFacts(frame, key)}${confirmation}`)}`,
  )
}
