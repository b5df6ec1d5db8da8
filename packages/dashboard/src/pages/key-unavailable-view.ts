// Renders the page of a new key that the dashboard can't show again. If no tool uses the key yet, the page offers to
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
  const head = pageHead({
    title: 'This key can’t be shown again',
    lead: html`The key <strong>${key.name}</strong> exists, but we don’t store a copy of it.`,
    trail: [{ label: 'API', href: paths.api }],
  })
  const copied = linkButton('I have the key', paths.api)
  const content =
    key.lastUsedAt === null
      ? html`<p>If you didn’t copy the key, replace it. You get a new key, and this key is revoked. No tool uses it yet.</p>${replaceForm(frame, key, copied)}`
      : html`<p>A tool already uses this key. You can replace it without stopping the tool.</p><div class="actions">${linkButton('Replace', paths.replace(key.id))}${copied}</div>`
  return layout(frame, html`${head}${card({ id: 'key-title', title: 'Key' }, html`${keyFacts(frame, key)}${content}`)}`)
}

function replaceForm(frame: Frame, key: KeyRow, copied: Html): Html {
  const ends = html`<input type="hidden" name="ends" value="at once">`
  const buttons = html`<div class="actions">${button('Replace it with a new key')}${copied}</div>`
  return form({ action: pathsOf(frame).replace(key.id), frame }, html`${ends}${buttons}`)
}
