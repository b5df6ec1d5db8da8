import { boolean, counts, oneOf, text, texts, uuid } from '../field.ts'
import { resource } from '../resource.ts'

/** Known units in which the store displays weights. The API serves other stored values unchanged. */
export const WEIGHT_UNITS = ['kg', 'g', 'lb', 'oz'] as const

/** The store of the API key. Its table has one row. */
export const store = resource({
  name: 'Store',
  plural: 'stores',
  table: 'store',
  note: 'The store that the key belongs to. Read it to test the connection, and to get the currency of amounts.',
  fields: {
    id: uuid('Store ID'),
    name: text('Name of the store on the platform'),
    store_name: text('Name of the store that customers see').orNull(),
    store_email: text('Contact email address').orNull(),
    store_currency: text('Currency of amounts, as an ISO 4217 code. An order can have its own currency').orNull(),
    store_timezone: text('IANA time zone').orNull(),
    store_country: text('Home country of the merchant, ISO 3166-1 alpha-2').from('v1.1'),
    tax_included_in_prices: boolean('Whether displayed prices include tax').orNull(),
    shipping_enabled: boolean('Whether the store ships physical goods').orNull(),
    guest_checkout: boolean('Whether customers can buy without an account').orNull(),
    customer_accounts: boolean('Whether customers can have accounts').orNull(),
    default_locale: text('Default language, as a BCP 47 primary tag such as de').from('v1.3'),
    enabled_locales: texts('Languages of the store, always including the default', 'default_locale').from('v1.3'),
    weight_unit: oneOf(
      WEIGHT_UNITS,
      'Unit in which the store displays weights. null means kilograms. The weight_grams fields are always in grams',
    ).from('v1.6'),
    counts: counts(
      ['products', 'categories', 'customers', 'orders'],
      'Number of rows of each list. The numbers can be some seconds old',
    ),
  },
})
