// Renders the connection of a company's directory, such as Okta, which manages members through SCIM: the card on the
// members' page, the page with the URL and the tokens, and the confirmation of a revocation.

import type { DirectoryToken } from '@store-export/control'
import { codeBlock } from '../ui/code-block.ts'
import { badge, callout, card, facts, pageHead } from '../ui/components.ts'
import { exactTime, relativeTime } from '../ui/dates.ts'
import { button, form, linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { maskedKey } from '../ui/key-facts.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import { table } from '../ui/table.ts'
import type { DirectoryPage, DirectoryState } from './member-models.ts'
import type { Frame } from './models.ts'
import { recipeSteps } from './recipes-view.ts'

/** Returns the card of the members' page, with a link to the page of the directory. */
export function directoryCard(frame: Frame, state: DirectoryState): Html {
  const { directory: texts } = frame.texts
  const badges = {
    connected: badge(texts.connected, 'good'),
    ended: badge(texts.ended, 'waiting'),
    none: badge(texts.notConnected, 'neutral'),
  }
  const warning = state === 'ended' ? callout(texts.endedNote, 'waiting') : NOTHING
  return card(
    { id: 'directory', title: texts.title, note: texts.note, actions: badges[state] },
    html`${warning}<p class="actions">${linkButton(texts.manage, pathsOf(frame).directory)}</p>`,
  )
}

/** Returns the page with the URL of the SCIM endpoint, its tokens, and the secret of a token that is new. */
export function directoryView(frame: Frame, page: DirectoryPage): Html {
  const { directory: texts, members } = frame.texts
  const head = pageHead(frame, {
    title: texts.title,
    lead: texts.lead,
    trail: [{ label: members.title, href: pathsOf(frame).members }],
  })
  const effects = html`<ul class="bullets">${texts.effects.map((effect) => html`<li>${effect}</li>`)}</ul>`
  return layout(
    frame,
    html`${head}${page.newToken === null ? NOTHING : newTokenCard(frame, page.newToken)}
${connectionCard(frame, page)}
${tokensCard(frame, page)}
${card({ id: 'effects', title: texts.effectsTitle }, effects)}`,
  )
}

function newTokenCard(frame: Frame, token: string): Html {
  const { directory: texts } = frame.texts
  const secret = { id: 'token', label: texts.token, text: token, isWrapped: true, isSecret: true, isMain: true }
  return card(
    { id: 'new-token', title: texts.newToken.title },
    html`<div class="secret">${codeBlock(frame, secret)}</div>${callout(texts.newToken.warning, 'waiting')}
<p class="actions">${linkButton(texts.newToken.hasCopied, `${pathsOf(frame).directory}?copied`)}</p>`,
  )
}

function connectionCard(frame: Frame, { url }: DirectoryPage): Html {
  const { directory: texts } = frame.texts
  const address = codeBlock(frame, { id: 'scim-url', label: texts.url, text: url, isWrapped: true })
  return card(
    { id: 'connection', title: texts.url, note: texts.urlNote },
    html`<div class="stack">${address}${recipeSteps(texts.steps)}</div>`,
  )
}

function tokensCard(frame: Frame, { tokens, canCreate }: DirectoryPage): Html {
  const paths = pathsOf(frame)
  const { directory: texts, common } = frame.texts
  const rows = tokens.map((token) => [
    maskedKey(token),
    exactTime(token.createdAt, frame),
    token.lastUsedAt === null ? common.never : relativeTime(token.lastUsedAt, frame),
    html`<div class="cell-actions">${linkButton(texts.revoke, paths.revokeDirectoryToken(token.id), { kind: 'danger', about: token.lastFour })}</div>`,
  ])
  const { columns } = texts
  const list = table({
    caption: texts.tokens,
    columns: [
      { label: columns.token },
      { label: columns.created },
      { label: columns.lastUsed },
      { label: columns.actions, isVisuallyHidden: true },
    ],
    rows,
  })
  const create = form(
    { action: paths.directoryTokens, frame },
    button(texts.create, tokens.length === 0 ? 'main' : 'plain'),
  )
  const note = canCreate ? {} : { note: texts.full }
  const createCard = card({ id: 'create', title: texts.create, note: texts.createNote }, create)
  return html`${tokens.length === 0 ? NOTHING : card({ id: 'tokens', title: texts.tokens, isFlush: true, ...note }, list)}
${canCreate ? createCard : NOTHING}`
}

/** Returns the page on which an admin confirms the revocation of a token. */
export function revokeDirectoryTokenView(frame: Frame, token: DirectoryToken): Html {
  const paths = pathsOf(frame)
  const { directory: texts, common } = frame.texts
  const head = pageHead(frame, {
    title: texts.revocation.title,
    lead: texts.revocation.lead,
    trail: [{ label: texts.title, href: paths.directory }],
  })
  const lastUsed = token.lastUsedAt === null ? common.never : relativeTime(token.lastUsedAt, frame)
  const list = facts([
    { label: texts.columns.token, text: maskedKey(token) },
    { label: texts.columns.created, text: exactTime(token.createdAt, frame) },
    { label: texts.columns.lastUsed, text: lastUsed },
  ])
  const cancel = linkButton(common.cancel, paths.directory)
  const buttons = html`<div class="actions">${button(texts.revocation.button, 'danger-main')}${cancel}</div>`
  const confirmation = form({ action: paths.revokeDirectoryToken(token.id), frame }, buttons)
  return layout(frame, html`${head}${card({ id: 'token', title: texts.token }, html`${list}${confirmation}`)}`)
}
