// Renders the page of a key that the dashboard can't show again. Another browser created the key, the ten minutes after
// its creation are over, or the merchant has confirmed the copy. If no tool uses the key yet, the page offers to
// replace it in one step.

import { card, pageHead } from '../ui/components.ts'
import { button, form, linkButton } from '../ui/forms.ts'
import { type Html, html } from '../ui/html.ts'
import { keyFacts } from '../ui/key-facts.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import type { KeyRow, KeyUnavailablePage } from './key-models.ts'
import type { Frame } from './models.ts'

/** Returns the page, with a button to replace the key if no tool uses it yet. */
export function keyUnavailableView(frame: Frame, { key }: KeyUnavailablePage): Html {
  const paths = pathsOf(frame)
  const { unavailable: texts } = frame.texts.keyCreated
  const head = pageHead(frame, {
    title: texts.title,
    lead: texts.lead(key.name),
    trail: [{ label: frame.texts.keys.title, href: paths.api }],
  })
  const copied = linkButton(texts.hasKey, paths.api)
  const content =
    key.lastUsedAt === null
      ? html`<p>${texts.unused}</p>${replaceForm(frame, key, copied)}`
      : html`<p>${texts.used}</p><div class="actions">${linkButton(frame.texts.keys.replace, paths.replace(key.id))}${copied}</div>`
  return layout(
    frame,
    html`${head}${card({ id: 'key-title', title: frame.texts.changeKey.facts.title }, html`${keyFacts(frame, key)}${content}`)}`,
  )
}

/** Returns the form that replaces the key. Because no tool uses the old key, it ends at once. */
function replaceForm(frame: Frame, key: KeyRow, copied: Html): Html {
  const ends = html`<input type="hidden" name="ends" value="0">`
  const buttons = html`<div class="actions">${button(frame.texts.keyCreated.unavailable.replaceAtOnce)}${copied}</div>`
  return form({ action: pathsOf(frame).replace(key.id), frame }, html`${ends}${buttons}`)
}
