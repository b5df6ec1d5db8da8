// Renders the only page that shows a new key.

import { type Connection, toolName } from '../recipes/tools.ts'
import { codeBlock } from '../ui/code-block.ts'
import { callout, card, pageHead } from '../ui/components.ts'
import { durationOfHours } from '../ui/dates.ts'
import { linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { maskedKey } from '../ui/key-facts.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import type { FirstRequests, KeyCreatedPage } from './key-models.ts'
import type { Frame } from './models.ts'
import { recipeSteps } from './recipes-view.ts'

/**
 * Returns the page of a new key, with the settings of the chosen tool; without one, with a command that tests the key.
 */
export function keyCreatedView(frame: Frame, page: KeyCreatedPage): Html {
  const paths = pathsOf(frame)
  const { keyCreated: texts, keys } = frame.texts
  const head = pageHead(frame, {
    title: texts.title,
    lead: texts.lead(page.name),
    trail: [{ label: keys.title, href: paths.api }],
  })
  const secret = { id: 'key', label: texts.key, text: page.key, isWrapped: true, isSecret: true, isMain: true }
  const key = codeBlock(frame, secret)
  const warning = callout(texts.warning, 'waiting')
  return layout(
    frame,
    html`${head}
${card({ id: 'key-title', title: texts.key }, html`<div class="secret">${key}</div>${warning}`)}
${page.connection === null ? tryCard(frame, page) : connectCard(frame, page.connection)}
${card({ id: 'connection', title: texts.firstRequest }, firstRequestPart(frame, page.id, page.first))}
${replacesPart(frame, page)}
<p class="actions after">${linkButton(texts.hasCopied, `${paths.api}?copied`)}${page.connection === null ? linkButton(texts.recipes, paths.recipes) : NOTHING}</p>`,
  )
}

function tryCard(frame: Frame, { curl }: KeyCreatedPage): Html {
  const { title, note, label } = frame.texts.keyCreated.tryIt
  const line = codeBlock(frame, { id: 'curl', label, text: curl, isWrapped: true, isSecret: true })
  return card({ id: 'try', title, note }, line)
}

function connectCard(frame: Frame, { tool, recipe, commands, guideHref }: Connection): Html {
  const { connect: texts } = frame.texts.keyCreated
  const guideOfRecipe = recipe === null ? null : frame.texts.recipes.recipes[recipe.id]
  const steps = recipeSteps(guideOfRecipe?.steps ?? [])
  const code =
    recipe === null
      ? NOTHING
      : codeBlock(frame, {
          id: 'recipe',
          label: recipe.title,
          text: recipe.code,
          language: recipe.language === 'json' ? 'json' : 'text',
        })
  const shell =
    commands === null
      ? NOTHING
      : codeBlock(frame, { id: 'curl', label: texts.commands, text: commands, isWrapped: true, isSecret: true })
  const guide = guideHref === null ? NOTHING : html`<p class="actions">${linkButton(texts.guide, guideHref)}</p>`
  // store-sync is the only tool without a recipe.
  const note = guideOfRecipe?.note ?? texts.noteOfStoreSync
  return card(
    { id: 'connect', title: texts.title(toolName(tool, frame.texts)), note },
    html`<div class="stack">${steps}${code}${shell}${guide}</div>`,
  )
}

/** Returns what the key did so far. Until it shows a request, the browser requests it again every 2 seconds. */
export function firstRequestPart(frame: Frame, keyId: string, first: FirstRequests | null): Html {
  const paths = pathsOf(frame)
  const { keyCreated: texts, usage } = frame.texts
  if (first === null || first.requests === 0)
    return html`<p id="first-request" class="health waiting" hx-get="${paths.createdLive(keyId)}" hx-trigger="every 2s" hx-swap="outerHTML">${first === null ? usage.unreadable : texts.waiting}</p>`
  const { requests, rows, error } = first
  const isRejected = rows === 0 && error !== null
  const sentence = isRejected
    ? texts.rejected(requests, { code: error.code ?? String(error.status), endpoint: error.endpoint })
    : texts.connected(requests, rows)
  const log = html`<a href="${paths.keyUsage(keyId)}">${texts.requestLog}</a>`
  return html`<p id="first-request" class="health ${isRejected ? 'bad' : 'good'}" role="status">${sentence} ${log}</p>`
}

/** Returns the part that replaces `firstRequestPart` if the key was revoked. The browser doesn't request it again. */
export function revokedPart(text: string): Html {
  return html`<p id="first-request" class="health neutral" role="status">${text}</p>`
}

/** Returns the card about the old key that this key replaces; nothing without one. */
function replacesPart(frame: Frame, { replaces }: KeyCreatedPage): Html {
  if (replaces?.replacedBy == null) return NOTHING
  const { old } = frame.texts.keyCreated
  const endsAfter = durationOfHours(replaces.replacedBy.endsAfterHours)
  const revoke = linkButton(frame.texts.keys.revokeOld, pathsOf(frame).revoke(replaces.id), { kind: 'danger' })
  return card(
    { id: 'old', title: replaces.turnedOffAt === null ? old.title : old.titleOff },
    html`<p>${old.text(replaces.name, maskedKey(replaces), endsAfter)}</p><p class="actions">${revoke}</p>`,
  )
}
