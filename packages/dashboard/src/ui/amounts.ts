// Formats decimal strings, such as amounts of money, in the merchant's variant of the language. The digits never pass
// through a float: `Intl.NumberFormat` formats the string itself.

import type { Frame } from '../pages/models.ts'
import { withLatinDigits } from './dates.ts'

/**
 * Returns an amount with its currency, such as "€1,021.31" for "1021.31". `currency` is an ISO 4217 code; null if it is
 * unknown. The amount has at least the usual decimals of its currency. Further decimals of `text` follow, without zeros
 * at the end. Without a currency, returns `decimalText`. If `text` or `currency` is malformed, returns `decimalText`
 * with the code of the currency after it.
 */
export function amountText(text: string, currency: string | null, display: Pick<Frame, 'locale'>): string {
  if (currency === null) return decimalText(text, display)
  if (!isDecimal(text) || !CURRENCY.test(currency)) return `${decimalText(text, display)} ${currency}`
  const locale = withLatinDigits(display.locale)
  const usual = new Intl.NumberFormat(locale, { style: 'currency', currency })
  const { minimumFractionDigits = 0 } = usual.resolvedOptions()
  const digits = decimalsOf(text)
  if (digits <= minimumFractionDigits) return usual.format(text)
  const all = { minimumFractionDigits, maximumFractionDigits: digits }
  return new Intl.NumberFormat(locale, { style: 'currency', currency, ...all }).format(text)
}

/**
 * Returns a decimal number with the separators of the locale and the same decimals. Returns other text unchanged, such
 * as a number with more than 20 decimals.
 */
export function decimalText(text: string, { locale }: Pick<Frame, 'locale'>): string {
  if (!isDecimal(text)) return text
  const digits = decimalsOf(text)
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  return new Intl.NumberFormat(withLatinDigits(locale), format).format(text)
}

const CURRENCY = /^[A-Z]{3}$/
/** Matches decimal numbers with at most 20 decimals, which every version of `Intl.NumberFormat` can format. */
const DECIMAL = /^-?\d+(?:\.\d{1,20})?$/

function isDecimal(text: string): text is `${number}` {
  return DECIMAL.test(text)
}

function decimalsOf(text: string): number {
  return text.split('.')[1]?.length ?? 0
}
