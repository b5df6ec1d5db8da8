// Declares the characteristics of a demo store: languages, currency, taxes, products, and countries.

import type { CountryCode } from './words/places.ts'
import type { Assortment } from './words/products.ts'
import type { Locale } from './words/texts.ts'

/**
 * The characteristics of a store from which its rows are generated. Tax rates are in percent, and prices don't include
 * tax.
 */
export interface DemoShop {
  /** Name that buyers see. */
  readonly storeName: string
  /** Host of image URLs and email addresses, under a domain that is reserved for examples. */
  readonly host: string
  readonly email: string
  readonly currency: string
  readonly timezone: string
  readonly country: CountryCode
  /** Languages. The first language is the default. */
  readonly locales: readonly [Locale, ...Locale[]]
  readonly standardRate: number
  readonly reducedRate: number
  /** Countries of the customers. A country that occurs more often has more customers. */
  readonly sellsTo: readonly [CountryCode, ...CountryCode[]]
  /** Countries whose orders have no tax. */
  readonly taxFree: readonly CountryCode[]
  readonly carrier: string
  /** Unit in which the shop shows weights; null if it has set none. */
  readonly weightUnit: 'kg' | 'g' | 'lb' | 'oz' | null
  readonly assortment: Assortment
}
