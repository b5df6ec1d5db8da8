import { describe, expect, test } from 'vitest'
import { periodStarts, type UsageRange, usageRangeOf } from './usage-ranges.ts'

const HOUR_MS = 3_600_000

const startsOf = (range: UsageRange, timeZone: string, now: string) =>
  periodStarts(range, { timeZone, now: new Date(now) }).map((start) => start.toISOString().slice(0, 16))

/** Returns the hours from each start to the next. */
function lengths(range: UsageRange, timeZone: string, now: string): number[] {
  const starts = periodStarts(range, { timeZone, now: new Date(now) })
  return starts.slice(1).map((start, at) => (start.getTime() - (starts[at]?.getTime() ?? 0)) / HOUR_MS)
}

describe('ranges of the usage charts', () => {
  test.each([
    ['24h', 24],
    ['7d', 7],
    ['30d', 30],
    ['90d', 90],
  ] as const)(
    'if the range is %s, the usage chart has %i periods, and the last period contains the current time',
    (range, count) => {
      const now = new Date('2026-11-21T12:34:00Z')
      const starts = periodStarts(range, { timeZone: 'Pacific/Auckland', now })
      expect(new Set(starts.map(Number)).size).toBe(count)
      expect(starts).toEqual(starts.toSorted((one, other) => one.getTime() - other.getTime()))
      expect(starts.at(-1)?.toISOString()).toBe(
        range === '24h' ? '2026-11-21T12:00:00.000Z' : '2026-11-21T11:00:00.000Z',
      )
    },
  )

  test('if the URL of the Usage page has no range or an unknown range, the page shows 30 days', () => {
    expect(['7d', '', '31d', undefined].map(usageRangeOf)).toEqual(['7d', '30d', '30d', '30d'])
  })

  test('if the periods of a usage chart are days, each day starts at midnight in the time zone of the store', () => {
    const days = (timeZone: string) => startsOf('7d', timeZone, '2026-03-10T22:30:00Z').slice(-2)
    expect(days('UTC')).toEqual(['2026-03-09T00:00', '2026-03-10T00:00'])
    expect(days('Europe/Berlin')).toEqual(['2026-03-08T23:00', '2026-03-09T23:00'])
    expect(days('Pacific/Auckland')).toEqual(['2026-03-09T11:00', '2026-03-10T11:00'])
  })

  test("if the store's UTC offset is not in whole hours, a day in a usage chart starts with the first full UTC hour after midnight", () => {
    expect(startsOf('7d', 'Asia/Kolkata', '2026-03-10T12:00:00Z').at(-1)).toBe('2026-03-09T19:00')
  })

  test('if the clocks change, the day of the change in a usage chart has 23 or 25 hours, and each other day has 24 hours', () => {
    expect(lengths('7d', 'Europe/Berlin', '2026-03-31T12:00:00Z')).toEqual([24, 24, 24, 24, 23, 24])
    expect(lengths('7d', 'Europe/Berlin', '2026-10-27T12:00:00Z')).toEqual([24, 24, 24, 24, 25, 24])
    const quarter = lengths('90d', 'America/New_York', '2026-04-20T12:00:00Z')
    expect(quarter.filter((hours) => hours !== 24)).toEqual([23])
    expect(lengths('24h', 'Europe/Berlin', '2026-10-25T12:00:00Z').every((hours) => hours === 1)).toBe(true)
  })

  test('if the clocks go forward from 00:00 to 01:00, that day starts at 01:00 in a usage chart', () => {
    // In Cairo, the clocks go forward from 00:00 to 01:00 on Friday 24 April 2026.
    expect(startsOf('7d', 'Africa/Cairo', '2026-04-24T12:00:00Z').at(-1)).toBe('2026-04-23T22:00')
  })
})
