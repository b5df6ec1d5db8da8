import { describe, expect, test } from 'vitest'
import { parseDuration, parseTimestamp, TIMER_MS_MAX } from './parse-time.ts'

describe('durations and timestamps in options', () => {
  test.each([
    ['90s', 90_000],
    ['15m', 900_000],
    ['2h', 7_200_000],
    ['24d', TIMER_MS_MAX],
    ['25d', null],
    ['0s', 0],
    ['-1m', null],
    ['1.5h', null],
    ['15', null],
    ['', null],
  ])('parseDuration(%j) returns %j (milliseconds, or null if invalid)', (text, ms) => {
    expect(parseDuration(text, TIMER_MS_MAX)).toBe(ms)
  })

  const NOW = Date.parse('2026-03-31T12:00:00Z')

  test.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T08:00:00Z', '2026-01-31T08:00:00.000Z'],
    ['2026-01-31T08:00+02:00', '2026-01-31T06:00:00.000Z'],
    ['30d', '2026-03-01T12:00:00.000Z'],
    ['2026-02-30', null],
    ['2026-01-31T08:00:00', null],
    ['31.01.2026', null],
    ['yesterday', null],
    ['2026-13-01', null],
    ['0000-01-01', null],
    ['2026-04-01', null],
  ])('parseTimestamp(%j) returns %j (null if invalid or in the future)', (text, timestamp) => {
    expect(parseTimestamp(text, NOW)?.toISOString() ?? null).toBe(timestamp)
  })
})
