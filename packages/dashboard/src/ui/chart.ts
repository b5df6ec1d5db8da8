// Draws requests per day as stacked bars. Color, position and pattern distinguish the parts. Widths are percentages and
// heights are pixels, so that text has the same size at every width.

import type { RequestSums } from '../pages/key-models.ts'
import { REQUEST_PARTS, totalRequests } from '../usage/summaries.ts'
import { count, type DisplayContext, dayText, languageOf, quantity } from './dates.ts'
import { type Html, html, NOTHING } from './html.ts'

/** The requests of one day, such as `2026-11-21`. */
export type ChartDay = RequestSums & { readonly day: string }

/** Returns the chart with its legend. The page adds a table of the same numbers. */
export function requestsChart(days: readonly ChartDay[], display: DisplayContext): Html {
  const top = niceTop(Math.max(1, ...days.map(totalRequests)))
  return html`<figure class="chart">
${legend()}
<div class="chart-plot" role="img" aria-label="${summary(days, display)}">
${axis(top, display)}
<svg class="chart-bars" width="100%" height="${HEIGHT + LABELS}" focusable="false" lang="${languageOf(display)}">
<defs>${PATTERNED.map((part) => pattern(part, 'bars'))}</defs>
${gridlines()}
${days.map((day, at) => bar({ day, at, all: days.length, top, display }))}
${dayLabels(days, display)}
</svg>
</div>
</figure>`
}

const HEIGHT = 200
/** Space above the highest line in pixels, which the upper half of its label needs. */
const ABOVE = 8
const LABELS = 24
const STEPS = 4
/** Minimum height of a part in pixels, so that one request among thousands is visible. */
const PART_HEIGHT_MIN = 3
type Part = keyof RequestSums

/** Names of the parts, for the legend and the tables. */
export const PART_LABELS = {
  successful: 'Successful',
  clientErrors: 'Client errors',
  rejected: 'Rejected',
  failed: 'Failed',
} as const satisfies Record<Part, string>

/** Parts with a pattern, because some people can't distinguish their colors from those of the neighboring parts. */
const PATTERNED: readonly Part[] = ['clientErrors', 'rejected']

/** Returns a round number that is at least `value`. It is divisible by four, so that the axis has whole numbers. */
function niceTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  const found = [1, 2, 4, 6, 8, 10].map((step) => step * power).find((top) => top >= value && top % STEPS === 0)
  return found ?? STEPS * Math.ceil(value / STEPS)
}

function legend(): Html {
  const keys = REQUEST_PARTS.map(
    (part) =>
      html`<li><svg width="12" height="12" aria-hidden="true" focusable="false"><defs>${
        isPatterned(part) ? pattern(part, 'legend') : NOTHING
      }</defs><rect class="part ${part}" width="12" height="12" rx="2"/>${
        isPatterned(part) ? html`<rect width="12" height="12" rx="2" fill="url(#legend-${part})"/>` : NOTHING
      }</svg>${PART_LABELS[part]}</li>`,
  )
  return html`<figcaption><ul class="legend">${keys}</ul></figcaption>`
}

function isPatterned(part: Part): boolean {
  return PATTERNED.includes(part)
}

/** Returns the pattern of a part: stripes for rejected requests, dots for client errors. */
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

/** Returns the distance from the top in pixels for a share from 0 to 1. */
function yOf(share: number): number {
  return Math.round(HEIGHT - share * (HEIGHT - ABOVE)) - 0.5
}

interface BarOptions {
  readonly day: ChartDay
  readonly at: number
  readonly all: number
  readonly top: number
  readonly display: DisplayContext
}

function bar({ day, at, all, top, display }: BarOptions): Html {
  const step = 100 / all
  const x = `${(at * step + step * 0.16).toFixed(3)}%`
  const width = `${(step * 0.68).toFixed(3)}%`
  let below = 0
  const parts = REQUEST_PARTS.filter((part) => day[part] > 0).map((part) => {
    const height = Math.max(PART_HEIGHT_MIN, (day[part] / top) * (HEIGHT - ABOVE))
    below += height
    const box = html`x="${x}" y="${(HEIGHT - below).toFixed(1)}" width="${width}" height="${height.toFixed(1)}"`
    const shape = html`<rect class="part ${part}" ${box}/>`
    return isPatterned(part) ? html`${shape}<rect ${box} fill="url(#bars-${part})"/>` : shape
  })
  return html`<g class="day"><title>${dayTitle(day, display)}</title><rect class="day-room" x="${(at * step).toFixed(3)}%" y="0" width="${step.toFixed(3)}%" height="${HEIGHT}"/>${parts}</g>
`
}

/** Returns text such as "1,200 successful" or "1 client error". */
function partText(part: Part, value: number, display: DisplayContext): string {
  if (part === 'clientErrors') return quantity(value, 'client error', display)
  return `${count(value, display)} ${PART_LABELS[part].toLowerCase()}`
}

function dayTitle(day: ChartDay, display: DisplayContext): string {
  const parts = REQUEST_PARTS.map((part) => partText(part, day[part], display))
  return `${dayText(day.day, display, true)}: ${parts.join(', ')}`
}

function dayLabels(days: readonly ChartDay[], display: DisplayContext): Html {
  const last = days.length - 1
  const labels = days.map((day, at) => {
    if ((last - at) % 7 !== 0 || at === 0) return NOTHING
    const x = `${(((at + 0.5) * 100) / days.length).toFixed(3)}%`
    return html`<text x="${x}" y="${HEIGHT + 18}" text-anchor="middle">${dayText(day.day, display)}</text>`
  })
  return html`${labels}`
}

function summary(days: readonly ChartDay[], display: DisplayContext): string {
  const sums = REQUEST_PARTS.map((part) => {
    const sum = days.reduce((all, day) => all + day[part], 0)
    return partText(part, sum, display)
  })
  const fullest = days.reduce<ChartDay | null>(
    (most, day) => (most && totalRequests(most) >= totalRequests(day) ? most : day),
    null,
  )
  const most =
    fullest && totalRequests(fullest) > 0
      ? ` Most on ${dayText(fullest.day, display, true)}: ${count(totalRequests(fullest), display)}.`
      : ''
  return `Requests of ${days.length} days: ${sums.join(', ')}.${most} The table below has each day.`
}
