// Renders the usage of one key: whether the merchant gets emails about it, its walks, its requests as a chart, and its
// request log. The page calls the walks "syncs".

import { canCreateKeys, isAllowed } from '../members/permissions.ts'
import { keyBadge, walkBadge } from '../ui/badges.ts'
import { callout, card, emptyState, pageHead } from '../ui/components.ts'
import { count, exactTime, relativeTime } from '../ui/dates.ts'
import { button, form, linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { maskedKey } from '../ui/key-facts.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import { table } from '../ui/table.ts'
import { limitTexts } from './key-limits-view.ts'
import type { KeyRow, KeyUsage, KeyUsagePage, WalkRow } from './key-models.ts'
import type { Frame } from './models.ts'
import { requestLogCard } from './request-log-view.ts'
import { keySwitch } from './turn-off-view.ts'
import { usageChartCard } from './usage-chart-view.ts'

/** Returns the page about the recent usage of one key. */
export function keyUsageView(frame: Frame, page: KeyUsagePage): Html {
  const { key } = page
  const paths = pathsOf(frame)
  const { keys, keyUsage: texts } = frame.texts
  const used = key.lastUsedAt === null ? texts.neverUsed : texts.lastUsed(relativeTime(key.lastUsedAt, frame))
  const head = pageHead(frame, {
    title: key.name,
    lead: html`<span class="lead-facts">${maskedKey(key)}${keyBadge(frame, key)}<span>${used}</span>${offFact(frame, key)}${limitTexts(frame, key).map((text) => html`<span>${text}</span>`)}</span>`,
    trail: [{ label: keys.title, href: paths.api }],
    ...(key.revokedAt === null && isAllowed(frame, 'manage keys') ? { actions: keyActions(frame, key) } : {}),
  })
  return layout(
    frame,
    html`${head}${emailsPart(frame, page)}${page.usage === null ? callout(frame.texts.usage.unreadable, 'waiting') : usageParts(frame, key, page.usage)}`,
  )
}

function usageParts(frame: Frame, key: KeyRow, usage: KeyUsage): Html {
  return html`${walksPart(frame, key, usage)}${usageChartCard(frame, usage.chart)}${requestLogCard(frame, key, usage.log)}`
}

/** Returns the time at which the key was turned off; nothing for a key that is on or revoked. */
function offFact(frame: Frame, { turnedOffAt, revokedAt }: KeyRow): Html {
  if (turnedOffAt === null || revokedAt !== null) return NOTHING
  return html`<span>${frame.texts.keyUsage.turnedOff(exactTime(turnedOffAt, frame))}</span>`
}

function emailsPart(frame: Frame, { key, hasEmails }: KeyUsagePage): Html {
  if (hasEmails === null) return NOTHING
  const { emails: texts } = frame.texts.keyUsage
  const text = hasEmails ? texts.on : texts.off
  const next = html`<input type="hidden" name="emails" value="${hasEmails ? 'off' : 'on'}">${button(hasEmails ? texts.turnOff : texts.turnOn, 'plain')}`
  const change = form({ action: pathsOf(frame).keyEmails(key.id), frame }, next)
  return card({ id: 'emails', title: texts.title, note: text, actions: change }, NOTHING)
}

/**
 * Returns the card of the key's syncs, which the browser requests again every 10 seconds. If the log shows the newest
 * lines, the same response updates the log. Older lines don't change, so they stay.
 */
function walksPart(frame: Frame, key: KeyRow, { log, walks }: KeyUsage): Html {
  const address = log.refreshHref
  const both = log.isNewest ? html` hx-select-oob="#log-lines:outerMorph"` : NOTHING
  return html`<div id="walks-part" hx-get="${address}" hx-trigger="every 10s" hx-select="#walks-part"${both} hx-swap="outerMorph">${walksCard(frame, key, walks)}</div>`
}

function keyActions(frame: Frame, key: KeyRow): Html {
  const paths = pathsOf(frame)
  const { keys, keyUsage } = frame.texts
  const replace =
    key.replacedBy === null && canCreateKeys(frame) ? linkButton(keys.replace, paths.replace(key.id)) : NOTHING
  return html`${linkButton(keyUsage.rename, paths.rename(key.id))}${linkButton(keyUsage.changePermissions, paths.permissions(key.id))}${keySwitch(frame, key)}${replace}${linkButton(keys.revoke, paths.revoke(key.id), { kind: 'danger' })}`
}

function walksCard(frame: Frame, key: KeyRow, walks: readonly WalkRow[]): Html {
  const { syncs: texts } = frame.texts.keyUsage
  const { columns, empty, title, note } = texts
  const list = table({
    caption: title,
    columns: [
      { label: columns.list },
      { label: columns.status },
      { label: columns.started },
      { label: columns.lastPage },
      { label: columns.pages, isNumber: true },
      { label: columns.rows, isNumber: true },
    ],
    rows: walks.map((walk) => [
      html`<div class="lines"><code>${walk.endpoint}</code>${walk.filters === '' ? NOTHING : html`<code class="note">${walk.filters}</code>`}</div>`,
      walkBadge(frame, walk.status),
      exactTime(walk.begunAt, frame),
      exactTime(walk.lastAt, frame),
      count(walk.pages, frame),
      count(walk.rows, frame),
    ]),
  })
  const none = emptyState(empty.heading, key.revokedAt === null ? empty.active : empty.revoked)
  return card({ id: 'walks', title, note, isFlush: walks.length > 0 }, walks.length > 0 ? list : none)
}
