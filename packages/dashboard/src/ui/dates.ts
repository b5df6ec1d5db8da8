// Formats times, days and numbers in the store's time zone and in the merchant's variant of the language.

import type { Frame } from '../pages/models.ts'
import type { Duration } from '../texts/format.ts'
import { type Html, html } from './html.ts'

/** The part of a frame that formatting needs. */
export type DisplayContext = Pick<Frame, 'locale' | 'now' | 'store'>

/**
 * Returns a text such as "3 minutes ago" or "in 2 hours" with the exact time as title. From one week on, returns the
 * exact time.
 */
export function relativeTime(date: Date, display: DisplayContext): Html {
  const exact = exactText(date, display)
  const seconds = (date.getTime() - display.now.getTime()) / 1000
  if (Math.abs(seconds) >= WEEK) return timeElement(date, { text: exact, title: zoneOf(display), display })
  return timeElement(date, { text: relativeText(date, display), title: `${exact} (${zoneOf(display)})`, display })
}

/**
 * Returns day, hour and minute, with the time zone as title. `seconds` adds seconds. A year other than the current one
 * is added, too. Both years are in UTC, so around New Year, the text can have a year too many or lack one.
 */
export function exactTime(date: Date, display: DisplayContext, seconds = false): Html {
  return timeElement(date, { text: exactText(date, display, seconds), title: zoneOf(display), display })
}

/**
 * Returns `2026-11-21` as "21 Nov" (short), "Saturday 21 November" (long), or "21 November 2026" (full). Returns other
 * text unchanged.
 */
export function dayText(day: string, display: DisplayContext, length: keyof typeof DAY_SHAPES = 'short'): string {
  const date = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(date.getTime())) return day
  return dateFormatOf(display.locale, { ...DAY_SHAPES[length], timeZone: 'UTC' }).format(date)
}

/** A period of a chart. */
export type PeriodUnit = 'hour' | 'day'

/**
 * Returns the name of the hour or day that starts at `start`. The texts for an hour and for a day, by `length`:
 *
 * - `short`: "14:00", "21 Nov".
 * - `full`: "21 Nov, 14:00", "21 Nov".
 * - `long`: "Saturday 21 November at 14:00", "Saturday 21 November".
 *
 * When the clocks go back, two hours have the same name. So both also get their offset from UTC, such as "GMT+2".
 */
export function periodText(
  start: Date,
  unit: PeriodUnit,
  display: DisplayContext,
  length: 'short' | 'full' | 'long',
): string {
  if (unit === 'day') return dayText(localDay(start, display), display, length === 'long' ? 'long' : 'short')
  const day = { short: {}, full: DAY_SHAPE, long: LONG_DAY_SHAPE }[length]
  const format = (more: Intl.DateTimeFormatOptions) =>
    dateFormatOf(display.locale, { ...day, ...HOUR_SHAPE, ...more, timeZone: zoneOf(display) })
  const plain = format({})
  const text = plain.format(start)
  const isRepeated = [-HOUR, HOUR].some((seconds) => plain.format(start.getTime() + seconds * 1000) === text)
  return isRepeated ? format({ timeZoneName: 'shortOffset' }).format(start) : text
}

/** Returns the day of a time in the store's time zone, such as `2026-11-21`. */
export function localDay(date: Date, display: DisplayContext): string {
  const shape = { year: 'numeric', month: '2-digit', day: '2-digit', timeZone: zoneOf(display) } as const
  // The Canadian format of a date is that of ISO 8601.
  return dateFormatOf('en-CA', shape).format(date)
}

/** Returns a whole number with the separators of the locale. */
export function count(value: number, display: Pick<Frame, 'locale'>): string {
  return new Intl.NumberFormat(withLatinDigits(display.locale)).format(value)
}

/** Returns a value with its unit, such as "12 ms" or "14 kB". */
export function measure(value: number, unit: 'millisecond' | 'kilobyte', { locale }: Pick<Frame, 'locale'>): string {
  return new Intl.NumberFormat(withLatinDigits(locale), { style: 'unit', unit }).format(value)
}

/** Returns a duration of `ms`, rounded down: in minutes, from two hours on in hours, and from two days on in days. */
export function durationOf(ms: number): Duration {
  const seconds = ms / 1000
  if (seconds < 2 * HOUR) return { value: Math.floor(seconds / MINUTE), unit: 'minute' }
  if (seconds < 2 * DAY) return { value: Math.floor(seconds / HOUR), unit: 'hour' }
  return { value: Math.floor(seconds / DAY), unit: 'day' }
}

