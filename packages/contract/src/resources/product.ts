// Products, and the variants embedded in them.

import { boolean, integer, json, many, money, oneOf, text, texts, timestamp, uuid, weight } from '../field.ts'
import { resource } from '../resource.ts'
import { ATTRIBUTES, METAFIELDS, TRANSLATIONS } from '../shapes.ts'

/** Where a product can stand. */
export const PRODUCT_STATUSES = ['draft', 'active', 'archived'] as const

/** A variant of a product. */
export const variant = resource({
  name: 'Variant',
  plural: 'variants',
  table: 'product_variants',
  note: 'A variant of a product.',
  fields: {
    id: uuid('Variant id'),
    product_id: uuid('Parent product'),
    sku: text('Unique within the store'),
    name: text('Display name'),
    price: money('Overrides the product’s price; null = product price').orNull(),
    inventory: integer('Stock of this variant'),
    weight_grams: weight('Own weight in grams; null = use the product’s').from('v1.6'),
    image: text('Image URL').orNull(),
    video: text('Video URL').orNull(),
    attributes: json(ATTRIBUTES, 'Option name to value'),
    created_at: timestamp('When created'),
  },
})

/** A product with its variants. */
export const product = resource({
  name: 'Product',
  plural: 'products',
  table: 'products',
  note: 'A product, variants embedded. One without variants has an empty variants array and holds price and inventory itself.',
  view: {
    columns: {
      Created: 'created_at',
      Name: 'name',
      Status: 'status',
      Variants: 'variants',
      Stock: { fields: ['variants.inventory', 'inventory'] },
      Price: 'price',
      Id: 'id',
    },
    search: { by: 'ID, SKU or name', equal: ['sku', 'slug', 'variants.sku'], containing: ['name'] },
  },
  fields: {
    id: uuid('Product id'),
    name: text('Name in the default language'),
    slug: text('Unique within the store'),
    description: text('Description in the default language'),
    price: money('Base price; variants can override'),
    compare_price: money('Crossed-out price when on sale').orNull(),
    images: texts('Image URLs in display order'),
    videos: texts('Video URLs'),
    status: oneOf(PRODUCT_STATUSES, 'Where the product stands'),
    category_id: uuid('Category').orNull(),
    has_variants: boolean('Whether it is sold in variants'),
    sku: text('Stock keeping unit').orNull(),
    inventory: integer('Stock, for products without variants').orNull(),
    track_inventory: boolean('Stock is counted').orNull(),
    continue_selling_when_out_of_stock: boolean('Checkout stays open at zero stock').orNull(),
    product_type: text('Free-form').orNull(),
    vendor: text('Vendor').orNull(),
    tags: texts('Tags').orNull(),
    meta_title: text('Title for search engines').orNull(),
    meta_description: text('Description for search engines').orNull(),
    meta_keywords: texts('Keywords for search engines').orNull(),
    metafields: json(METAFIELDS, 'Custom fields'),
    translations: json(TRANSLATIONS, 'By locale; a missing locale or field falls back to name and description').from(
      'v1.3',
    ),
    tax_class: text('Tax class; null = store standard rate').from('v1.4'),
    weight_grams: weight('Weight in grams regardless of the store’s display unit; null = none recorded').from('v1.6'),
    created_at: timestamp('When created'),
    updated_at: timestamp('Drives updated_since'),
    variants: many(variant, 'product_id', 'Variants, [] when none'),
  },
})
