import { expect, test } from 'vitest'
import { localizationIn } from '../texts/languages.ts'
import { requestsChart } from './chart.ts'

const store = { id: 'a', name: 'A', status: 'ready', role: 'admin', timeZone: 'Europe/Berlin' } as const
const display = { ...localizationIn('en'), now: new Date('2026-11-21T12:00:00Z'), store }
const NONE = { successful: 0, clientErrors: 0, rejected: 0, failed: 0 }
const TODAY = new Date('2026-11-20T23:00:00Z')

const dayChart = (periods: Parameters<typeof requestsChart>[0]['periods']) =>
  String(requestsChart({ unit: 'day', periods, display }))

test('if a day has requests, its bar has a label and a tooltip with the numbers, and the usage chart has the totals', () => {
  const out = dayChart([
    { start: new Date('2026-11-19T23:00:00Z'), ...NONE },
    { start: TODAY, successful: 1200, clientErrors: 1, rejected: 1, failed: 2 },
  ])
  expect(out).toContain('aria-label="Saturday 21 November: 1,200 successful, 1 client error, 1 rejected, 2 failed"')
  expect(out).toContain(
    '<strong>Saturday 21 November</strong> <span class="tip-part successful">1,200 successful</span> <span class="tip-part clientErrors">1 client error</span>',
  )
  expect(out).toContain(
    'aria-label="Requests of 2 days: 1,200 successful, 1 client error, 1 rejected, 2 failed. Most on Saturday 21 November: 1,204. The table below has each day."',
  )
})

test('if the usage chart has 90 bars, only the newest bar is in the tab order', () => {
  const periods = Array.from({ length: 90 }, (_, at) => ({ start: new Date(at * 86_400_000), ...NONE }))
  expect([...dayChart(periods).matchAll(/tabindex="(-?\d)"/g)].map(([, index]) => index)).toEqual([
    ...Array.from({ length: 89 }, () => '-1'),
    '0',
  ])
})

test('if the clocks go back, the usage chart adds the UTC offset to the two hours with the same local time', () => {
  const periods = [-1, 0, 1, 2].map((hour) => ({ start: new Date(Date.UTC(2026, 9, 25, hour)), ...NONE }))
  const out = String(requestsChart({ unit: 'hour', periods, display }))
  expect([...out.matchAll(/<strong>([^<]+)</g)].map(([, name]) => name)).toEqual([
    'Sunday 25 October at 01:00',
    'Sunday 25 October at 02:00 GMT+2',
    'Sunday 25 October at 02:00 GMT+1',
    'Sunday 25 October at 03:00',
  ])
})

test('if 90,000 requests succeeded and one was rejected, the bar of the rejected request is still 3 pixels high', () => {
  const out = dayChart([{ start: TODAY, ...NONE, successful: 90_000, rejected: 1 }])
  expect(out).toMatch(/class="part rejected" x="[\d.]+%" y="[\d.]+" width="[\d.]+%" height="3.0"/)
})

test('the axis of the usage chart has five whole numbers, the last of which is at least the requests of the busiest day', () => {
  for (const successful of [0, 1, 3, 5, 7, 119, 120, 4_999, 1_000_001]) {
    const out = dayChart([{ start: TODAY, ...NONE, successful }])
    const steps = [...out.matchAll(/text-anchor="end">([\d,]+)</g)].map(([, text]) => Number(text?.replaceAll(',', '')))
    expect(steps).toHaveLength(5)
    expect(steps.every(Number.isInteger)).toBe(true)
    expect(steps.at(-1)).toBeGreaterThanOrEqual(successful)
  }
})
