// Renders the usage of a store in a range of time: as a chart and a table by hour or day, and by key.

import { PART_LABELS } from '../ui/chart.ts'
import { badge, card, emptyState, pageHead, tiles } from '../ui/components.ts'
import { count } from '../ui/dates.ts'
import { linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import { table } from '../ui/table.ts'
import { REQUEST_PARTS, totalRequests } from '../usage/summaries.ts'
import { RANGE_FACTS } from '../usage/usage-ranges.ts'
import type { RequestSums, UsagePage } from './key-models.ts'
import type { Frame } from './models.ts'
import { SUM_COLUMNS, sumCells, usageChartCard } from './usage-chart-view.ts'

/** Returns the page about the usage in the chosen range. */
export function usageView(frame: Frame, page: UsagePage): Html {
  const range = RANGE_FACTS[page.chart.range].label
  const selected = page.keys.find(({ id }) => id === page.selectedKeyId)
  const head = pageHead({
    title: 'Usage',
    lead: selected
      ? html`Requests of <strong>${selected.name}</strong> in the last ${range}.`
      : `Requests of all keys in the last ${range}.`,
    ...(page.selectedKeyId === null ? {} : { actions: linkButton('Show all keys', page.allKeysHref) }),
  })
  if (page.keys.length === 0) {
    const next = linkButton('Create a key', pathsOf(frame).api, { kind: 'main' })
    const none = emptyState(
      'No requests yet',
      'Create a key and put it into a tool. Its requests are counted here.',
      next,
    )
    return layout(frame, html`${head}<div class="card"><div class="card-body">${none}</div></div>`)
  }
  return layout(
    frame,
    html`${head}${sumTiles(frame, page)}${usageChartCard(frame, page.chart)}${keysCard(frame, page)}`,
  )
}

function sumTiles(frame: Frame, { chart }: UsagePage): Html {
  return tiles(
    REQUEST_PARTS.map((part) => ({
      label: PART_LABELS[part],
      value: count(
        chart.periods.reduce((all, period) => all + period[part], 0),
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

function keysCard(frame: Frame, { keys, selectedKeyId }: UsagePage): Html {
  const paths = pathsOf(frame)
  const most = Math.max(1, ...keys.map(totalRequests))
  const list = table({
    caption: 'Requests by key, most first',
    columns: [{ label: 'Key' }, ...SUM_COLUMNS, { label: 'Details', isVisuallyHidden: true }],
    rows: keys.map((key) => [
      html`<a class="key-name" href="${key.href}"${key.id === selectedKeyId ? html` aria-current="true"` : NOTHING}>${key.name}</a> ${key.isActive ? NOTHING : badge('Revoked')}${shareBar(totalRequests(key) / most)}`,
      ...sumCells(frame, key),
      html`<div class="cell-actions">${linkButton('Request log', paths.keyUsage(key.id), { about: `of ${key.name}` })}</div>`,
    ]),
    selectedRow: keys.findIndex(({ id }) => id === selectedKeyId),
    isStacked: true,
  })
  return card(
    { id: 'by-key', title: 'By key', note: 'Choose a key to see its requests in the chart above.', isFlush: true },
    list,
  )
}

function shareBar(share: number): Html {
  return html`<svg class="share" width="100%" height="4" aria-hidden="true" focusable="false"><rect width="${Math.max(1, share * 100).toFixed(1)}%" height="4" rx="2"/></svg>`
}
