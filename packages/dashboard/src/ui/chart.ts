// Draws requests per hour or day as stacked bars. Color, position and pattern distinguish the parts. Widths are
// percentages and heights are pixels, so that text has the same size at every width. Heights are to scale. A part that
// is too low to see has a mark below the axis. A bar shows its numbers on hover and focus. Only one bar is in the tab
// order, and the script moves the focus with the arrow keys.

import type { RequestSums, UsagePeriod } from '../pages/key-models.ts'
import type { Localization } from '../texts/languages.ts'
import { REQUEST_PARTS, totalRequests } from '../usage/summaries.ts'
import { count, type DisplayContext, languageOf, type PeriodUnit, periodText } from './dates.ts'
import { type Html, html, NOTHING } from './html.ts'

/** The periods of a chart, oldest first, their unit, and how to display them. */
export interface ChartOptions {
  readonly unit: PeriodUnit
  readonly periods: readonly UsagePeriod[]
  readonly display: DisplayContext & Pick<Localization, 'texts'>
}

/** Returns the chart with its legend. At least one period has requests. The page adds a table of the same numbers. */
export function requestsChart(options: ChartOptions): Html {
  const { periods, display } = options
  const top = niceTop(Math.max(1, ...periods.map(totalRequests)))
  return html`<figure class="chart">
${legend(
  options,
  periods.some((period) => lowParts(period, top).length > 0),
)}
<div class="chart-plot" dir="ltr">
${axis(top, display)}
<div class="chart-area" lang="${languageOf(display)}">
<svg class="chart-grid" width="100%" height="${HEIGHT + LABELS}" focusable="false" aria-hidden="true">
<defs>${PATTERNED.map((part) => pattern(part, 'bars'))}</defs>
${gridlines()}
${periodLabels(options)}
</svg>
<div class="bars" role="listbox" aria-orientation="horizontal" aria-label="${summary(options)}" data-keys="${display.texts.usage.chart.keysHint}">
${periods.map((_, at) => bar(options, at, top))}</div>
</div>
</div>
</figure>`
}

/** Height of the plot above the axis, in pixels. */
const HEIGHT = 200
/** Space above the highest line in pixels, which the upper half of its label needs. */
const ABOVE = 8
/** Height of a mark, and the distance from one mark to the next, in pixels. */
const MARK = { height: 3, step: 4 } as const
/** Space below the axis in pixels, for a mark of each part. */
const MARKS = MARK.step * REQUEST_PARTS.length
/** Space below the axis in pixels, for the marks and for the labels of the periods. */
const LABELS = MARKS + 22
/** Number of steps of the vertical axis. */
const STEPS = 4
/** Height in pixels below which a part is hard to see, so that it gets a mark. */
const VISIBLE_HEIGHT = 2
type Part = keyof RequestSums

/** Parts with a pattern, because some people can't distinguish their colors from those of the neighboring parts. */
const PATTERNED: readonly Part[] = ['clientErrors', 'rejected']

/** Returns a round number that is at least `value` and divisible by `STEPS`, so that the axis has whole numbers. */
function niceTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  const found = [1, 2, 4, 6, 8, 10].map((step) => step * power).find((top) => top >= value && top % STEPS === 0)
  return found ?? STEPS * Math.ceil(value / STEPS)
}

/** Returns the names of the parts. `hasMarks`: whether parts have marks below the axis, which the legend explains. */
function legend({ display }: ChartOptions, hasMarks: boolean): Html {
  const keys = REQUEST_PARTS.map(
    (part) =>
      html`<li><svg width="12" height="12" aria-hidden="true" focusable="false"><defs>${
        isPatterned(part) ? pattern(part, 'legend') : NOTHING
      }</defs><rect class="part ${part}" width="12" height="12" rx="2"/>${
        isPatterned(part) ? html`<rect width="12" height="12" rx="2" fill="url(#legend-${part})"/>` : NOTHING
      }</svg>${display.texts.usage.parts[part]}</li>`,
  )
  const marks = hasMarks ? html`<p class="note">${display.texts.usage.chart.marks}</p>` : NOTHING
  return html`<figcaption><ul class="legend">${keys}</ul>${marks}</figcaption>`
}

function isPatterned(part: Part): boolean {
  return PATTERNED.includes(part)
}

/** Returns the pattern of a part: stripes for rejected requests, dots for wrong requests. */
function pattern(part: Part, id: string): Html {
  const shape =
    part === 'rejected'
      ? html`<rect class="stripe" width="1.6" height="4"/>`
      : html`<circle class="dot" cx="2" cy="2" r="1"/>`
  return html`<pattern id="${id}-${part}" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">${shape}</pattern>`
}

function axis(top: number, display: DisplayContext): Html {
  const steps = Array.from({ length: STEPS + 1 }, (_, at) => at)
  const labels = steps.map((at) => count((top / STEPS) * at, display))
  // A digit is about 7 pixels wide.
  const width = Math.max(...labels.map((label) => label.length)) * 7 + 4
  const texts = labels.map(
    (label, at) => html`<text x="100%" y="${yOf(at / STEPS) + 4}" text-anchor="end">${label}</text>`,
  )
  return html`<svg class="chart-axis" width="${width}" height="${HEIGHT + LABELS}" focusable="false" aria-hidden="true">${texts}</svg>`
}

