// Renders the page that changes the name of a key.

import { card, pageHead } from '../ui/components.ts'
import { button, field, form, linkButton } from '../ui/forms.ts'
import { type Html, html } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import type { RenamePage } from './key-models.ts'
import type { Frame } from './models.ts'

/** Returns the form that changes the name of a key. */
export function renameView(frame: Frame, { key, name, problem }: RenamePage): Html {
  const paths = pathsOf(frame)
  const head = pageHead({
    title: 'Rename this key',
    lead: html`The tool that uses <strong>${key.name}</strong> notices nothing.`,
    trail: [{ label: 'API', href: paths.api }],
  })
  const content = html`${field({ name: 'name', label: 'Name of the key', value: name, problem, autocomplete: 'off', lengthMax: 80 })}
<div class="actions">${button('Rename')}${linkButton('Cancel', paths.keyUsage(key.id))}</div>`
  return layout(
    frame,
    html`${head}${card({ id: 'rename', title: 'Name' }, form({ action: paths.rename(key.id), frame }, content))}`,
  )
}
