// Renders the usage of the last 30 days: per day as a chart and as a table, and per key.

import { PART_LABELS, requestsChart } from '../ui/chart.ts'
import { badge, card, emptyState, pageHead, tiles } from '../ui/components.ts'
import { count, dayText } from '../ui/dates.ts'
import { linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import { table } from '../ui/table.ts'
import { REQUEST_PARTS, totalRequests } from '../usage/summaries.ts'
import type { RequestSums, UsagePage } from './key-models.ts'
import type { Frame } from './models.ts'

/** Returns the page about the usage of the last 30 days. */
export function usageView(frame: Frame, page: UsagePage): Html {
  const paths = pathsOf(frame)
  const selected = page.keys.find(({ id }) => id === page.selectedKeyId)
  const head = pageHead({
    title: 'Usage',
    lead: selected
      ? html`Requests of <strong>${selected.name}</strong> in the last 30 days.`
      : 'Requests of all keys in the last 30 days.',
    ...(page.selectedKeyId === null ? {} : { actions: linkButton('Show all keys', paths.usage) }),
  })
  if (page.keys.length === 0) {
    const next = linkButton('Create a key', paths.api, { kind: 'main' })
    const none = emptyState(
      'No requests yet',
      'Create a key and put it into a tool. Its requests are counted here.',
      next,
    )
    return layout(frame, html`${head}<div class="card"><div class="card-body">${none}</div></div>`)
  }
  return layout(frame, html`${head}${sumTiles(frame, page)}${daysCard(frame, page)}${keysCard(frame, page)}`)
}

function sumTiles(frame: Frame, { days }: UsagePage): Html {
  return tiles(
    REQUEST_PARTS.map((part) => ({
      label: PART_LABELS[part],
      value: count(
        days.reduce((all, day) => all + day[part], 0),
        frame,
      ),
      note: PART_NOTES[part],
    })),
  )
}

const PART_NOTES = {
  successful: 'Requests that returned data',
  clientErrors: 'Wrong parameters or unknown IDs',
  rejected: 'Over the rate limit, or the store was not ready',
  failed: 'Errors on our side; tools can retry',
} as const satisfies Record<keyof RequestSums, string>

const SUM_COLUMNS = [
  ...REQUEST_PARTS.map((part) => ({ label: PART_LABELS[part], isNumber: true })),
  { label: 'All', isNumber: true },
]

function sumCells(frame: Frame, sums: RequestSums): readonly (Html | string)[] {
  const quiet = (value: number) => (value === 0 ? html`<span class="quiet">0</span>` : count(value, frame))
  return [
    ...REQUEST_PARTS.map((part) => quiet(sums[part])),
    html`<strong>${count(totalRequests(sums), frame)}</strong>`,
  ]
}

function daysCard(frame: Frame, { days }: UsagePage): Html {
  const list = table({
    caption: 'Requests by day, newest first',
    columns: [{ label: 'Day' }, ...SUM_COLUMNS],
    rows: days
      .toReversed()
      .map((day) => [html`<time datetime="${day.day}">${dayText(day.day, frame)}</time>`, ...sumCells(frame, day)]),
  })
  return card(
    { id: 'by-day', title: 'By day', note: `Days are in the time zone ${frame.store?.timeZone ?? 'UTC'}.` },
    html`${requestsChart(days, frame)}<details class="table-fold"><summary>Show as a table</summary>${list}</details>`,
  )
}

function keysCard(frame: Frame, { keys, selectedKeyId }: UsagePage): Html {
  const paths = pathsOf(frame)
  const most = Math.max(1, ...keys.map(totalRequests))
  const list = table({
    caption: 'Requests by key, most first',
    columns: [{ label: 'Key' }, ...SUM_COLUMNS, { label: 'Details', isVisuallyHidden: true }],
    rows: keys.map((key) => [
      html`<a class="key-name" href="${paths.usageOfKey(key.id)}"${key.id === selectedKeyId ? html` aria-current="true"` : NOTHING}>${key.name}</a> ${key.isActive ? NOTHING : badge('Revoked')}${shareBar(totalRequests(key) / most)}`,
      ...sumCells(frame, key),
      html`<div class="cell-actions">${linkButton('Request log', paths.keyUsage(key.id), { about: `of ${key.name}` })}</div>`,
    ]),
    selectedRow: keys.findIndex(({ id }) => id === selectedKeyId),
    isStacked: true,
  })
  return card(
    { id: 'by-key', title: 'By key', note: 'Choose a key to see its requests by day above.', isFlush: true },
    list,
  )
}

function shareBar(share: number): Html {
  return html`<svg class="share" width="100%" height="4" aria-hidden="true" focusable="false"><rect width="${Math.max(1, share * 100).toFixed(1)}%" height="4" rx="2"/></svg>`
}
