// Defines how a spreadsheet in the language of a merchant reads a CSV file that it opens with a double click.

import { LANGUAGES, type Localization } from '../texts/languages.ts'

/** The separator of cells, and the decimal sign of numbers. */
export interface CsvDialect {
  readonly separator: ',' | ';'
  readonly decimal: '.' | ','
}

/**
 * Returns the dialect of a language. With a comma between cells, numbers have a decimal point. With a semicolon, they
 * have the decimal sign of the locale, because Excel in German would read 12.50 as a date.
 */
export function csvDialectOf({ language, locale }: Pick<Localization, 'language' | 'locale'>): CsvDialect {
  const separator = LANGUAGES[language].csvSeparator
  if (separator === ',') return { separator, decimal: '.' }
  const parts = new Intl.NumberFormat(locale).formatToParts(1.5)
  const sign = parts.find(({ type }) => type === 'decimal')?.value
  return { separator, decimal: sign === ',' ? ',' : '.' }
}
