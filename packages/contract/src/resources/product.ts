import { boolean, integer, json, many, money, oneOf, text, texts, timestamp, uuid, weight } from '../field.ts'
import { resource } from '../resource.ts'
import { ATTRIBUTES, METAFIELDS, TRANSLATIONS } from '../shapes.ts'

/** Known values of a product's status. The API serves other stored values unchanged. */
export const PRODUCT_STATUSES = ['draft', 'active', 'archived'] as const

export const variant = resource({
  name: 'Variant',
  plural: 'variants',
  table: 'product_variants',
  note: 'A variant of a product.',
  fields: {
    id: uuid('Variant ID'),
    product_id: uuid('ID of the product'),
    sku: text('Stock keeping unit, unique within the store'),
    name: text('Display name'),
    price: money('Price of the variant; null means the price of the product').orNull(),
    inventory: integer('Stock of the variant'),
    weight_grams: weight('Weight in grams; null means the weight of the product').from('v1.6'),
    image: text('Image URL').orNull(),
    video: text('Video URL').orNull(),
    attributes: json(ATTRIBUTES, 'Option values by option name'),
    created_at: timestamp('Time of creation'),
  },
})

export const product = resource({
  name: 'Product',
  plural: 'products',
  table: 'products',
  note: 'A product with its variants. If a product has no variants, the array variants is empty, and inventory is the stock of the product.',
  view: {
    columns: {
      Name: 'name',
      Status: 'status',
      Variants: 'variants',
      Stock: { fields: ['variants.inventory', 'inventory'] },
      Price: 'price',
      Created: 'created_at',
    },
    row: {
      fields: { SKU: 'sku', Vendor: 'vendor', 'Last change': 'updated_at' },
      embedded: { variants: { Name: 'name', SKU: 'sku', Stock: 'inventory', Price: 'price' } },
    },
    search: { by: 'ID, SKU or name', equal: ['sku', 'slug', 'variants.sku'], containing: ['name'] },
  },
  fields: {
    id: uuid('Product ID'),
    name: text('Name in the default language'),
    slug: text('Name in URLs, unique within the store'),
    description: text('Description in the default language'),
    price: money('Base price. A variant can have its own price'),
    compare_price: money('Earlier price, which the store shows crossed out during a sale').orNull(),
    images: texts('Image URLs in display order'),
    videos: texts('Video URLs'),
    status: oneOf(PRODUCT_STATUSES, 'Product status'),
    category_id: uuid('ID of the category').orNull(),
    has_variants: boolean('Whether the product has variants'),
    sku: text('Stock keeping unit').orNull(),
    inventory: integer('Stock of a product without variants').orNull(),
    track_inventory: boolean('Whether the store tracks stock').orNull(),
    continue_selling_when_out_of_stock: boolean('Whether customers can buy the product at zero stock').orNull(),
    product_type: text('Product type, in free text').orNull(),
    vendor: text('Vendor').orNull(),
    tags: texts('Tags').orNull(),
    meta_title: text('Title for search engines').orNull(),
    meta_description: text('Description for search engines').orNull(),
    meta_keywords: texts('Keywords for search engines').orNull(),
    metafields: json(METAFIELDS, 'Custom fields'),
    translations: json(
      TRANSLATIONS,
      'Name and description for each locale. If a locale or a member is missing, use the name or description of the product',
    ).from('v1.3'),
    tax_class: text('Tax class; null means the standard rate of the store').from('v1.4'),
    weight_grams: weight('Weight in grams, even if the store displays another unit. null if no weight is stored').from(
      'v1.6',
    ),
    created_at: timestamp('Time of creation'),
    updated_at: timestamp('Time of the last change. The parameter updated_since filters by it'),
    variants: many(variant, 'product_id', 'Variants; [] if the product has none'),
  },
})
