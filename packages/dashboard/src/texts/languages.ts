// Lists the languages of the dashboard, and chooses the language of a request: the choice of the account, then the
// languages of the browser, then English.

import { parseAccept } from 'hono/utils/accept'
import { german } from './de/german.ts'
import { english, type Texts } from './en/english.ts'
import { type Format, formatOf } from './format.ts'

interface LanguageDeclaration {
  /** The name of the language in the language itself. */
  readonly name: string
  readonly direction: 'ltr' | 'rtl'
  /** The locale of merchants whose first language is another one. */
  readonly locale: string
  /** The separator that spreadsheets in this language expect in a CSV file. */
  readonly csvSeparator: ',' | ';'
  readonly texts: (format: Format) => Texts
}

/** The languages by their BCP 47 primary tag. */
export const LANGUAGES = {
  // Like most languages, British English has the day before the month, and a 24-hour clock.
  en: { name: 'English', direction: 'ltr', locale: 'en-GB', csvSeparator: ',', texts: english },
  de: { name: 'Deutsch', direction: 'ltr', locale: 'de', csvSeparator: ';', texts: german },
} as const satisfies Readonly<Record<string, LanguageDeclaration>>

/** A language of the dashboard. */
export type Language = keyof typeof LANGUAGES

/** The language of a page or an email. */
export interface Localization {
  readonly language: Language
  /** BCP 47 tag of the merchant's variant of the language, for dates and numbers. */
  readonly locale: string
  readonly texts: Texts
}

/** Returns the text as a language; null if the dashboard does not have this language. */
export function findLanguage(text: string | null | undefined): Language | null {
  return text != null && Object.hasOwn(LANGUAGES, text) ? (text as Language) : null
}

/** Returns the chosen language; without one, the first known language of an Accept-Language header, or English. */
export function localize(chosen: Language | null, acceptLanguage: string | undefined): Localization {
  const tags = parseAccept(acceptLanguage ?? '')
    .filter(({ q }) => q > 0)
    .map(({ type }) => type)
  const wanted = tags.map((tag) => findLanguage(primaryTag(tag))).find((language) => language !== null)
  const language = chosen ?? wanted ?? 'en'
  const locale = localeOf(language, tags[0])
  return { language, locale, texts: textsOf(language, locale) }
}

/** Returns a language in its usual locale, for texts that no browser requested. */
export function localizationIn(language: Language): Localization {
  const { locale } = LANGUAGES[language]
  return { language, locale, texts: textsOf(language, locale) }
}

/**
 * Returns the browser's first locale if it is a variant of this language. Otherwise returns the usual locale, because
 * other languages of the browser are often only fallbacks. Without a locale of the browser, returns the language.
 */
function localeOf(language: Language, first: string | undefined): string {
  if (first === undefined || first === '*') return language
  const isOwn = primaryTag(first) === language && /^[a-z]{2}(?:-[A-Z]{2})?$/.test(first)
  return isOwn ? first : LANGUAGES[language].locale
}

function primaryTag(tag: string): string {
  return tag.split('-')[0]?.toLowerCase() ?? ''
}

function textsOf(language: Language, locale: string): Texts {
  const known = CATALOGS.get(locale)
  if (known !== undefined) return known
  const texts = LANGUAGES[language].texts(formatOf(locale))
  // Browsers choose the locale, so the cache needs a limit.
  if (CATALOGS.size >= CATALOGS_MAX) CATALOGS.clear()
  CATALOGS.set(locale, texts)
  return texts
}

/** Texts by locale. */
const CATALOGS = new Map<string, Texts>()
const CATALOGS_MAX = 100
