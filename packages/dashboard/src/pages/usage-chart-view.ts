// Renders the chart of requests by hour or by day, with a table of the same numbers and links to other ranges.

import { requestsChart } from '../ui/chart.ts'
import { card, emptyState } from '../ui/components.ts'
import { count, localDay, periodText } from '../ui/dates.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { type Column, table } from '../ui/table.ts'
import { REQUEST_PARTS, totalRequests } from '../usage/summaries.ts'
import { RANGE_FACTS } from '../usage/usage-ranges.ts'
import type { RequestSums, UsageChart } from './key-models.ts'
import type { Frame } from './models.ts'

/** Returns the card with the chart, or with the reason why there is none. Its heading has the ID `chart`. */
export function usageChartCard(frame: Frame, chart: UsageChart): Html {
  const { unit } = RANGE_FACTS[chart.range]
  const { chart: texts } = frame.texts.usage
  const head = { id: 'chart', title: texts.title[unit], actions: rangeLinks(frame, chart) }
  if (chart.periods.every((period) => totalRequests(period) === 0))
    return card(head, emptyState(texts.empty.heading(chart.range), texts.empty.text))
  return card(
    { ...head, note: texts.note(frame.store?.timeZone ?? 'UTC') },
    html`${requestsChart({ unit, periods: chart.periods, display: frame })}${periodsTable(frame, chart)}`,
  )
}

/** Returns the numbers of the chart as a table, newest first, which is collapsed until the merchant opens it. */
function periodsTable(frame: Frame, chart: UsageChart): Html {
  const { unit } = RANGE_FACTS[chart.range]
  const { chart: texts } = frame.texts.usage
  const list = table({
    caption: texts.caption[unit],
    columns: [{ label: texts.column[unit] }, ...sumColumns(frame)],
    rows: chart.periods.toReversed().map((period) => [timeOf(frame, chart, period.start), ...sumCells(frame, period)]),
  })
  return html`<details class="table-fold"><summary>${texts.showTable}</summary>${list}</details>`
}

/** Returns the headings of the columns that `sumCells` fills: one for each outcome of requests, and one for all. */
export function sumColumns({ texts }: Frame): Column[] {
  const { parts, all } = texts.usage
  return [...REQUEST_PARTS.map((part) => parts[part]), all].map((label) => ({ label, isNumber: true }))
}

/** Returns a cell for each outcome of requests, such as `rejected`, and one for all requests. Zeros are gray. */
export function sumCells(frame: Frame, sums: RequestSums): readonly (Html | string)[] {
  const quiet = (value: number) => (value === 0 ? html`<span class="quiet">0</span>` : count(value, frame))
  return [
    ...REQUEST_PARTS.map((part) => quiet(sums[part])),
    html`<strong>${count(totalRequests(sums), frame)}</strong>`,
  ]
}

function rangeLinks(frame: Frame, { range: current, ranges }: UsageChart): Html {
  const { ranges: labels, rangesLabel } = frame.texts.usage.chart
  const items = ranges.map(
    ({ range, href }) =>
      html`<li><a href="${href}"${range === current ? html` aria-current="true"` : NOTHING}>${labels[range]}</a></li>`,
  )
  return html`<nav class="ranges" aria-label="${rangesLabel}"><ul role="list">${items}</ul></nav>`
}

function timeOf(frame: Frame, { range }: UsageChart, start: Date): Html {
  const { unit } = RANGE_FACTS[range]
  const value = unit === 'hour' ? start.toISOString() : localDay(start, frame)
  return html`<time datetime="${value}">${periodText(start, unit, frame, unit === 'hour' ? 'full' : 'short')}</time>`
}
