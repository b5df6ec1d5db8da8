// Renders Settings > API: the keys with what their tools do, and the form that creates a key.

import { TOOLS } from '../recipes/tools.ts'
import { keyBadge } from '../ui/badges.ts'
import { selection } from '../ui/choices.ts'
import { callout, card, emptyState, pageHead } from '../ui/components.ts'
import { count, exactTime, quantity, relativeTime } from '../ui/dates.ts'
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

/** Returns the page Settings > API. */
export function keysView(frame: Frame, page: KeysPage): Html {
  const head = pageHead({
    title: 'API',
    lead: 'Each tool that reads this store has its own key, so that you see whether it works, and can revoke it alone.',
  })
  return layout(
    frame,
    html`${head}${unconfirmedNote(frame, page)}${liveFragment(frame, page)}${createCard(frame, page)}${revokedPart(frame, page)}`,
  )
}

/** Returns a link to a new key whose page the merchant left without confirming the copy. */
function unconfirmedNote(frame: Frame, { unconfirmed }: KeysPage): Html {
  if (unconfirmed === null) return NOTHING
  const again = html`<a href="${pathsOf(frame).created(unconfirmed.id)}">Show it again</a>`
  return callout(
    html`You haven’t confirmed that you copied the new key <strong>${unconfirmed.name}</strong>. ${again} within ten minutes of creating it.`,
    'waiting',
  )
}

/** Returns the part of the page that refreshes itself. */
export function liveFragment(frame: Frame, { active }: Pick<KeysPage, 'active'>): Html {
  const content =
    active.length === 0
      ? emptyState('No keys yet', 'Create your first key below.')
      : html`<ul class="keys" role="list">${active.map((key) => keyItem(frame, key))}</ul>`
  const refresh = html`hx-get="${pathsOf(frame).live}" hx-trigger="every 10s" hx-select="#active-keys" hx-swap="outerMorph"`
  return html`<div id="active-keys" ${refresh}>${card({ id: 'keys', title: 'Keys', isFlush: active.length > 0 }, content)}</div>`
}

function keyItem(frame: Frame, key: ActiveKeyRow): Html {
  const paths = pathsOf(frame)
  const badge = key.replacedBy === null ? NOTHING : html` ${keyBadge(key)}`
  return html`<li class="key"><div class="key-text">
<h3><a class="key-name" href="${paths.keyUsage(key.id)}">${key.name}</a>${badge}</h3>
${healthPart(frame, key)}
<p class="key-details">${maskedKey(key)}${replacedNote(key)} · ${quantity(key.requests24h, 'request', frame)} in 24 hours · Created ${relativeTime(key.createdAt, frame)}${creatorNote(key)}${limitsNote(frame, key)}</p>
</div>${actions(frame, key)}</li>
`
}

function replacedNote({ replacedBy }: KeyRow): Html {
  return replacedBy === null ? NOTHING : html`, replaced by ${maskedKey(replacedBy)}`
}

function creatorNote({ createdBy }: KeyRow): Html {
  return createdBy === null ? NOTHING : html` by ${createdBy}`
}

function limitsNote(frame: Frame, key: KeyRow): Html {
  return html`${limitTexts(frame, key).map((text) => html` · ${text}`)}`
}

function actions(frame: Frame, key: KeyRow): Html {
  const paths = pathsOf(frame)
  const replace = key.replacedBy === null ? linkButton('Replace', paths.replace(key.id), { about: key.name }) : NOTHING
  const label = key.replacedBy === null ? 'Revoke' : 'Revoke the old key'
  const revoke = linkButton(label, paths.revoke(key.id), { kind: 'danger', about: key.name })
  return html`<div class="cell-actions">${replace}${revoke}</div>`
}

function createCard(frame: Frame, page: KeysPage): Html {
  if (page.active.length >= page.keysMax) return fullNote(frame, page)
  const tools = [{ value: '', label: 'Another tool' }, ...TOOLS.map(({ id, label }) => ({ value: id, label }))]
  const content = html`${selection({ name: 'tool', label: 'Tool', options: tools, value: page.create.tool })}
${field({
  name: 'name',
  label: 'Name of the key',
  value: page.create.name,
  problem: page.create.problem,
  autocomplete: 'off',
  lengthMax: 80,
  isRequired: false,
  hint: 'For example “Accounting” or “Stock sheet”. Without a name, the key gets the name of the tool.',
})}
${keyLimitsFields({ limits: page.create.limits, problem: page.create.limitsProblem })}
${button('Create key')}`
  return card({ id: 'create', title: 'Create a key' }, form({ action: pathsOf(frame).keys, frame }, content))
}

function fullNote(frame: Frame, { keysMax, leastUsed, create }: KeysPage): Html {
  const least =
    leastUsed === null
      ? NOTHING
      : html` The least recently used key is <strong>${leastUsed.name}</strong>: ${quantity(leastUsed.requests24h, 'request', frame)} in 24 hours, last used ${
          leastUsed.lastUsedAt === null ? 'never' : exactTime(leastUsed.lastUsedAt, frame)
        }.`
  const problem = create.problem ? html`<strong>${create.problem}</strong> ` : NOTHING
  return callout(
    html`${problem}You have ${keysMax} active keys, which is the limit. To create another one, revoke a key that no tool needs.${least}`,
    'waiting',
  )
}

function revokedPart(frame: Frame, { revoked }: KeysPage): Html {
  if (revoked.length === 0) return NOTHING
  const list = table({
    caption: 'Revoked keys',
    columns: [{ label: 'Name' }, { label: 'Revoked' }, { label: 'Last used' }, { label: 'Created' }],
    rows: revoked.map((key) => [
      html`<a class="key-name" href="${pathsOf(frame).keyUsage(key.id)}">${key.name}</a><span class="key-mask">${maskedKey(key)}${limitsNote(frame, key)}</span>`,
      key.revokedAt === null ? noValue() : exactTime(key.revokedAt, frame),
      key.lastUsedAt === null ? 'Never' : exactTime(key.lastUsedAt, frame),
      html`<div class="lines"><span>${relativeTime(key.createdAt, frame)}</span>${key.createdBy === null ? NOTHING : html`<span class="note creator" title="${key.createdBy}">${key.createdBy}</span>`}</div>`,
    ]),
    isStacked: true,
  })
  return html`<details class="card flush fold"><summary>Revoked keys <span class="summary-count">${count(revoked.length, frame)}</span></summary>${list}</details>`
}
