import { expect, test } from 'vitest'
import { localizationIn } from '../texts/languages.ts'
import { requestsChart } from './chart.ts'

const store = { id: 'a', name: 'A', status: 'ready', role: 'admin', timeZone: 'Europe/Berlin' } as const
const display = { ...localizationIn('en'), now: new Date('2026-11-21T12:00:00Z'), store }
const NONE = { successful: 0, clientErrors: 0, rejected: 0, failed: 0 }
const TODAY = new Date('2026-11-20T23:00:00Z')

const dayChart = (periods: Parameters<typeof requestsChart>[0]['periods']) =>
  String(requestsChart({ unit: 'day', periods, display }))

test("in the usage chart, a day's bar has a label and a tooltip with its request counts, and the chart's label has the totals", () => {
  const out = dayChart([
    { start: new Date('2026-11-19T23:00:00Z'), ...NONE },
    { start: TODAY, successful: 1200, clientErrors: 1, rejected: 1, failed: 2 },
  ])
  expect(out).toContain(
    'aria-label="Saturday 21 November: 1,200 successful, 1 wrong request, 1 over the limit, 2 failed"',
  )
  expect(out).toContain(
    '<strong>Saturday 21 November</strong> <span class="tip-part successful">1,200 successful</span> <span class="tip-part clientErrors">1 wrong request</span>',
  )
  expect(out).toContain(
    'aria-label="Requests of 2 days: 1,200 successful, 1 wrong request, 1 over the limit, 2 failed. Most on Saturday 21 November: 1,204. The table below has each day."',
  )
})

test('if the usage chart has 90 bars, the Tab key reaches only the newest bar', () => {
  const periods = Array.from({ length: 90 }, (_, at) => ({ start: new Date(at * 86_400_000), ...NONE }))
  expect([...dayChart(periods).matchAll(/tabindex="(-?\d)"/g)].map(([, index]) => index)).toEqual([
    ...Array.from({ length: 89 }, () => '-1'),
    '0',
  ])
})

test('if the clocks go back, the usage chart adds the UTC offset to the labels of the two hours with the same local time', () => {
  const periods = [-1, 0, 1, 2].map((hour) => ({ start: new Date(Date.UTC(2026, 9, 25, hour)), ...NONE }))
  const out = String(requestsChart({ unit: 'hour', periods, display }))
  expect([...out.matchAll(/<strong>([^<]+)</g)].map(([, name]) => name)).toEqual([
    'Sunday 25 October at 01:00',
    'Sunday 25 October at 02:00 GMT+2',
    'Sunday 25 October at 02:00 GMT+1',
    'Sunday 25 October at 03:00',
  ])
})

/** Returns the heights of the parts of a bar and the colors of its marks. */
function drawn(out: string) {
  const shapes = [
    ...out.matchAll(/<rect class="part (mark )?(\w+)" x="[\d.]+%" y="[\d.]+" width="[\d.]+%" height="([\d.]+)"/g),
  ]
  return {
    heights: Object.fromEntries(shapes.flatMap(([, mark, part, height]) => (mark ? [] : [[part, Number(height)]]))),
    marks: shapes.flatMap(([, mark, part]) => (mark ? [part] : [])),
  }
}

test('in the usage chart, the height of each bar part is proportional to its requests, even if the part is too low to see', () => {
  const half = drawn(dayChart([{ start: TODAY, successful: 500, clientErrors: 250, rejected: 125, failed: 125 }]))
  expect(half).toEqual({ heights: { successful: 96, clientErrors: 48, rejected: 24, failed: 24 }, marks: [] })
  const { heights } = drawn(dayChart([{ start: TODAY, ...NONE, successful: 99_997, rejected: 1, failed: 2 }]))
  expect(heights.successful).toBeCloseTo(192, 1)
  expect(heights.rejected).toBe(0)
})

test('if a part of a usage bar is too low to see, the chart draws a mark below the axis and explains the mark', () => {
  const low = dayChart([{ start: TODAY, ...NONE, successful: 90_000, rejected: 1, failed: 2 }])
  expect(drawn(low).marks).toEqual(['rejected', 'failed'])
  expect(low).toContain('A mark below the axis')
  expect(dayChart([{ start: TODAY, ...NONE, successful: 9, failed: 1 }])).not.toContain('A mark below the axis')
})

test('the axis of the usage chart has five whole numbers and reaches at least the request count of the busiest day', () => {
  for (const successful of [1, 3, 5, 7, 119, 120, 4_999, 1_000_001]) {
    const out = dayChart([{ start: TODAY, ...NONE, successful }])
    const steps = [...out.matchAll(/text-anchor="end">([\d,]+)</g)].map(([, text]) => Number(text?.replaceAll(',', '')))
    expect(steps).toHaveLength(5)
    expect(steps.every(Number.isInteger)).toBe(true)
    expect(steps.at(-1)).toBeGreaterThanOrEqual(successful)
  }
})