/** Returns whole hours as a duration. From two days on, the unit is days, rounded down. */
export function durationOfHours(hours: number): Duration {
  return hours < 48 ? { value: hours, unit: 'hour' } : { value: Math.floor(hours / 24), unit: 'day' }
}

/**
 * Returns an interval of `ms`, rounded: in minutes, from two hours on in hours, and from two days on in days. An
 * interval that is within 10 % of an hour, a day, or a week counts as exactly that.
 */
export function intervalOf(ms: number): Duration {
  const seconds = ms / 1000
  const single = (['hour', 'day', 'week'] as const).find((unit) => Math.abs(seconds / SECONDS[unit] - 1) < 0.1)
  if (single !== undefined) return { value: 1, unit: single }
  const unit = seconds < 2 * HOUR ? 'minute' : seconds < 2 * DAY ? 'hour' : 'day'
  return { value: Math.round(seconds / SECONDS[unit]), unit }
}

/** Returns the value of a `lang` attribute for the locale; `en` if Node.js doesn't support it. */
export function languageOf(display: Pick<Frame, 'locale'>): string {
  return supportedLocale(display.locale)
}

// Units of time in seconds.
const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const WEEK = 7 * DAY
const SECONDS = { minute: MINUTE, hour: HOUR, day: DAY, week: WEEK } as const

// Shapes of dates for `Intl.DateTimeFormat`.
const DAY_SHAPE = { day: 'numeric', month: 'short' } as const
const LONG_DAY_SHAPE = { weekday: 'long', day: 'numeric', month: 'long' } as const
const DAY_SHAPES = {
  short: DAY_SHAPE,
  long: LONG_DAY_SHAPE,
  full: { day: 'numeric', month: 'long', year: 'numeric' },
} as const
const HOUR_SHAPE = { hour: '2-digit', minute: '2-digit' } as const

interface TimeOptions {
  readonly text: string
  readonly title: string
  readonly display: DisplayContext
}

function timeElement(date: Date, { text, title, display }: TimeOptions): Html {
  return html`<time datetime="${date.toISOString()}" title="${title}" lang="${languageOf(display)}">${text}</time>`
}

function exactText(date: Date, display: DisplayContext, seconds = false): string {
  const sameYear = date.getUTCFullYear() === display.now.getUTCFullYear()
  return dateFormatOf(display.locale, {
    ...DAY_SHAPE,
    ...(sameYear ? {} : { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    ...(seconds ? { second: '2-digit' } : {}),
    timeZone: zoneOf(display),
  }).format(date)
}

/**
 * Returns seconds, minutes, or hours below 24 hours, and then calendar days of the store. So 23:00 of the day before
 * yesterday is "2 days ago", even within 48 hours.
 */
function relativeText(date: Date, display: DisplayContext): string {
  const { locale, now } = display
  const seconds = (date.getTime() - now.getTime()) / 1000
  const format = new Intl.RelativeTimeFormat(withLatinDigits(locale), { numeric: 'auto' })
  const size = Math.abs(seconds)
  if (size < MINUTE) return format.format(Math.round(seconds), 'second')
  if (size < HOUR) return format.format(Math.trunc(seconds / MINUTE), 'minute')
  if (size < DAY) return format.format(Math.trunc(seconds / HOUR), 'hour')
  return format.format(dayNumber(date, display) - dayNumber(now, display), 'day')
}

function dayNumber(date: Date, display: DisplayContext): number {
  return Date.parse(`${localDay(date, display)}T00:00:00Z`) / (DAY * 1000)
}

/** Returns the locale with Latin digits, as in the API. */
export function withLatinDigits(locale: string): Intl.Locale {
  return new Intl.Locale(supportedLocale(locale), { numberingSystem: 'latn' })
}

/** Returns the locale if Node.js supports it; `en` otherwise. A browser can send any text as its locale. */
function supportedLocale(locale: string): string {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale)[0] ?? FALLBACK_LOCALE
  } catch {
    return FALLBACK_LOCALE
  }
}

const FALLBACK_LOCALE = 'en'
const FALLBACK_ZONE = 'UTC'

/** Returns the store's time zone; UTC without a store, or if Node.js doesn't know the zone. */
function zoneOf({ store }: DisplayContext): string {
  const zone = store?.timeZone ?? FALLBACK_ZONE
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return zone
  } catch {
    return FALLBACK_ZONE
  }
}

function dateFormatOf(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options])
  const known = FORMATS.get(key)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat(withLatinDigits(locale), options)
  // Browsers choose the locale, so the cache needs a limit.
  if (FORMATS.size >= FORMATS_MAX) FORMATS.clear()
  FORMATS.set(key, format)
  return format
}

const FORMATS = new Map<string, Intl.DateTimeFormat>()
const FORMATS_MAX = 200
