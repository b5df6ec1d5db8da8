// Instants, days and numbers as a person reads them: in the store's time zone, and in the English of the reader.

import type { Frame } from '../pages/models.ts'
import { type Html, html } from './html.ts'

/** What a display's dates depend on. */
export type DisplayContext = Pick<Frame, 'locale' | 'now' | 'store'>

/** `date` in words such as "3 minutes ago", the exact time in its title; from a week ago on, the exact time alone. */
export function relativeTime(date: Date, display: DisplayContext): Html {
  const exact = exactText(date, display)
  const seconds = (date.getTime() - display.now.getTime()) / 1000
  if (Math.abs(seconds) >= WEEK) return timeElement(date, { text: exact, title: zoneOf(display), display })
  return timeElement(date, { text: relativeText(date, display), title: `${exact} (${zoneOf(display)})`, display })
}

/** `date` as day, hour and minute, the time zone in its title; `seconds` adds those. */
export function exactTime(date: Date, display: DisplayContext, seconds = false): Html {
  return timeElement(date, { text: exactText(date, display, seconds), title: zoneOf(display), display })
}

/** A day such as `2026-11-21` in a few letters, "21 Nov"; `long` names the weekday too. */
export function dayText(day: string, display: DisplayContext, long = false): string {
  const date = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(date.getTime())) return day
  const shape = long ? ({ weekday: 'long', day: 'numeric', month: 'long' } as const) : DAY_SHAPE
  return formatOf(display.locale, { ...shape, timeZone: 'UTC' }).format(date)
}

/** A whole number with the separators of the reader's language, in the digits of the words around it. */
export function count(value: number, display: Pick<Frame, 'locale'>): string {
  return new Intl.NumberFormat(withLatinDigits(display.locale)).format(value)
}

/** A number with its noun, "1 request" and "2 requests"; for nouns whose plural is an added "s". */
export function quantity(value: number, noun: string, display: Pick<Frame, 'locale'>): string {
  return `${count(value, display)} ${value === 1 ? noun : `${noun}s`}`
}

/** Attribute value for words of the reader's language within a page that is English. */
export function languageOf(display: Pick<Frame, 'locale'>): string {
  return supportedLocale(display.locale)
}

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const WEEK = 7 * DAY
const DAY_SHAPE = { day: 'numeric', month: 'short' } as const

interface TimeWords {
  readonly text: string
  readonly title: string
  readonly display: DisplayContext
}

function timeElement(date: Date, { text, title, display }: TimeWords): Html {
  return html`<time datetime="${date.toISOString()}" title="${title}" lang="${languageOf(display)}">${text}</time>`
}

function exactText(date: Date, display: DisplayContext, seconds = false): string {
  const sameYear = date.getUTCFullYear() === display.now.getUTCFullYear()
  return formatOf(display.locale, {
    ...DAY_SHAPE,
    ...(sameYear ? {} : { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    ...(seconds ? { second: '2-digit' } : {}),
    timeZone: zoneOf(display),
  }).format(date)
}

/** Days are those of the calendar: what was at 23:00 the day before yesterday was not yesterday. */
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
  const shape = { year: 'numeric', month: '2-digit', day: '2-digit', timeZone: zoneOf(display) } as const
  return Date.parse(`${formatOf('en-CA', shape).format(date)}T00:00:00Z`) / (DAY * 1000)
}

/** The words around dates and numbers are English, so their digits are those of English. */
function withLatinDigits(locale: string): Intl.Locale {
  return new Intl.Locale(supportedLocale(locale), { numberingSystem: 'latn' })
}

/** Browsers send any text, and stores hold any name of a zone. */
function supportedLocale(locale: string): string {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale)[0] ?? FALLBACK_LOCALE
  } catch {
    return FALLBACK_LOCALE
  }
}

const FALLBACK_LOCALE = 'en'
const FALLBACK_ZONE = 'UTC'

function zoneOf({ store }: DisplayContext): string {
  const zone = store?.timeZone ?? FALLBACK_ZONE
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return zone
  } catch {
    return FALLBACK_ZONE
  }
}

function formatOf(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options])
  const known = FORMATS.get(key)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat(withLatinDigits(locale), options)
  // Languages come from outside: the memory of formats is bounded.
  if (FORMATS.size >= FORMATS_MAX) FORMATS.clear()
  FORMATS.set(key, made)
  return made
}

const FORMATS = new Map<string, Intl.DateTimeFormat>()
const FORMATS_MAX = 200
