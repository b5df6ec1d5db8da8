// Renders the page that changes the permissions of a key.

import { callout, card, pageHead } from '../ui/components.ts'
import { button, form, linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { keyFacts } from '../ui/key-facts.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import { limitInputs } from './key-limits-view.ts'
import type { KeyRow, PermissionsPage } from './key-models.ts'
import type { Frame } from './models.ts'

/** Returns the form that changes what a key may do, after the facts about the key. */
export function permissionsView(frame: Frame, { key, limits, problem, seen }: PermissionsPage): Html {
  const paths = pathsOf(frame)
  const { permissions: texts, facts } = frame.texts.changeKey
  const head = pageHead(frame, {
    title: texts.title,
    lead: texts.lead(key.name),
    trail: [{ label: frame.texts.keys.title, href: paths.api }],
  })
  const inputs = limitInputs(frame, {
    limits,
    personalData: personalDataFact(frame, key),
    hasEnd: key.expiresAt !== null,
  })
  const content = html`<input type="hidden" name="seen" value="${seen}">
${problem === null ? NOTHING : html`<p class="form-problem" role="alert">${problem}</p>`}
<div class="limits-fields">${inputs}</div>
${callout(html`${texts.lessAccess} ${texts.moreAccess}`)}
<div class="actions">${button(texts.button)}${linkButton(frame.texts.common.cancel, paths.keyUsage(key.id))}</div>`
  const change = card(
    { id: 'permissions', title: texts.card },
    form({ action: paths.permissions(key.id), frame }, content),
  )
  return layout(frame, html`${head}${card({ id: 'key', title: facts.title }, keyFacts(frame, key))}${change}`)
}

/**
 * Returns whether the key gets personal data, and how to get a key for which this is different. The form can't change
 * this, because the tool's copy would then mix rows with and without personal data.
 */
function personalDataFact(frame: Frame, { id, withoutPersonalData, replacedBy }: KeyRow): Html {
  const paths = pathsOf(frame)
  const { personalData: texts } = frame.texts.changeKey.permissions
  const instead = replacedBy === null ? texts.replace(paths.replace(id)) : texts.create(paths.api)
  return html`<div><p><strong>${withoutPersonalData ? texts.without : texts.with}</strong></p>
<p class="hint">${texts.why} ${instead}</p></div>`
}
