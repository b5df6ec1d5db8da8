// Formats the numbers and plurals inside of texts. It uses only `Intl`, so a new language needs no code here.

/** A time span in whole units, such as 3 days. */
export interface Duration {
  readonly value: number
  readonly unit: 'minute' | 'hour' | 'day' | 'week'
}

/** A text for each plural category of a language. English and German have `one` and `other`. `#` is the number. */
export type PluralTexts = Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string }

/** Formats values in a locale, for the functions of a catalog. */
export interface Format {
  /** Returns a whole number with the separators of the locale, such as `1,200`. */
  readonly count: (value: number) => string
  /** Returns the text for the plural category of `value`, with the number in place of `#`. */
  readonly plural: (value: number, texts: PluralTexts) => string
  /** Returns text such as "3 days", in the nominative. */
  readonly duration: (duration: Duration) => string
  /** Returns text such as "orders, products, and customers". */
  readonly list: (items: readonly string[]) => string
}

/** Returns the format of a supported locale. Digits are Latin, as in the API. */
export function formatOf(locale: string): Format {
  const latin = new Intl.Locale(locale, { numberingSystem: 'latn' })
  const numbers = new Intl.NumberFormat(latin)
  const rules = new Intl.PluralRules(latin)
  const items = new Intl.ListFormat(latin)
  const count = (value: number) => numbers.format(value)
  return {
    count,
    plural: (value, texts) => (texts[rules.select(value)] ?? texts.other).replaceAll('#', () => count(value)),
    duration: ({ value, unit }) =>
      new Intl.NumberFormat(latin, { style: 'unit', unit, unitDisplay: 'long' }).format(value),
    list: (list) => items.format(list),
  }
}
