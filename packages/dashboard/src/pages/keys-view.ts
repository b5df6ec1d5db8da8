// Renders Settings > API: the keys with what their tools do, and the form that creates a key.

import { canCreateKeys, isAllowed } from '../members/permissions.ts'
import { TOOLS, toolName } from '../recipes/tools.ts'
import { keyBadge } from '../ui/badges.ts'
import { radioTiles } from '../ui/choices.ts'
import { callout, card, emptyState, pageHead } from '../ui/components.ts'
import { count, durationOfHours, exactTime, relativeTime } from '../ui/dates.ts'
import { button, field, form, linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { maskedKey } from '../ui/key-facts.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import { noValue, table } from '../ui/table.ts'
import { healthPart } from './key-health-view.ts'
import { keyLimitsFields, limitTexts } from './key-limits-view.ts'
import type { ActiveKeyRow, KeyRow, KeysPage } from './key-models.ts'
import type { Frame } from './models.ts'
import { keySwitch } from './turn-off-view.ts'
import { unusedAdvice } from './unused-advice.ts'

/**
 * Returns the page. It has no form for a new key if the role or the store allows none. The form is also missing if the
 * store has as many keys as possible.
 */
export function keysView(frame: Frame, page: KeysPage): Html {
  const { keys: texts } = frame.texts
  const canManage = isAllowed(frame, 'manage keys')
  const isFull = page.active.length >= page.keysMax
  const canCreate = canCreateKeys(frame) && !isFull
  const head = pageHead(frame, {
    title: texts.title,
    lead: canManage ? texts.lead : texts.leadForViewer,
    ...(canCreate ? { actions: linkButton(frame.texts.createKey.create, '#create', { kind: 'main' }) } : {}),
  })
  const create = canCreate ? createCard(frame, page) : NOTHING
  const full = isFull && canCreateKeys(frame) ? fullNote(frame, page) : NOTHING
  return layout(
    frame,
    html`${head}${liveFragment(frame, page)}${create}${revokedPart(frame, page)}`,
    html`${unconfirmedNote(frame, page)}${full}`,
  )
}

/**
 * Returns a note with a link to the new key whose copy the merchant has not confirmed; nothing without such a key, and
 * for members who can't manage keys.
 */
function unconfirmedNote(frame: Frame, { unconfirmed }: KeysPage): Html {
  if (unconfirmed === null || !isAllowed(frame, 'manage keys')) return NOTHING
  const { id, name } = unconfirmed
  return callout(frame.texts.keys.unconfirmed(name, pathsOf(frame).created(id)), 'waiting')
}

/** Returns the active keys. The browser requests this part again every 10 seconds. */
export function liveFragment(frame: Frame, { active, keysMax }: Pick<KeysPage, 'active' | 'keysMax'>): Html {
  const { keys: texts } = frame.texts
  const content =
    active.length === 0
      ? emptyState(texts.empty.heading, emptyText(frame))
      : html`<ul class="keys" role="list">${active.map((key) => keyItem(frame, key))}</ul>`
  const refresh = html`hx-get="${pathsOf(frame).live}" hx-trigger="every 10s" hx-select="#active-keys" hx-swap="outerMorph"`
  const count = html`<span class="note">${texts.count(active.length, keysMax)}</span>`
  const keys = card({ id: 'keys', title: texts.cardTitle, actions: count, isFlush: active.length > 0 }, content)
  return html`<div id="active-keys" ${refresh}>${keys}</div>`
}

function emptyText(frame: Frame): string {
  const { empty } = frame.texts.keys
  if (frame.store?.status === 'imported') return empty.imported
  return canCreateKeys(frame) ? empty.text : empty.viewer
}

function keyItem(frame: Frame, key: ActiveKeyRow): Html {
  const paths = pathsOf(frame)
  const { keys: texts } = frame.texts
  // Most keys are active, so only a replaced key, or one that is off, gets a badge.
  const badge = key.replacedBy === null && key.turnedOffAt === null ? NOTHING : html` ${keyBadge(frame, key)}`
  return html`<li class="key"><div class="key-text">
<h3><a class="key-name" href="${paths.keyUsage(key.id)}">${key.name}</a>${badge}</h3>
${healthPart(frame, key)}${unusedNote(frame, key)}
<p class="key-details">${maskedKey(key)}${replacedNote(frame, key)}${requestsNote(frame, key)} · ${texts.created(relativeTime(key.createdAt, frame), key.createdBy)}${limitsNote(frame, key)}</p>
</div>${actions(frame, key)}</li>
`
}

function unusedNote(frame: Frame, key: ActiveKeyRow): Html {
  const advice = unusedAdvice(frame, key)
  return advice === null ? NOTHING : html`<p class="unused">${advice}</p>`
}

/**
 * Returns the new key that replaces this key; nothing without one. As long as the new key is unused, adds how long
 * after its first use this key ends. From then on, `limitTexts` has the date.
 */
function replacedNote({ texts }: Frame, { replacedBy, retiresAt }: KeyRow): Html {
  if (replacedBy === null) return NOTHING
  const end = retiresAt === null ? durationOfHours(replacedBy.endsAfterHours) : null
  return texts.keys.replacedBy(maskedKey(replacedBy), end)
}

function requestsNote({ texts }: Frame, { requests24h }: KeyRow): Html {
  return requests24h === null ? NOTHING : html` · ${texts.keys.requests24h(requests24h)}`
}

function limitsNote(frame: Frame, key: KeyRow): Html {
  return html`${limitTexts(frame, key).map((text) => html` · ${text}`)}`
}

function actions(frame: Frame, key: KeyRow): Html {
  if (!isAllowed(frame, 'manage keys')) return NOTHING
  const paths = pathsOf(frame)
  const { keys: texts } = frame.texts
  const isReplaced = key.replacedBy !== null
  const replace =
    isReplaced || !canCreateKeys(frame)
      ? NOTHING
      : linkButton(texts.replace, paths.replace(key.id), { about: key.name })
  const label = isReplaced ? texts.revokeOld : texts.revoke
  const revoke = linkButton(label, paths.revoke(key.id), { kind: 'danger', about: key.name })
  return html`<div class="cell-actions">${keySwitch(frame, key, key.name)}${replace}${revoke}</div>`
}

function createCard(frame: Frame, page: KeysPage): Html {
  const { createKey: texts } = frame.texts
  const known = TOOLS.map((tool) => ({
    value: tool.id,
    label: toolName(tool, frame.texts),
    note: texts.toolNotes[tool.id] ?? '',
  }))
  const tools = [...known, { value: '', label: texts.otherTool, note: texts.otherToolNote }]
  const content = html`${radioTiles({ name: 'tool', legend: texts.tool, options: tools, value: page.create.tool })}
${field({
  name: 'name',
  label: texts.name,
  value: page.create.name,
  problem: page.create.problem,
  autocomplete: 'off',
  lengthMax: 80,
  isRequired: false,
  hint: texts.nameHint,
})}
${keyLimitsFields(frame, { limits: page.create.limits, problem: page.create.limitsProblem })}
${button(texts.create)}`
  return card({ id: 'create', title: texts.title }, form({ action: pathsOf(frame).keys, frame }, content))
}

function fullNote(frame: Frame, { keysMax, leastUsed, create }: KeysPage): Html {
  const { keys: texts } = frame.texts
  const lastUsed = leastUsed?.lastUsedAt ? exactTime(leastUsed.lastUsedAt, frame) : null
  const requests = leastUsed?.requests24h ?? null
  const least = leastUsed === null || requests === null ? NOTHING : texts.leastUsed(leastUsed.name, requests, lastUsed)
  const problem = create.problem ? html`<strong>${create.problem}</strong> ` : NOTHING
  return callout(html`${problem}${texts.full(keysMax)}${least}`, 'waiting')
}

function revokedPart(frame: Frame, { revoked }: KeysPage): Html {
  if (revoked.length === 0) return NOTHING
  const { keys: texts, common } = frame.texts
  const { name, revoked: revokedAt, lastUsed, created } = texts.columns
  const list = table({
    caption: texts.revokedKeys,
    columns: [name, revokedAt, lastUsed, created].map((label) => ({ label })),
    rows: revoked.map((key) => [
      html`<a class="key-name" href="${pathsOf(frame).keyUsage(key.id)}">${key.name}</a><span class="key-mask">${maskedKey(key)}${limitsNote(frame, key)}</span>`,
      key.revokedAt === null ? noValue(frame) : exactTime(key.revokedAt, frame),
      key.lastUsedAt === null ? common.never : exactTime(key.lastUsedAt, frame),
      html`<div class="lines"><span>${relativeTime(key.createdAt, frame)}</span>${key.createdBy === null ? NOTHING : html`<span class="note creator" title="${key.createdBy}">${key.createdBy}</span>`}</div>`,
    ]),
  })
  return html`<details class="card flush fold"><summary>${texts.revokedKeys} <span class="summary-count">${count(revoked.length, frame)}</span></summary>${list}</details>`
}
