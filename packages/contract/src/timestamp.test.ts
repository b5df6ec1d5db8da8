import { describe, expect, test } from 'vitest'
import { hasSpaceForPlus, parseDatetime } from './timestamp.ts'

/** Microseconds since 2000, parsed by `Date`, so without the digits after the milliseconds. */
const micros = (iso: string): bigint => BigInt(Date.parse(iso) - Date.UTC(2000, 0, 1)) * 1000n

describe('[R12] valid datetimes', () => {
  test.each([
    ['2000-01-01T00:00:00Z', 0n],
    ['1999-12-31T23:59:59Z', -1_000_000n],
    ['2026-07-08T10:20:30Z', micros('2026-07-08T10:20:30Z')],
    ['2026-07-08t10:20:30z', micros('2026-07-08T10:20:30Z')],
    ['2026-07-08T10:20:30.5Z', micros('2026-07-08T10:20:30.500Z')],
    ['2026-07-08T10:20:30.123456Z', micros('2026-07-08T10:20:30.123Z') + 456n],
    ['2026-07-08T12:20:30+02:00', micros('2026-07-08T10:20:30Z')],
    ['2026-07-08T04:50:30-05:30', micros('2026-07-08T10:20:30Z')],
    ['2026-07-08T10:20:30-00:00', micros('2026-07-08T10:20:30Z')],
    ['2026-07-08T23:59:59+23:59', micros('2026-07-08T00:00:59Z')],
    ['2026-07-08T00:00:00-23:59', micros('2026-07-08T23:59:00Z')],
    ['2024-02-29T00:00:00Z', micros('2024-02-29T00:00:00Z')],
    ['2000-02-29T00:00:00Z', micros('2000-02-29T00:00:00Z')],
    ['0004-02-29T00:00:00Z', micros('0004-02-29T00:00:00Z')],
    ['0001-01-01T00:00:00Z', micros('0001-01-01T00:00:00Z')],
    ['0099-12-31T23:59:59Z', micros('0099-12-31T23:59:59Z')],
    ['9999-12-31T23:59:59.999999Z', micros('9999-12-31T23:59:59.999Z') + 999n],
  ])('if the datetime is %s, parseDatetime returns %s microseconds since 2000', (text, expected) => {
    expect(parseDatetime(text)).toBe(expected)
  })

  test('if a datetime has nanoseconds, parseDatetime rounds it up to the next microsecond', () => {
    expect(parseDatetime('2000-01-01T00:00:00.000000001Z')).toBe(1n)
    expect(parseDatetime('2000-01-01T00:00:00.000001000Z')).toBe(1n)
    expect(parseDatetime('2000-01-01T00:00:00.000001001Z')).toBe(2n)
    expect(parseDatetime('1999-12-31T23:59:59.999999999Z')).toBe(0n)
  })
})

describe('[R12] invalid datetimes', () => {
  test.each([
    '',
    'now',
    'infinity',
    '-infinity',
    '2026',
    '2026-07-08',
    '2026-07-08T10:20Z',
    '2026-07-08T10:20:30',
    '2026-07-08 10:20:30Z',
    '2026-07-08T10:20:30.Z',
    '2026-07-08T10:20:30.1234567890Z',
    '2026-07-08T10:20:30,5Z',
    '2026-07-08T10:20:30+0200',
    '2026-07-08T10:20:30+02',
    '2026-07-08T10:20:30+24:00',
    '2026-07-08T10:20:30-24:00',
    '2026-07-08T10:20:30+02:60',
    '2026-07-08T10:20:30 02:00',
    '2026-07-08T10:20:30\u221202:00',
    '2026-07-08T24:00:00Z',
    '2026-07-08T10:60:00Z',
    '2026-07-08T10:20:60Z',
    '2016-12-31T23:59:60Z',
    '2023-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-13-10T00:00:00Z',
    '2026-07-00T00:00:00Z',
    '2026-07-32T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '10000-01-01T00:00:00Z',
    '+002026-07-08T00:00:00Z',
    '-0001-01-01T00:00:00Z',
    '２０２６-07-08T00:00:00Z',
    ' 2026-07-08T00:00:00Z',
    '2026-07-08T00:00:00Z ',
    '2026-07-08T00:00:00Z\n',
    "2026-07-08T00:00:00Z'; drop table orders; --",
    '1783000000',
  ])('if the datetime is the invalid value %j, parseDatetime returns null', (text) => {
    expect(parseDatetime(text)).toBeNull()
  })
})

test('[R12] hasSpaceForPlus returns true only if a datetime has a space in place of the + sign of its offset', () => {
  expect(hasSpaceForPlus('2026-07-08T10:20:30 02:00')).toBe(true)
  expect(hasSpaceForPlus('2026-07-08T10:20:30.123 02:00')).toBe(true)
  expect(hasSpaceForPlus('2026-07-08 10:20:30Z')).toBe(false)
  expect(hasSpaceForPlus('2026-07-08T10:20:30-02:00')).toBe(false)
})
