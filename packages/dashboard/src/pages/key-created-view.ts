// Renders the only page that shows a new key.

import type { Connection } from '../recipes/tools.ts'
import { codeBlock } from '../ui/code-block.ts'
import { callout, card, pageHead } from '../ui/components.ts'
import { quantity } from '../ui/dates.ts'
import { linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { maskedKey } from '../ui/key-facts.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import type { FirstRequests, KeyCreatedPage } from './key-models.ts'
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
  return layout(
    frame,
    html`${head}
${card({ id: 'key-title', title: 'Key' }, html`<div class="secret">${key}</div>${warning}`)}
${page.connection === null ? tryCard(page) : connectCard(page.connection)}
${card({ id: 'connection', title: 'First request' }, firstRequestPart(frame, page.id, page.first))}
${replacesPart(frame, page)}
<p class="actions after">${linkButton('I have copied the key', `${paths.api}?copied`)}${page.connection === null ? linkButton('Recipes for your tool', paths.recipes) : NOTHING}</p>`,
  )
}

function tryCard({ curl }: KeyCreatedPage): Html {
  const line = codeBlock({ id: 'curl', label: 'Shell command', text: curl, isWrapped: true, isSecret: true })
  return card({ id: 'try', title: 'Try it', note: 'Paste this command into a terminal. It returns your store.' }, line)
}

function connectCard({ label, recipe, commands, guideHref }: Connection): Html {
  const steps =
    recipe?.steps === undefined
      ? NOTHING
      : html`<ol class="steps">${recipe.steps.map((step) => html`<li>${step}</li>`)}</ol>`
  const code =
    recipe === null
      ? NOTHING
      : codeBlock({
          id: 'recipe',
          label: recipe.title,
          text: recipe.code,
          language: recipe.language === 'json' ? 'json' : 'text',
        })
  const shell =
    commands === null
      ? NOTHING
      : codeBlock({ id: 'curl', label: 'Shell commands', text: commands, isWrapped: true, isSecret: true })
  const guide = guideHref === null ? NOTHING : html`<p class="actions">${linkButton('Open the guide', guideHref)}</p>`
  const note = recipe === null ? 'Paste these commands into a terminal, in the folder of store-sync.' : recipe.note
  return card(
    { id: 'connect', title: `Connect ${label}`, note },
    html`<div class="stack">${steps}${code}${shell}${guide}</div>`,
  )
}

/** Returns what the key did so far. Before the first request, the part refreshes itself. */
export function firstRequestPart(frame: Frame, keyId: string, { requests, rows, error }: FirstRequests): Html {
  const paths = pathsOf(frame)
  if (requests === 0)
    return html`<p id="first-request" class="health waiting" hx-get="${paths.createdLive(keyId)}" hx-trigger="every 2s" hx-swap="outerHTML"><strong>Waiting for the first request.</strong> It appears here a few seconds after the tool runs.</p>`
  const log = html`<a href="${paths.keyUsage(keyId)}">Request log</a>`
  const sent = quantity(requests, 'request', frame)
  if (rows === 0 && error !== null)
    return html`<p id="first-request" class="health bad" role="status"><strong>Rejected:</strong> ${sent}, the last one with <code>${error.code ?? String(error.status)}</code> for <code>${error.endpoint}</code>. ${log}</p>`
  return html`<p id="first-request" class="health good" role="status"><strong>Connected:</strong> ${sent}, ${quantity(rows, 'row', frame)}. ${log}</p>`
}

function replacesPart(frame: Frame, { replaces }: KeyCreatedPage): Html {
  if (replaces === null) return NOTHING
  const revoke = linkButton('Revoke the old key', pathsOf(frame).revoke(replaces.id), { kind: 'danger' })
  return card(
    { id: 'old', title: 'The old key still works' },
    html`<p>Put the new key into the tool. The old key <strong>${replaces.name}</strong> (${maskedKey(replaces)}) ends 24 hours after the first use of the new one. You can also revoke it before.</p><p class="actions">${revoke}</p>`,
  )
}
