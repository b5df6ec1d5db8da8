import { expect, test } from 'vitest'
import { amountText, decimalText } from './amounts.ts'

// `Intl` separates the amount and the currency with a no-break space.
const plain = (text: string) => text.replaceAll('\u00A0', ' ')

test.each([
  ['1021.31', 'EUR', 'en-GB', '€1,021.31'],
  ['1021.31', 'EUR', 'de', '1.021,31 €'],
  ['118.60', 'CHF', 'de-CH', 'CHF 118.60'],
  ['-0.50', 'USD', 'en-US', '-$0.50'],
  ['1000.00', 'JPY', 'en', '¥1,000'],
  ['12.50', 'KWD', 'en', 'KWD 12.500'],
])('amountText formats %s %s in the locale %s as "%s"', (text, currency, locale, expected) => {
  expect(plain(amountText(text, currency, { locale }))).toBe(expected)
})

test('if an amount has more digits than a float, or more decimal places than its currency, amountText loses no significant digit', () => {
  const display = { locale: 'en-GB' }
  expect(amountText('9007199254740993123.45', 'EUR', display)).toBe('€9,007,199,254,740,993,123.45')
  expect(amountText('0.12345', 'EUR', display)).toBe('€0.12345')
  expect(amountText('1000.50', 'JPY', display)).toBe('JP¥1,000.5')
})

test('amountText returns only the number if the currency is null, and appends a currency that is no currency code, such as "Euro", unchanged', () => {
  expect(amountText('1021.30', null, { locale: 'de' })).toBe('1.021,30')
  expect(amountText('1021.30', 'Euro', { locale: 'de' })).toBe('1.021,30 Euro')
  expect(amountText('about 5', 'EUR', { locale: 'de' })).toBe('about 5 EUR')
})

test("decimalText formats a number with the locale's separators and preserves its decimal places; it returns other text unchanged", () => {
  expect(decimalText('12345.50', { locale: 'de' })).toBe('12.345,50')
  expect(decimalText('-3', { locale: 'en' })).toBe('-3')
  expect(decimalText('١٢', { locale: 'ar' })).toBe('١٢')
  expect(decimalText('1e5', { locale: 'en' })).toBe('1e5')
})
