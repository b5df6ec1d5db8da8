import { expect, test } from 'vitest'
import { requestsChart } from './chart.ts'

const display = { locale: 'en-GB', now: new Date('2026-11-21T12:00:00Z'), store: null }
const NONE = { successful: 0, clientErrors: 0, rejected: 0, failed: 0 }

test('each day of the usage chart has a tooltip with its numbers, and the chart has a label with the totals', () => {
  const days = [
    { day: '2026-11-20', ...NONE },
    { day: '2026-11-21', successful: 1200, clientErrors: 1, rejected: 1, failed: 2 },
  ]
  const out = String(requestsChart(days, display))
  expect(out).toContain('<title>Saturday 21 November: 1,200 successful, 1 client error, 1 rejected, 2 failed</title>')
  expect(out).toContain(
    'aria-label="Requests of 2 days: 1,200 successful, 1 client error, 1 rejected, 2 failed. Most on Saturday 21 November',
  )
})

test('if one of 90,000 requests was rejected, the usage chart still shows a visible bar for it', () => {
  const out = String(requestsChart([{ day: '2026-11-21', ...NONE, successful: 90_000, rejected: 1 }], display))
  expect(out).toMatch(/class="part rejected" x="[\d.]+%" y="[\d.]+" width="[\d.]+%" height="3.0"/)
})

test('the axis of the usage chart has whole numbers and reaches at least the busiest day', () => {
  for (const successful of [0, 1, 3, 5, 7, 119, 120, 4_999, 1_000_001]) {
    const out = String(requestsChart([{ day: '2026-11-21', ...NONE, successful }], display))
    const steps = [...out.matchAll(/text-anchor="end">([\d,]+)</g)].map(([, text]) => Number(text?.replaceAll(',', '')))
    expect(steps).toHaveLength(5)
    expect(steps.every(Number.isInteger)).toBe(true)
    expect(steps.at(-1)).toBeGreaterThanOrEqual(successful)
  }
})
