import { expect, test } from 'vitest'
import { sumsByKey, sumsByPeriod, sumsIn24Hours } from './summaries.ts'

type More = {
  readonly successful?: number
  readonly clientErrors?: number
  readonly rejected?: number
  readonly peakMinute?: number
}

const hourOf = (keyId: string, hour: string, more: More) => {
  return { keyId, hour: new Date(hour), successful: 0, clientErrors: 0, rejected: 0, failed: 0, peakMinute: 1, ...more }
}

test('sumsByPeriod returns zeros for periods without requests, and sumsByKey adds up all periods of each key', () => {
  const none = { successful: 0, clientErrors: 0, rejected: 0, failed: 0 }
  const sums = [
    { ...none, keyId: 'a', period: 0, successful: 70 },
    { ...none, keyId: 'a', period: 2, successful: 2, failed: 1 },
    { ...none, keyId: 'b', period: 2, successful: 4 },
  ]
  const starts = [8, 9, 10].map((day) => new Date(Date.UTC(2026, 2, day)))
  expect(sumsByPeriod(sums, starts)).toEqual([
    { ...none, start: starts[0], successful: 70 },
    { ...none, start: starts[1] },
    { ...none, start: starts[2], successful: 6, failed: 1 },
  ])
  expect(sumsByKey(sums)).toEqual(
    new Map([
      ['a', { ...none, successful: 72, failed: 1 }],
      ['b', { ...none, successful: 4 }],
    ]),
  )
})

test('if the time is 05:59, sumsIn24Hours counts the requests of each key since 05:00 on the day before', () => {
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
