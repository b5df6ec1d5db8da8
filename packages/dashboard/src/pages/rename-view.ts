// Renders the page that changes the name of a key.

import { card, pageHead } from '../ui/components.ts'
import { button, field, form, linkButton } from '../ui/forms.ts'
import { type Html, html } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import type { RenamePage } from './key-models.ts'
import type { Frame } from './models.ts'

/** Returns the page with the form. `problem` is shown at the field for the name. */
export function renameView(frame: Frame, { key, name, problem }: RenamePage): Html {
  const paths = pathsOf(frame)
  const { rename: texts } = frame.texts.changeKey
  const { keys, createKey, common } = frame.texts
  const head = pageHead(frame, {
    title: texts.title,
    lead: texts.lead(key.name),
    trail: [{ label: keys.title, href: paths.api }],
  })
  const content = html`${field({ name: 'name', label: createKey.name, value: name, problem, autocomplete: 'off', lengthMax: 80 })}
<div class="actions">${button(texts.button)}${linkButton(common.cancel, paths.keyUsage(key.id))}</div>`
  return layout(
    frame,
    html`${head}${card({ id: 'rename', title: common.name }, form({ action: paths.rename(key.id), frame }, content))}`,
  )
}
