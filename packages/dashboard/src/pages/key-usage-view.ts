// Renders the usage of one key: its walks, its requests as a chart, and its request log. They show why a sync stopped.

import { keyBadge, walkBadge } from '../ui/badges.ts'
import { card, emptyState, pageHead } from '../ui/components.ts'
import { count, exactTime, relativeTime } from '../ui/dates.ts'
import { button, form, linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { maskedKey } from '../ui/key-facts.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import { table } from '../ui/table.ts'
import { limitTexts } from './key-limits-view.ts'
import type { KeyRow, KeyUsagePage } from './key-models.ts'
import type { Frame } from './models.ts'
import { requestLogCard } from './request-log-view.ts'
import { usageChartCard } from './usage-chart-view.ts'

/** Returns the page about the recent usage of one key. */
export function keyUsageView(frame: Frame, page: KeyUsagePage): Html {
  const { key } = page
  const paths = pathsOf(frame)
  const used = key.lastUsedAt === null ? 'Never used' : html`Last used ${relativeTime(key.lastUsedAt, frame)}`
  const head = pageHead({
    title: key.name,
    lead: html`<span class="lead-facts">${maskedKey(key)}${keyBadge(key)}<span>${used}</span>${limitTexts(frame, key).map((text) => html`<span>${text}</span>`)}</span>`,
    trail: [{ label: 'Usage', href: paths.usage }],
    ...(key.revokedAt === null ? { actions: keyActions(frame, key) } : {}),
  })
  return layout(
    frame,
    html`${head}${walksPart(frame, page)}${usageChartCard(frame, page.chart)}${requestLogCard(frame, page)}${emailsPart(frame, page)}`,
  )
}

function emailsPart(frame: Frame, { key, hasEmails }: KeyUsagePage): Html {
  if (hasEmails === null) return NOTHING
  const text = hasEmails
    ? 'You get an email if this tool fails, stops, is silent, or exceeds the rate limit, and before the key ends.'
    : 'You get no emails about this key.'
  const next = html`<input type="hidden" name="emails" value="${hasEmails ? 'off' : 'on'}">${button(hasEmails ? 'Stop emails about this key' : 'Send me emails', 'plain')}`
  return card(
    { id: 'emails', title: 'Emails' },
    html`<p>${text}</p>${form({ action: pathsOf(frame).keyEmails(key.id), frame }, next)}`,
  )
}

/** Returns a card that refreshes itself. It also refreshes the log if the log shows the newest lines. */
function walksPart(frame: Frame, page: KeyUsagePage): Html {
  const { log } = page
  const address = log.refreshHref
  const both = log.isNewest ? html` hx-select-oob="#log-lines:outerMorph"` : NOTHING
  return html`<div id="walks-part" hx-get="${address}" hx-trigger="every 10s" hx-select="#walks-part"${both} hx-swap="outerMorph">${walksCard(frame, page)}</div>`
}

function keyActions(frame: Frame, key: KeyRow): Html {
  const paths = pathsOf(frame)
  const replace = key.replacedBy === null ? linkButton('Replace', paths.replace(key.id)) : NOTHING
  return html`${linkButton('Rename', paths.rename(key.id))}${replace}${linkButton('Revoke', paths.revoke(key.id), { kind: 'danger' })}`
}

function walksCard(frame: Frame, { key, walks }: KeyUsagePage): Html {
  const list = table({
    caption: 'Syncs',
    columns: [
      { label: 'List' },
      { label: 'Status' },
      { label: 'Started' },
      { label: 'Last page' },
      { label: 'Pages', isNumber: true },
      { label: 'Rows', isNumber: true },
    ],
    rows: walks.map((walk) => [
      html`<div class="lines"><code>${walk.endpoint}</code>${walk.filters === '' ? NOTHING : html`<code class="note">${walk.filters}</code>`}</div>`,
      walkBadge(walk.status),
      exactTime(walk.begunAt, frame),
      exactTime(walk.lastAt, frame),
      count(walk.pages, frame),
      count(walk.rows, frame),
    ]),
    isStacked: true,
  })
  const none = emptyState(
    'No syncs yet',
    key.revokedAt === null
      ? 'When the tool reads a list page by page, its progress appears here.'
      : 'This key has not read a list recently.',
  )
  const note =
    'Each line is a list that the tool read page by page. “Stopped” means that the tool did not reach the end.'
  return card({ id: 'walks', title: 'Syncs', note, isFlush: walks.length > 0 }, walks.length > 0 ? list : none)
}
