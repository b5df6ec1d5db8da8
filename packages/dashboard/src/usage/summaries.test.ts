import { describe, expect, test } from 'vitest'
import { hoursOfDays, sumsByDay, sumsByKey, sumsIn24Hours } from './summaries.ts'

type More = {
  readonly successful?: number
  readonly clientErrors?: number
  readonly rejected?: number
  readonly peakMinute?: number
}

const hourOf = (keyId: string, hour: string, more: More) => {
  return { keyId, hour: new Date(hour), successful: 0, clientErrors: 0, rejected: 0, failed: 0, peakMinute: 1, ...more }
}

describe('requests by day', () => {
  test('if requests are summed by day in three time zones, days without requests are included, and today is last', () => {
    const hours = [
      hourOf('a', '2026-03-09T22:00:00Z', { successful: 1 }),
      hourOf('a', '2026-03-09T23:00:00Z', { successful: 2 }),
      hourOf('b', '2026-03-10T22:00:00Z', { successful: 4 }),
    ]
    const now = new Date('2026-03-10T22:30:00Z')
    const days = (timeZone: string) =>
      sumsByDay({ hours, timeZone, now }, 3).map(({ day, successful }) => `${day} ${successful}`)
    expect(days('UTC')).toEqual(['2026-03-08 0', '2026-03-09 3', '2026-03-10 4'])
    expect(days('Europe/Berlin')).toEqual(['2026-03-08 0', '2026-03-09 1', '2026-03-10 6'])
    expect(days('Pacific/Auckland')).toEqual(['2026-03-09 0', '2026-03-10 3', '2026-03-11 4'])
  })

  test('if daylight saving time changes, the sums by day still have 30 different days', () => {
    const now = new Date('2026-03-30T12:00:00Z')
    const days = sumsByDay({ hours: [], timeZone: 'Europe/Berlin', now }, 30).map(({ day }) => day)
    expect(new Set(days).size).toBe(30)
    expect(days[0]).toBe('2026-03-01')
    expect(days.at(-1)).toBe('2026-03-30')
  })
})

test('if requests are summed by key and by day, both sums have the same total', () => {
  const hours = [
    hourOf('a', '2026-03-07T22:59:00Z', { successful: 70 }),
    hourOf('a', '2026-03-07T23:00:00Z', { successful: 2 }),
    hourOf('b', '2026-03-10T05:00:00Z', { successful: 4 }),
  ]
  const usage = { hours, timeZone: 'Europe/Berlin', now: new Date('2026-03-10T06:00:00Z') }
  const ofDays = hoursOfDays(usage, 3)
  const all = (sums: Iterable<{ readonly successful: number }>) =>
    [...sums].reduce((sum, each) => sum + each.successful, 0)
  expect(all(sumsByKey(ofDays).values())).toBe(all(sumsByDay(usage, 3)))
  expect(all(sumsByDay(usage, 3))).toBe(6)
})

test('if requests of the last 24 hours are summed, the sum begins with the same hour of the day before', () => {
  const hours = [
    hourOf('a', '2026-03-01T00:00:00Z', { successful: 1, rejected: 5 }),
    hourOf('a', '2026-03-09T05:00:00Z', { successful: 2, clientErrors: 1, rejected: 1 }),
    hourOf('b', '2026-03-10T05:00:00Z', { successful: 4 }),
  ]
  const now = new Date('2026-03-10T05:59:00Z')
  expect(sumsByKey(hours).get('a')).toEqual({ successful: 3, clientErrors: 1, rejected: 6, failed: 0 })
  expect(sumsIn24Hours({ hours, now })).toEqual(
    new Map([
      ['a', { successful: 2, clientErrors: 1, rejected: 1, failed: 0 }],
      ['b', { successful: 4, clientErrors: 0, rejected: 0, failed: 0 }],
    ]),
  )
})
