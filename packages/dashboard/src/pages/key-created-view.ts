// Renders the only page that shows a new key.

import { codeBlock } from '../ui/code-block.ts'
import { callout, card, pageHead } from '../ui/components.ts'
import { linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { maskedKey } from '../ui/key-facts.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import type { KeyCreatedPage } from './key-models.ts'
import type { Frame } from './models.ts'

/** Returns the page of a new key, with a command to test it. */
export function keyCreatedView(frame: Frame, page: KeyCreatedPage): Html {
  const paths = pathsOf(frame)
  const head = pageHead({
    title: 'Your new key',
    lead: html`Copy the key for <strong>${page.name}</strong> into the tool now.`,
    trail: [{ label: 'API', href: paths.api }],
  })
  const key = codeBlock({ id: 'key', label: 'Key', text: page.key, isWrapped: true, isSecret: true, isMain: true })
  const warning = callout(
    'You can see this key for ten minutes, or until you confirm that you copied it. After that, you can only replace it.',
    'waiting',
  )
  const line = codeBlock({ id: 'curl', label: 'Shell command', text: page.curl, isWrapped: true, isSecret: true })
  return layout(
    frame,
    html`${head}
${card({ id: 'key-title', title: 'Key' }, html`<div class="secret">${key}</div>${warning}`)}
${card({ id: 'try', title: 'Try it', note: 'Paste this command into a terminal. It returns your store.' }, line)}
${replacesPart(frame, page)}
<p class="actions after">${linkButton('I have copied the key', `${paths.api}?copied`)}${linkButton('Recipes for your tool', paths.recipes)}</p>`,
  )
}

function replacesPart(frame: Frame, { replaces }: KeyCreatedPage): Html {
  if (replaces === null) return NOTHING
  const revoke = linkButton('Revoke the old key', pathsOf(frame).revoke(replaces.id), { kind: 'danger' })
  return card(
    { id: 'old', title: 'The old key still works' },
    html`<p>Put the new key into the tool. The old key <strong>${replaces.name}</strong> (${maskedKey(replaces)}) ends 24 hours after the first use of the new one. You can also revoke it before.</p><p class="actions">${revoke}</p>`,
  )
}
