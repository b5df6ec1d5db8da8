// Requests by day as bars: answered below, refused and failed above, told apart by place and pattern besides colour.
// Drawn in percent across and pixels down, so that the letters keep their size at every width.

import type { RequestSums } from '../pages/models.ts'
import { count, dayText, languageOf, type Reader } from './dates.ts'
import { type Html, html, NOTHING } from './html.ts'

/** A day of the chart, `2026-11-21`. */
export type ChartDay = RequestSums & { readonly day: string }

/** The chart with its legend; the table of the same numbers is the page's part. */
export function requestsChart(days: readonly ChartDay[], reader: Reader): Html {
  const top = niceTop(Math.max(1, ...days.map(sumOf)))
  return html`<figure class="chart">
${legend()}
<div class="chart-plot" role="img" aria-label="${summary(days, reader)}">
${axis(top, reader)}
<svg class="chart-bars" width="100%" height="${HEIGHT + LABELS}" focusable="false" lang="${languageOf(reader)}">
<defs>${stripes('refused')}</defs>
${gridlines()}
${days.map((day, at) => bar({ day, at, all: days.length, top, reader }))}
${dayLabels(days, reader)}
</svg>
</div>
</figure>`
}

/** All requests of `sums`. */
export function sumOf(sums: RequestSums): number {
  return sums.answered + sums.refused + sums.failed
}

const HEIGHT = 200
/** Room above the highest line for half a letter. */
const ABOVE = 8
const LABELS = 24
const STEPS = 4
/** What is there is seen, be it one request among thousands. */
const PART_HEIGHT_MIN = 3
const PARTS = ['answered', 'refused', 'failed'] as const
const PART_WORDS = { answered: 'Answered', refused: 'Refused', failed: 'Failed' } as const

/** The first of 1, 2, 4, 5, 8 times a power of ten at or above `value` that four steps divide into whole numbers. */
function niceTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  const found = [1, 2, 4, 6, 8, 10].map((step) => step * power).find((top) => top >= value && top % STEPS === 0)
  return found ?? STEPS * Math.ceil(value / STEPS)
}

function legend(): Html {
  const keys = PARTS.map(
    (part) =>
      html`<li><svg width="12" height="12" aria-hidden="true" focusable="false"><defs>${
        part === 'refused' ? stripes('legend') : NOTHING
      }</defs><rect class="part ${part}" width="12" height="12" rx="2"/>${
        part === 'refused' ? html`<rect width="12" height="12" rx="2" fill="url(#stripes-legend)"/>` : NOTHING
      }</svg>${PART_WORDS[part]}</li>`,
  )
  return html`<figcaption><ul class="legend">${keys}</ul></figcaption>`
}

function stripes(id: string): Html {
  return html`<pattern id="stripes-${id}" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="stripe" width="1.6" height="4"/></pattern>`
}

function axis(top: number, reader: Reader): Html {
  const steps = Array.from({ length: STEPS + 1 }, (_, at) => at)
  const words = steps.map((at) => count((top / STEPS) * at, reader))
  const width = Math.max(...words.map((word) => word.length)) * 7 + 4
  const texts = words.map(
    (word, at) => html`<text x="100%" y="${yOf(at / STEPS) + 4}" text-anchor="end">${word}</text>`,
  )
  return html`<svg class="chart-axis" width="${width}" height="${HEIGHT + LABELS}" focusable="false" aria-hidden="true">${texts}</svg>`
}

function gridlines(): Html {
  const lines = Array.from({ length: STEPS + 1 }, (_, at) => yOf(at / STEPS))
  return html`${lines.map((y, at) => html`<line class="${at === 0 ? 'base' : 'grid'}" x1="0" x2="100%" y1="${y}" y2="${y}"/>`)}`
}

/** Pixels from above for a share from 0 to 1. */
function yOf(share: number): number {
  return Math.round(HEIGHT - share * (HEIGHT - ABOVE)) - 0.5
}

interface BarOptions {
  readonly day: ChartDay
  readonly at: number
  readonly all: number
  readonly top: number
  readonly reader: Reader
}

function bar({ day, at, all, top, reader }: BarOptions): Html {
  const step = 100 / all
  const x = `${(at * step + step * 0.16).toFixed(3)}%`
  const width = `${(step * 0.68).toFixed(3)}%`
  let below = 0
  const parts = PARTS.filter((part) => day[part] > 0).map((part) => {
    const height = Math.max(PART_HEIGHT_MIN, (day[part] / top) * (HEIGHT - ABOVE))
    below += height
    const box = html`x="${x}" y="${(HEIGHT - below).toFixed(1)}" width="${width}" height="${height.toFixed(1)}"`
    const shape = html`<rect class="part ${part}" ${box}/>`
    return part === 'refused' ? html`${shape}<rect ${box} fill="url(#stripes-refused)"/>` : shape
  })
  return html`<g class="day"><title>${dayWords(day, reader)}</title><rect class="day-room" x="${(at * step).toFixed(3)}%" y="0" width="${step.toFixed(3)}%" height="${HEIGHT}"/>${parts}</g>
`
}

function dayWords(day: ChartDay, reader: Reader): string {
  const parts = PARTS.map((part) => `${count(day[part], reader)} ${part}`)
  return `${dayText(day.day, reader, true)}: ${parts.join(', ')}`
}

function dayLabels(days: readonly ChartDay[], reader: Reader): Html {
  const last = days.length - 1
  const labels = days.map((day, at) => {
    if ((last - at) % 7 !== 0 || at === 0) return NOTHING
    const x = `${(((at + 0.5) * 100) / days.length).toFixed(3)}%`
    return html`<text x="${x}" y="${HEIGHT + 18}" text-anchor="middle">${dayText(day.day, reader)}</text>`
  })
  return html`${labels}`
}

function summary(days: readonly ChartDay[], reader: Reader): string {
  const sums = PARTS.map(
    (part) =>
      `${count(
        days.reduce((sum, day) => sum + day[part], 0),
        reader,
      )} ${part}`,
  )
  const fullest = days.reduce<ChartDay | null>((most, day) => (most && sumOf(most) >= sumOf(day) ? most : day), null)
  const most =
    fullest && sumOf(fullest) > 0
      ? ` Most on ${dayText(fullest.day, reader, true)}: ${count(sumOf(fullest), reader)}.`
      : ''
  return `Requests of ${days.length} days: ${sums.join(', ')}.${most} The table below has each day.`
}
