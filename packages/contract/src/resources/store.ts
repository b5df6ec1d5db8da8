// The store itself: the one row that tells a client whose data it reads, and in which currency.

import { boolean, counts, oneOf, text, texts, uuid } from '../field.ts'
import { resource } from '../resource.ts'

/** Units in which a dashboard shows weights. */
export const WEIGHT_UNITS = ['kg', 'g', 'lb', 'oz'] as const

/** Snapshot of the key's store. */
export const store = resource({
  name: 'Store',
  plural: 'stores',
  table: 'store',
  note: 'Snapshot of the key’s store: a connection check, and the currency of all money fields.',
  fields: {
    id: uuid('Store id'),
    name: text('Store name on the dashboard'),
    store_name: text('Customer-facing name').orNull(),
    store_email: text('Contact email').orNull(),
    store_currency: text('ISO 4217 code used by money fields').orNull(),
    store_timezone: text('IANA timezone').orNull(),
    store_country: text('Merchant home country, ISO 3166-1 alpha-2').from('v1.1'),
    tax_included_in_prices: boolean('Displayed prices include tax').orNull(),
    shipping_enabled: boolean('Store ships physical goods').orNull(),
    guest_checkout: boolean('Buying without account allowed').orNull(),
    customer_accounts: boolean('Customer accounts enabled').orNull(),
    default_locale: text('Default language, BCP-47 primary tag').from('v1.3'),
    enabled_locales: texts('Languages served, always including the default', 'default_locale').from('v1.3'),
    weight_unit: oneOf(
      WEIGHT_UNITS,
      'Display unit of weights; weight_grams fields are always grams. null means kilograms',
    ).from('v1.6'),
    counts: counts(['products', 'categories', 'customers', 'orders'], 'Row counts'),
  },
})
