import { expect, test } from 'vitest'
import { count, dayText, exactTime, relativeTime } from './dates.ts'

const NOW = new Date('2026-11-21T15:04:20Z')
const store = { id: 's', name: 'S', status: 'ready', role: 'admin', timeZone: 'Europe/Berlin' } as const
const display = { locale: 'en-GB', now: NOW, store }

test(`if a time is three minutes ago, the page shows "3 minutes ago" and a tooltip with the time in the store's time zone`, () => {
  const text = String(relativeTime(new Date('2026-11-21T15:01:00Z'), display))
  expect(text).toContain('datetime="2026-11-21T15:01:00.000Z"')
  expect(text).toContain('>3 minutes ago<')
  expect(text).toContain('title="21 Nov, 16:01 (Europe/Berlin)"')
})

test(`to show "yesterday" or "2 days ago", the page counts calendar days in the store's time zone, not elapsed hours`, () => {
  const friday = { ...display, now: new Date('2026-11-20T20:00:00Z') }
  expect(String(relativeTime(new Date('2026-11-18T22:00:00Z'), friday))).toContain('>2 days ago<')
  expect(String(relativeTime(new Date('2026-11-18T23:00:00Z'), friday))).toContain('>yesterday<')
})

test('if a time is more than a week ago, the page shows the date, with the year if the time is in an earlier year', () => {
  expect(String(relativeTime(new Date('2026-11-01T15:01:00Z'), display))).toContain('>1 Nov, 16:01<')
  expect(String(relativeTime(new Date('2025-06-01T15:01:00Z'), display))).toContain('>1 Jun 2025, 17:01<')
})

test('dates are in the language of the locale: German for de-DE and French for fr', () => {
  expect(String(exactTime(NOW, { ...display, locale: 'de-DE' }))).toContain('lang="de-DE">21. Nov., 16:04<')
  expect(dayText('2026-11-21', { ...display, locale: 'fr' })).toBe('21 nov.')
})

test('if the locale and the time zone are invalid, dates and numbers are formatted in English, and times are in UTC', () => {
  const strange = { locale: '"><script>', now: NOW, store: { ...store, timeZone: 'Nowhere/Land' } }
  expect(String(exactTime(NOW, strange))).toBe(
    '<time datetime="2026-11-21T15:04:20.000Z" title="UTC" lang="en">Nov 21, 03:04 PM</time>',
  )
  expect(count(1234, strange)).toBe('1,234')
})

test('if the format is "full", dayText writes out the month and includes the year', () => {
  expect(dayText('2026-09-30', display, 'full')).toBe('30 September 2026')
  expect(dayText('2026-09-30', { ...display, locale: 'de' }, 'full')).toBe('30. September 2026')
})

test('if a string is not a date, dayText returns it unchanged', () => {
  expect(dayText('soon', display)).toBe('soon')
})
