// Renders the controls that turn a key off and on, and the confirmation page before a key is turned off.

import { card, pageHead } from '../ui/components.ts'
import { button, form, linkButton } from '../ui/forms.ts'
import { type Html, html } from '../ui/html.ts'
import { keyFacts } from '../ui/key-facts.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import type { KeyRow, TurnOffPage } from './key-models.ts'
import type { Frame } from './models.ts'

/** Returns a link to the confirmation page, or a button that turns the key on. `about` is text for screen readers. */
export function keySwitch(frame: Frame, { id, turnedOffAt }: KeyRow, about?: string): Html {
  const paths = pathsOf(frame)
  const { keys: texts } = frame.texts
  if (turnedOffAt === null) return linkButton(texts.turnOff, paths.turnOff(id), about === undefined ? {} : { about })
  return form({ action: paths.turnOn(id), frame }, button(texts.turnOn, 'plain', about))
}

/** Returns the page on which the merchant confirms that a key is turned off. */
export function turnOffView(frame: Frame, { key }: TurnOffPage): Html {
  const paths = pathsOf(frame)
  const { turnOff: texts, facts } = frame.texts.changeKey
  const head = pageHead(frame, {
    title: texts.title,
    lead: texts.lead(key.name),
    trail: [{ label: frame.texts.keys.title, href: paths.api }],
  })
  const cancel = linkButton(frame.texts.common.cancel, paths.api)
  const buttons = html`<p class="note">${texts.note}</p><div class="actions">${button(texts.button)}${cancel}</div>`
  const confirmation = form({ action: paths.turnOff(key.id), frame }, buttons)
  return layout(
    frame,
    html`${head}${card({ id: 'key', title: facts.title }, html`${keyFacts(frame, key)}${confirmation}`)}`,
  )
}
