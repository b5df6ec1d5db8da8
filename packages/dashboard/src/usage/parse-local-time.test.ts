import { expect, test } from 'vitest'
import { parseLocalDay, parseLocalTime } from './parse-local-time.ts'

test.each([
  ['2026-11-21T03:00', 'UTC', '2026-11-21T03:00:00.000Z'],
  ['2026-11-21T03:00', 'Europe/Berlin', '2026-11-21T02:00:00.000Z'],
  ['2026-07-01T00:30', 'America/New_York', '2026-07-01T04:30:00.000Z'],
  ['2026-07-01T00:30', 'Asia/Kolkata', '2026-06-30T19:00:00.000Z'],
  // Daylight saving time starts at 01:00 UTC on 29 March and ends on 25 October.
  ['2026-03-29T03:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
  ['2026-10-25T03:00', 'Europe/Berlin', '2026-10-25T02:00:00.000Z'],
])('parseLocalTime("%s", "%s") returns %s', (text, timeZone, expected) => {
  expect(parseLocalTime(text, timeZone)?.toISOString()).toBe(expected)
})

test.each([
  ...['', 'three', '2026-11-21', '2026-13-01T00:00', '2026-11-21T03:00Z'],
  ...['2027-02-30T00:00', '0000-01-01T00:00', '9999-12-31T23:59'],
])('if the local time is the invalid value %j, parseLocalTime returns null', (text) => {
  expect(parseLocalTime(text, 'Asia/Tokyo')).toBeNull()
})

test.each([
  ['2026-11-21', 'UTC', '2026-11-21T00:00:00.000Z', '2026-11-22T00:00:00.000Z'],
  ['2026-12-31', 'America/New_York', '2026-12-31T05:00:00.000Z', '2027-01-01T05:00:00.000Z'],
  ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
])('parseLocalDay("%s", "%s") returns the start %s and the end %s', (text, timeZone, start, end) => {
  expect(parseLocalDay(text, timeZone)).toEqual({ start: new Date(start), end: new Date(end) })
})

test.each(['', '2026-02-30', '0000-01-01', '9999-12-31', '2026-11-21T00:00', '21.11.2026'])(
  'if a day is the invalid value %j, parseLocalDay returns null',
  (text) => {
    expect(parseLocalDay(text, 'UTC')).toBeNull()
  },
)
