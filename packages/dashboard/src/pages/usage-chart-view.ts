// Renders the chart of requests by hour or by day, with a table of the same numbers and links to other ranges.

import { PART_LABELS, requestsChart } from '../ui/chart.ts'
import { card } from '../ui/components.ts'
import { count, localDay, periodText } from '../ui/dates.ts'
import { type Html, html, NOTHING } from '../ui/html.ts'
import { table } from '../ui/table.ts'
import { REQUEST_PARTS, totalRequests } from '../usage/summaries.ts'
import { RANGE_FACTS } from '../usage/usage-ranges.ts'
import type { RequestSums, UsageChart } from './key-models.ts'
import type { Frame } from './models.ts'

/** Returns the card with the chart. Its heading has the ID `chart`. */
export function usageChartCard(frame: Frame, chart: UsageChart): Html {
  const { unit } = RANGE_FACTS[chart.range]
  const list = table({
    caption: `Requests by ${unit}, newest first`,
    columns: [{ label: unit === 'hour' ? 'Hour' : 'Day' }, ...SUM_COLUMNS],
    rows: chart.periods.toReversed().map((period) => [timeOf(frame, chart, period.start), ...sumCells(frame, period)]),
  })
  return card(
    {
      id: 'chart',
      title: unit === 'hour' ? 'By hour' : 'By day',
      note: `Times are in the time zone ${frame.store?.timeZone ?? 'UTC'}.`,
      actions: rangeLinks(chart),
    },
    html`${requestsChart({ unit, periods: chart.periods, display: frame })}<details class="table-fold"><summary>Show as a table</summary>${list}</details>`,
  )
}

/** The columns of `sumCells`. */
export const SUM_COLUMNS = [
  ...REQUEST_PARTS.map((part) => ({ label: PART_LABELS[part], isNumber: true })),
  { label: 'All', isNumber: true },
]

/** Returns one cell for each part of the sums, and one for all requests. */
export function sumCells(frame: Frame, sums: RequestSums): readonly (Html | string)[] {
  const quiet = (value: number) => (value === 0 ? html`<span class="quiet">0</span>` : count(value, frame))
  return [
    ...REQUEST_PARTS.map((part) => quiet(sums[part])),
    html`<strong>${count(totalRequests(sums), frame)}</strong>`,
  ]
}

function rangeLinks({ range: current, ranges }: UsageChart): Html {
  const items = ranges.map(
    ({ range, href }) =>
      html`<li><a href="${href}"${range === current ? html` aria-current="true"` : NOTHING}>${RANGE_FACTS[range].label}</a></li>`,
  )
  return html`<nav class="ranges" aria-label="Range of the chart"><ul role="list">${items}</ul></nav>`
}

function timeOf(frame: Frame, { range }: UsageChart, start: Date): Html {
  const { unit } = RANGE_FACTS[range]
  const value = unit === 'hour' ? start.toISOString() : localDay(start, frame)
  return html`<time datetime="${value}">${periodText(start, unit, frame, unit === 'hour' ? 'full' : 'short')}</time>`
}
