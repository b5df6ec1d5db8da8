// Renders the usage of a store in a range of time: as a chart and a table by hour or day, and by key.

import { canCreateKeys } from '../members/permissions.ts'
import { badge, callout, card, emptyState, pageHead, tiles } from '../ui/components.ts'
import { count } from '../ui/dates.ts'
import { linkButton } from '../ui/forms.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { layout } from '../ui/layout.ts'
import { pathsOf } from '../ui/store-paths.ts'
import { table } from '../ui/table.ts'
import { REQUEST_PARTS, totalRequests } from '../usage/summaries.ts'
import type { UsagePage } from './key-models.ts'
import type { Frame } from './models.ts'
import { sumCells, sumColumns, usageChartCard } from './usage-chart-view.ts'

/**
 * Returns the page. If the store has no active key, and no key with requests in the range, the page says so. It then
 * has a link to the form for a new key if the role allows it.
 */
export function usageView(frame: Frame, page: UsagePage): Html {
  const { usage: texts } = frame.texts
  const { range } = page.chart
  const selected = page.keys.find(({ id }) => id === page.selectedKeyId)
  const head = pageHead(frame, {
    title: texts.title,
    lead: selected ? texts.leadOfKey(selected.name, range) : texts.lead(range),
    ...(page.selectedKeyId === null ? {} : { actions: linkButton(texts.showAllKeys, page.allKeysHref) }),
  })
  if (page.keys.length === 0) {
    const next = linkButton(texts.createKey, pathsOf(frame).api, { kind: 'main' })
    const { heading, text, viewer } = texts.empty
    const none = canCreateKeys(frame) ? emptyState(heading, text, next) : emptyState(heading, viewer)
    return layout(frame, html`${head}<div class="card"><div class="card-body">${none}</div></div>`)
  }
  return layout(
    frame,
    html`${head}${sumTiles(frame, page)}${usageChartCard(frame, page.chart)}${keysCard(frame, page)}`,
  )
}

/** Returns the page if the usage can't be read now. */
export function unreadableUsageView(frame: Frame): Html {
  const { usage: texts } = frame.texts
  return layout(frame, html`${pageHead(frame, { title: texts.title })}${callout(texts.unreadable, 'waiting')}`)
}

/** Returns the sums of the chart's periods. They are those of the selected key, or of all keys. */
function sumTiles(frame: Frame, { chart }: UsagePage): Html {
  const { parts, partNotes } = frame.texts.usage
  return tiles(
    REQUEST_PARTS.map((part) => ({
      label: parts[part],
      value: count(
        chart.periods.reduce((all, period) => all + period[part], 0),
        frame,
      ),
      note: partNotes[part],
    })),
  )
}

function keysCard(frame: Frame, { keys, selectedKeyId }: UsagePage): Html {
  const paths = pathsOf(frame)
  const { usage: texts, keys: keysTexts } = frame.texts
  // At least 1, because the shares would otherwise divide by 0 if no key has requests.
  const most = Math.max(1, ...keys.map(totalRequests))
  const list = table({
    caption: texts.keyCaption,
    columns: [{ label: texts.key }, ...sumColumns(frame), { label: texts.details, isVisuallyHidden: true }],
    rows: keys.map((key) => [
      html`<a class="key-name" href="${key.href}"${key.id === selectedKeyId ? html` aria-current="true"` : NOTHING}>${key.name}</a> ${key.isActive ? NOTHING : badge(keysTexts.status.revoked)}${shareBar(totalRequests(key) / most)}`,
      ...sumCells(frame, key),
      html`<div class="cell-actions">${linkButton(texts.requestLog, paths.keyUsage(key.id), { about: texts.requestLogOf(key.name) })}</div>`,
    ]),
    selectedRow: keys.findIndex(({ id }) => id === selectedKeyId),
  })
  return card({ id: 'by-key', title: texts.byKey, note: texts.byKeyNote, isFlush: true }, list)
}

/**
 * Returns the bar of a key. `share` is its number of requests divided by that of the busiest key, from 0 to 1. A key
 * without requests has no bar. The bar has at least 1 % of the width, so that a few requests are visible.
 */
function shareBar(share: number): Html {
  if (share === 0) return NOTHING
  return html`<svg class="share" width="100%" height="4" aria-hidden="true" focusable="false"><rect width="${Math.max(1, share * 100).toFixed(1)}%" height="4" rx="2"/></svg>`
}