function gridlines(): Html {
  const lines = Array.from({ length: STEPS + 1 }, (_, at) => yOf(at / STEPS))
  return html`${lines.map((y, at) => html`<line class="${at === 0 ? 'base' : 'grid'}" x1="0" x2="100%" y1="${y}" y2="${y}"/>`)}`
}

/**
 * Returns the distance from the top in pixels for a share from 0 to 1. It ends in a half, because a line of one pixel
 * is sharp only there.
 */
function yOf(share: number): number {
  return Math.round(HEIGHT - share * (HEIGHT - ABOVE)) - 0.5
}

/** Returns the column of a bar with its tooltip. The newest bar is in the tab order. */
function bar(options: ChartOptions, at: number, top: number): Html {
  const { unit, periods, display } = options
  const period = periods[at]
  if (period === undefined) return NOTHING
  const name = periodText(period.start, unit, display, 'long')
  const texts = REQUEST_PARTS.map((part) => display.texts.usage.counted[part](period[part]))
  const tabIndex = at === periods.length - 1 ? 0 : -1
  const values = REQUEST_PARTS.map((part, index) => html` <span class="tip-part ${part}">${texts[index]}</span>`)
  return html`<div class="bar${sideOf(at, periods.length)}" role="option" tabindex="${tabIndex}" aria-label="${`${name}: ${texts.join(', ')}`}">${shapes(period, top)}<span class="tip" aria-hidden="true"><strong>${name}</strong>${values}</span></div>
`
}

/**
 * Returns the class that aligns the tooltip of a bar in the first or last third. A centered tooltip would leave the
 * chart there.
 */
function sideOf(at: number, all: number): string {
  if (at < all / 3) return ' first'
  return at >= (all * 2) / 3 ? ' last' : ''
}

function shapes(period: UsagePeriod, top: number): Html {
  let below = 0
  const parts = REQUEST_PARTS.filter((part) => period[part] > 0).map((part) => {
    const height = heightOf(period[part], top)
    below += height
    const box = html`x="16%" y="${(HEIGHT - below).toFixed(2)}" width="68%" height="${height.toFixed(2)}"`
    const shape = html`<rect class="part ${part}" ${box}/>`
    return isPatterned(part) ? html`${shape}<rect ${box} fill="url(#bars-${part})"/>` : shape
  })
  if (parts.length === 0) return NOTHING
  const marks = lowParts(period, top).map(
    (part, at) =>
      html`<rect class="part mark ${part}" x="16%" y="${HEIGHT + 3 + at * MARK.step}" width="68%" height="${MARK.height}"/>`,
  )
  return html`<svg width="100%" height="${HEIGHT + MARKS}" focusable="false" aria-hidden="true">${parts}${marks}</svg>`
}

function heightOf(requests: number, top: number): number {
  return (requests / top) * (HEIGHT - ABOVE)
}

/** Returns the parts that are too low to see in the bar. */
function lowParts(period: UsagePeriod, top: number): Part[] {
  return REQUEST_PARTS.filter((part) => period[part] > 0 && heightOf(period[part], top) < VISIBLE_HEIGHT)
}

/** Returns the number of periods from one label to the next: 14 or 7 days, 6 hours, or 1 day. */
function labelStep(periods: number): number {
  if (periods > 60) return 14
  if (periods > 24) return 7
  return periods > 7 ? 6 : 1
}

/** Maximum number of labels on a phone. If there are more, a phone shows only every second one. */
const PHONE_LABELS_MAX = 5

/** Returns the labels of the horizontal axis. */
function periodLabels({ unit, periods, display }: ChartOptions): Html {
  const last = periods.length - 1
  const step = labelStep(periods.length)
  const isCrowded = periods.length / step > PHONE_LABELS_MAX
  const labels = periods.map(({ start }, at) => {
    if ((last - at) % step !== 0 || (at === 0 && step > 1)) return NOTHING
    const x = `${(((at + 0.5) * 100) / periods.length).toFixed(3)}%`
    const isMinor = isCrowded && ((last - at) / step) % 2 === 1
    return html`<text${isMinor ? html` class="minor"` : NOTHING} x="${x}" y="${HEIGHT + MARKS + 14}" text-anchor="middle">${periodText(start, unit, display, 'short')}</text>`
  })
  return html`${labels}`
}

/**
 * Returns the name of the chart for screen readers: the sum of each part, and the period with the most requests. Of
 * several such periods, names the oldest.
 */
function summary({ unit, periods, display }: ChartOptions): string {
  const { chart: texts } = display.texts.usage
  const sums = REQUEST_PARTS.map((part) => {
    const sum = periods.reduce((all, period) => all + period[part], 0)
    return display.texts.usage.counted[part](sum)
  })
  const fullest = periods.reduce<UsagePeriod | null>(
    (most, period) => (most && totalRequests(most) >= totalRequests(period) ? most : period),
    null,
  )
  const most =
    fullest && totalRequests(fullest) > 0
      ? texts.most(periodText(fullest.start, unit, display, 'long'), totalRequests(fullest))
      : ''
  return texts.summary[unit](periods.length, sums.join(', '), most)
}
