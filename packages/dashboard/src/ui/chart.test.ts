import { expect, test } from 'vitest'
import { requestsChart } from './chart.ts'

const display = { locale: 'en-GB', now: new Date('2026-11-21T12:00:00Z'), store: null }
const NONE = { answered: 0, clientErrors: 0, refused: 0, failed: 0 }

test('each day has a title with its numbers; the chart has a label with the sums and the busiest day', () => {
  const days = [
    { day: '2026-11-20', ...NONE },
    { day: '2026-11-21', answered: 1200, clientErrors: 1, refused: 1, failed: 2 },
  ]
  const out = String(requestsChart(days, display))
  expect(out).toContain('<title>Saturday 21 November: 1,200 successful, 1 client error, 1 rejected, 2 failed</title>')
  expect(out).toContain(
    'aria-label="Requests of 2 days: 1,200 successful, 1 client error, 1 rejected, 2 failed. Most on Saturday 21 November',
  )
})

test('one rejected request among thousands is visible', () => {
  const out = String(requestsChart([{ day: '2026-11-21', ...NONE, answered: 90_000, refused: 1 }], display))
  expect(out).toMatch(/class="part refused" x="[\d.]+%" y="[\d.]+" width="[\d.]+%" height="3.0"/)
})

test('the axis has whole numbers and reaches the busiest day', () => {
  for (const answered of [0, 1, 3, 5, 7, 119, 120, 4_999, 1_000_001]) {
    const out = String(requestsChart([{ day: '2026-11-21', ...NONE, answered }], display))
    const steps = [...out.matchAll(/text-anchor="end">([\d,]+)</g)].map(([, text]) => Number(text?.replaceAll(',', '')))
    expect(steps).toHaveLength(5)
    expect(steps.every(Number.isInteger)).toBe(true)
    expect(steps.at(-1)).toBeGreaterThanOrEqual(answered)
  }
})
