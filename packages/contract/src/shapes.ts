// Declares the JSON shapes that several resources share.

import type { JsonShape } from './field.ts'

/** Address snapshot of an order, with exactly these nine keys in camelCase. */
export const ORDER_ADDRESS: JsonShape = {
  outer: 'object',
  keys: ['firstName', 'lastName', 'line1', 'line2', 'city', 'state', 'postalCode', 'country', 'phone'],
}

/** Custom fields. The value of a custom field can be any JSON value. */
export const METAFIELDS: JsonShape = {
  outer: 'array',
  entryName: 'Metafield',
  entries: { key: 'text', label: 'text', value: 'any' },
}

/** Translations of a row's texts, by locale such as `fr`. */
export const TRANSLATIONS: JsonShape = {
  outer: 'object',
  entryName: 'Translation',
  valuesOf: { name: 'text', description: 'text' },
}

/** Option values of a variant by option name, such as a size. */
export const ATTRIBUTES: JsonShape = { outer: 'object', valuesOf: 'any' }
