// What tells one demo store from another: its language, money, taxes, wares and where it sells.

import type { CountryCode } from './words/places.ts'
import type { Assortment } from './words/products.ts'
import type { Locale } from './words/texts.ts'

/** A demo store's character. Rates of tax are in percent, on top of the prices. */
export interface DemoShop {
  readonly storeName: string
  /** Host of the shop's pictures and addresses, under a name that is kept for examples. */
  readonly host: string
  readonly email: string
  readonly currency: string
  readonly timezone: string
  readonly country: CountryCode
  /** Languages served, the default one first. */
  readonly locales: readonly [Locale, ...Locale[]]
  readonly standardRate: number
  readonly reducedRate: number
  /** Countries sold to; one that is named more often is drawn more often. */
  readonly sellsTo: readonly [CountryCode, ...CountryCode[]]
  /** Countries outside the customs union: no tax is charged. */
  readonly taxFree: readonly CountryCode[]
  readonly carrier: string
  readonly weightUnit: 'kg' | 'g' | 'lb' | 'oz' | null
  readonly assortment: Assortment
}
