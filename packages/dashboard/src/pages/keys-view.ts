// Renders Settings > API: usage at a glance, the keys, and the form that creates a key.

import { keyBadge } from '../ui/badges.ts'
import { callout, card, emptyState, pageHead, tiles } from '../ui/components.ts'
import { count, exactTime, quantity, relativeTime } from '../ui/dates.ts'
import { button, field, form, linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { maskedKey } from '../ui/key-facts.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import { noValue, table } from '../ui/table.ts'
import { keyLimitsFields, limitTexts } from './key-limits-view.ts'
import type { KeyRow, KeysPage, KeyTiles } from './key-models.ts'
import { warningsPart } from './key-warnings-view.ts'
import type { Frame } from './models.ts'

/** Returns the page Settings > API. */
export function keysView(frame: Frame, page: KeysPage): Html {
  const head = pageHead({
    title: 'API',
    lead: 'Create a separate key for each tool. Then you can revoke one without affecting the others.',
  })
  return layout(
    frame,
    html`${head}${unconfirmedNote(frame, page)}${warningsPart(frame, page.warnings)}${tilesPart(frame, page.tiles)}${createCard(frame, page)}${activeCard(frame, page)}${revokedPart(frame, page)}`,
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

/** Returns the parts of the page that refresh together, so that the tiles and the table are consistent. */
export function liveFragment(frame: Frame, page: Pick<KeysPage, 'warnings' | 'tiles' | 'active'>): Html {
  return html`${warningsPart(frame, page.warnings)}${tilesPart(frame, page.tiles)}${activeCard(frame, page)}`
}

function tilesPart(frame: Frame, page: KeyTiles): Html {
  const { peakMinute, requestsPerMinute, activeKeys, keysMax } = page
  const list = [
    { label: 'Requests today', value: count(page.requestsToday, frame) },
    {
      label: 'Peak minute today',
      value: count(peakMinute.requests, frame),
      of: `of ${count(requestsPerMinute, frame)}`,
      filled: peakMinute.requests / requestsPerMinute,
      ...(peakMinute.keyName === null ? {} : { note: peakMinute.keyName }),
    },
    { label: 'Rejected in 7 days', value: count(page.rejectedInSevenDays, frame) },
    { label: 'Active keys', value: count(activeKeys, frame), of: `of ${keysMax}`, filled: activeKeys / keysMax },
  ]
  const address = pathsOf(frame).live
  return html`<section id="tiles" aria-label="Usage at a glance" hx-get="${address}" hx-trigger="every 10s" hx-select="#tiles" hx-select-oob="#warnings:outerMorph,#active-keys:outerMorph" hx-swap="outerMorph">${tiles(list)}</section>`
}

function createCard(frame: Frame, page: KeysPage): Html {
  if (page.active.length >= page.keysMax) return fullNote(frame, page)
  const content = html`${field({
    name: 'name',
    label: 'Name of the tool',
    value: page.create.name,
    problem: page.create.problem,
    autocomplete: 'off',
    lengthMax: 80,
    hint: 'For example “Accounting” or “Stock sheet”.',
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

function activeCard(frame: Frame, { active }: Pick<KeysPage, 'active'>): Html {
  const content =
    active.length === 0 ? emptyState('No keys yet', 'Create your first key above.') : keysTable(frame, active)
  return html`<div id="active-keys">${card({ id: 'keys', title: 'Keys', isFlush: active.length > 0 }, content)}</div>`
}

function keysTable(frame: Frame, keys: readonly KeyRow[]): Html {
  return table({
    caption: 'Active keys',
    columns: [
      { label: 'Name' },
      { label: 'Status' },
      { label: 'Last used' },
      { label: 'Requests in 24 hours', isNumber: true },
      { label: 'Created' },
      { label: 'Actions', isVisuallyHidden: true },
    ],
    rows: keys.map((key) => [
      nameCell(frame, key),
      stateCell(key),
      key.lastUsedAt === null ? 'Never' : relativeTime(key.lastUsedAt, frame),
      count(key.requests24h, frame),
      createdCell(frame, key),
      actionsCell(frame, key),
    ]),
    isStacked: true,
  })
}

function nameCell(frame: Frame, key: KeyRow): Html {
  return html`<a class="key-name" href="${pathsOf(frame).keyUsage(key.id)}">${key.name}</a><span class="key-mask">${maskedKey(key)}</span>${limitsNote(frame, key)}`
}

function limitsNote(frame: Frame, key: KeyRow): Html {
  const texts = limitTexts(frame, key)
  if (texts.length === 0) return NOTHING
  return html`<span class="key-limits">${texts.map((text, index) => html`${index === 0 ? '' : ' · '}${text}`)}</span>`
}

function stateCell(key: KeyRow): Html {
  const by = key.replacedBy === null ? NOTHING : html`<span class="note">by ${maskedKey(key.replacedBy)}</span>`
  return html`<div class="lines">${keyBadge(key)}${by}</div>`
}

function createdCell(frame: Frame, key: KeyRow): Html {
  const by =
    key.createdBy === null ? NOTHING : html`<span class="note creator" title="${key.createdBy}">${key.createdBy}</span>`
  return html`<div class="lines"><span>${relativeTime(key.createdAt, frame)}</span>${by}</div>`
}

function actionsCell(frame: Frame, key: KeyRow): Html {
  const paths = pathsOf(frame)
  const replace = key.replacedBy === null ? linkButton('Replace', paths.replace(key.id), { about: key.name }) : NOTHING
  const label = key.replacedBy === null ? 'Revoke' : 'Revoke the old key'
  const revoke = linkButton(label, paths.revoke(key.id), { kind: 'danger', about: key.name })
  return html`<div class="cell-actions">${replace}${revoke}</div>`
}

function revokedPart(frame: Frame, { revoked }: KeysPage): Html {
  if (revoked.length === 0) return NOTHING
  const list = table({
    caption: 'Revoked keys',
    columns: [{ label: 'Name' }, { label: 'Revoked' }, { label: 'Last used' }, { label: 'Created' }],
    rows: revoked.map((key) => [
      nameCell(frame, key),
      key.revokedAt === null ? noValue() : exactTime(key.revokedAt, frame),
      key.lastUsedAt === null ? 'Never' : exactTime(key.lastUsedAt, frame),
      createdCell(frame, key),
    ]),
    isStacked: true,
  })
  return html`<details class="card flush fold"><summary>Revoked keys <span class="summary-count">${count(revoked.length, frame)}</span></summary>${list}</details>`
}
