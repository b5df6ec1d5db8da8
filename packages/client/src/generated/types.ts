// Generated from the contract. Do not edit: change the contract and run `npm run generate`.
/** Types of the store data export, revision v1.6. */

/** Decimal string, for example `129.90`; never a float. */
export type Decimal = string

/** Instant in UTC with milliseconds, for example `2026-10-04T08:21:37.412Z`. */
export type Timestamp = string

/** UUID in lower case. */
export type Uuid = string

/** Answer with one object. */
export interface Detail<Row> {
  data: Row
}

/** A page of a list. `next_cursor` is null on the last one. */
export interface Page<Row> {
  data: Row[]
  meta: { next_cursor: string | null; has_more: boolean }
}

/** Code of an error; more can be added. */
export type ErrorCode = 'INVALID_API_KEY' | 'STORE_NOT_SUPPORTED' | 'STORE_NOT_READY' | 'INVALID_PARAM' | 'INVALID_CURSOR' | 'NOT_FOUND' | 'RATE_LIMITED' | 'STORE_DB_ERROR' | (string & {})

/** The body of a response that is not a success. */
export interface ErrorResponse {
  error: { code: ErrorCode; message: string }
}

/** A JSON value as stored: usually a string. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue }

/** Snapshot of the key’s store: a connection check, and the currency of all money fields. */
export interface Store {
  /** Store id. */
  id: Uuid
  /** Store name on the dashboard. */
  name: string
  /** Customer-facing name. */
  store_name: string | null
  /** Contact email. */
  store_email: string | null
  /** ISO 4217 code used by money fields. */
  store_currency: string | null
  /** IANA timezone. */
  store_timezone: string | null
  /** Merchant home country, ISO 3166-1 alpha-2. null on stores older than v1.1. */
  store_country: string | null
  /** Displayed prices include tax. */
  tax_included_in_prices: boolean | null
  /** Store ships physical goods. */
  shipping_enabled: boolean | null
  /** Buying without account allowed. */
  guest_checkout: boolean | null
  /** Customer accounts enabled. */
  customer_accounts: boolean | null
  /** Default language, BCP-47 primary tag. null on stores older than v1.3. */
  default_locale: string | null
  /** Languages served, always including the default. null on stores older than v1.3. */
  enabled_locales: string[] | null
  /** Display unit of weights; weight_grams fields are always grams. null means kilograms. One of `kg`, `g`, `lb`, `oz`; more can be added. null on stores older than v1.6. */
  weight_unit: 'kg' | 'g' | 'lb' | 'oz' | (string & {}) | null
  /** Row counts. */
  counts: { products: number; categories: number; customers: number; orders: number }
}

/** An order placed on the storefront, line items embedded. Orders paid by a manual method have payment_provider manual and null processor ids. An order with a pickup_location_id is picked up in person; its shipping_address holds the location’s address snapshot. */
export interface Order {
  /** Order id. */
  id: Uuid
  /** null for guest checkout. */
  customer_id: Uuid | null
  /** Buyer email, always present. */
  email: string
  /** Where the order stands. One of `pending`, `paid`, `shipped`, `delivered`, `cancelled`, `refunded`, `return_requested`; more can be added. */
  status: 'pending' | 'paid' | 'shipped' | 'delivered' | 'cancelled' | 'refunded' | 'return_requested' | (string & {})
  /** Item total before tax, shipping, discounts. */
  subtotal: Decimal
  /** Tax charged. */
  tax: Decimal
  /** Tax by rate, summing to tax; present on multi-rate orders. null on stores older than v1.4. */
  tax_breakdown: Array<{ rate: number; baseCents: number; taxCents: number }> | null
  /** Shipping charged. */
  shipping: Decimal
  /** Amount the customer paid. */
  total: Decimal
  /** ISO 4217 code at order time; null means store_currency. null on stores older than v1.1. */
  currency: string | null
  /** Total refunded so far. */
  refund_amount: Decimal | null
  /** Customer’s reason when a return was requested. */
  return_reason: string | null
  /** Code applied, if any; automatic discounts can set discount_amount without a code. */
  discount_code: string | null
  /** Amount discounts removed. */
  discount_amount: Decimal | null
  /** processor for card payments, or manual; null means card processor. null on stores older than v1.1. */
  payment_provider: 'processor' | 'manual' | (string & {}) | null
  /** Manual payment method used when payment_provider is manual. null on stores older than v1.1. */
  payment_method_id: Uuid | null
  /** Name of the manual method at order time. null on stores older than v1.1. */
  payment_method_label: string | null
  /** Set for click and collect; resolves against locations. null on stores older than v1.2. */
  pickup_location_id: Uuid | null
  /** Address snapshot. */
  shipping_address: { firstName: string | null; lastName: string | null; line1: string | null; line2: string | null; city: string | null; state: string | null; postalCode: string | null; country: string | null; phone: string | null } | null
  /** Address snapshot, same shape as shipping_address. */
  billing_address: { firstName: string | null; lastName: string | null; line1: string | null; line2: string | null; city: string | null; state: string | null; postalCode: string | null; country: string | null; phone: string | null } | null
  /** Payment intent id at the processor, for reconciliation. null where payment_provider is manual. */
  processor_payment_intent_id: string | null
  /** Charge id at the processor. null where payment_provider is manual. */
  processor_charge_id: string | null
  /** Processor-hosted receipt. */
  receipt_url: string | null
  /** Set once fulfilled. */
  tracking_number: string | null
  /** Carrier tracking link. */
  tracking_url: string | null
  /** Carrier code. */
  carrier: string | null
  /** Shipping option chosen. */
  shipping_method: string | null
  /** Language of checkout. null on stores older than v1.3. */
  locale: string | null
  /** Order-level custom fields, populated by catalog imports. null on stores older than v1.5. */
  metafields: Array<{ key: string; label: string; value: JsonValue }> | null
  /** When placed. */
  created_at: Timestamp
  /** Last change; drives updated_since. */
  updated_at: Timestamp
  /** Line items. */
  items: OrderItem[]
}

/** A line of an order. Name and price are snapshots from purchase time. */
export interface OrderItem {
  /** Order item id. */
  id: Uuid
  /** Parent order. */
  order_id: Uuid
  /** Product purchased. */
  product_id: Uuid
  /** Variant purchased, if any. */
  variant_id: Uuid | null
  /** Product name at purchase time. */
  name: string
  /** Unit price at purchase time. */
  price: Decimal
  /** Units. */
  quantity: number
  /** Variant attributes at purchase time: option name to value. */
  attributes: Record<string, JsonValue> | null
  /** When the line was written. */
  created_at: Timestamp
}

/** A customer who created an account or checked out. Rows are mutable on newer stores. */
export interface Customer {
  /** Customer id. */
  id: Uuid
  /** Unique within the store. */
  email: string
  /** Full name. */
  name: string | null
  /** Phone number. null on stores older than v1.1. */
  phone: string | null
  /** Customer group, at most one. null on stores older than v1.1. */
  group_id: Uuid | null
  /** Customer id at the processor, for reconciliation. */
  processor_customer_id: string | null
  /** Preferred language. null on stores older than v1.3. */
  locale: string | null
  /** When verified; null if never. */
  email_verified: Timestamp | null
  /** Drives created_since. */
  created_at: Timestamp
  /** Last profile change; drives updated_since. null on stores older than v1.1. */
  updated_at: Timestamp | null
}

/** A saved address-book entry of a customer; only active ones are served. */
export interface CustomerAddress {
  /** Address id. */
  id: Uuid
  /** Owner. */
  customer_id: Uuid
  /** Nickname. */
  label: string | null
  /** First name. */
  first_name: string
  /** Last name. */
  last_name: string
  /** Company. */
  company: string | null
  /** Street and number. */
  line1: string
  /** Second line. */
  line2: string | null
  /** City. */
  city: string
  /** State or region. */
  state: string | null
  /** Postal code. */
  postal_code: string
  /** ISO 3166-1 alpha-2. */
  country: string
  /** Phone number. */
  phone: string | null
  /** Default for shipping. */
  is_default_shipping: boolean
  /** Default for billing. */
  is_default_billing: boolean
  /** When saved. */
  created_at: Timestamp
  /** Last change. */
  updated_at: Timestamp
}

/** A merchant-defined customer type used for segmentation. */
export interface CustomerGroup {
  /** Matches group_id of customers. */
  id: Uuid
  /** Group name. */
  name: string
  /** Description. */
  description: string | null
  /** In use. */
  is_active: boolean
  /** Display position. */
  sort_order: number
  /** When created. */
  created_at: Timestamp
  /** Last change. */
  updated_at: Timestamp
}

/** A physical store location for click and collect. */
export interface Location {
  /** Matches pickup_location_id of orders. */
  id: Uuid
  /** Location name. */
  name: string
  /** Description. */
  description: string | null
  /** Street and number. */
  address1: string | null
  /** Second line. */
  address2: string | null
  /** City. */
  city: string | null
  /** State or region. */
  state: string | null
  /** Postal code. */
  postal_code: string | null
  /** ISO 3166-1 alpha-2. */
  country: string | null
  /** Degrees north; decimal string with the digits stored, not cut to two decimals. */
  latitude: Decimal | null
  /** Degrees east; decimal string with the digits stored, not cut to two decimals. */
  longitude: Decimal | null
  /** Phone number. */
  phone: string | null
  /** Email address. */
  email: string | null
  /** Picture of the place. */
  image_url: string | null
  /** Seven-day grid; day 0 is Monday. */
  opening_hours: Array<{ day: number; open: string; close: string; closed: boolean }>
  /** Pickup possible here. */
  pickup_enabled: boolean
  /** What the customer is told. */
  pickup_instructions: string | null
  /** Free text duration. */
  preparation_time: string | null
  /** In use. */
  is_active: boolean
  /** Display position. */
  sort_order: number
  /** Source-system id when imported. */
  external_id: string | null
  /** When created. */
  created_at: Timestamp
  /** Last change. */
  updated_at: Timestamp
}

/** A product, variants embedded. One without variants has an empty variants array and holds price and inventory itself. */
export interface Product {
  /** Product id. */
  id: Uuid
  /** Name in the default language. */
  name: string
  /** Unique within the store. */
  slug: string
  /** Description in the default language. */
  description: string
  /** Base price; variants can override. */
  price: Decimal
  /** Crossed-out price when on sale. */
  compare_price: Decimal | null
  /** Image URLs in display order. */
  images: string[]
  /** Video URLs. */
  videos: string[]
  /** Where the product stands. One of `draft`, `active`, `archived`; more can be added. */
  status: 'draft' | 'active' | 'archived' | (string & {})
  /** Category. */
  category_id: Uuid | null
  /** Whether it is sold in variants. */
  has_variants: boolean
  /** Stock keeping unit. */
  sku: string | null
  /** Stock, for products without variants. */
  inventory: number | null
  /** Stock is counted. */
  track_inventory: boolean | null
  /** Checkout stays open at zero stock. */
  continue_selling_when_out_of_stock: boolean | null
  /** Free-form. */
  product_type: string | null
  /** Vendor. */
  vendor: string | null
  /** Tags. */
  tags: string[] | null
  /** Title for search engines. */
  meta_title: string | null
  /** Description for search engines. */
  meta_description: string | null
  /** Keywords for search engines. */
  meta_keywords: string[] | null
  /** Custom fields. */
  metafields: Array<{ key: string; label: string; value: JsonValue }>
  /** By locale; a missing locale or field falls back to name and description. null on stores older than v1.3. */
  translations: Record<string, { name?: string | null; description?: string | null }> | null
  /** Tax class; null = store standard rate. null on stores older than v1.4. */
  tax_class: string | null
  /** Weight in grams regardless of the store’s display unit; null = none recorded. null on stores older than v1.6. */
  weight_grams: Decimal | null
  /** When created. */
  created_at: Timestamp
  /** Drives updated_since. */
  updated_at: Timestamp
  /** Variants, [] when none. */
  variants: Variant[]
}

/** A variant of a product. */
export interface Variant {
  /** Variant id. */
  id: Uuid
  /** Parent product. */
  product_id: Uuid
  /** Unique within the store. */
  sku: string
  /** Display name. */
  name: string
  /** Overrides the product’s price; null = product price. */
  price: Decimal | null
  /** Stock of this variant. */
  inventory: number
  /** Own weight in grams; null = use the product’s. null on stores older than v1.6. */
  weight_grams: Decimal | null
  /** Image URL. */
  image: string | null
  /** Video URL. */
  video: string | null
  /** Option name to value. */
  attributes: Record<string, JsonValue>
  /** When created. */
  created_at: Timestamp
}

/** A category; categories nest one level through parent_id. */
export interface Category {
  /** Category id. */
  id: Uuid
  /** Name in the default language. */
  name: string
  /** Unique within the store. */
  slug: string
  /** Description. */
  description: string | null
  /** Cover image URL. */
  image: string | null
  /** null = top level. */
  parent_id: Uuid | null
  /** Display position among siblings. */
  order: number
  /** Per-language name and description, same shape as product translations. null on stores older than v1.3. */
  translations: Record<string, { name?: string | null; description?: string | null }> | null
  /** When created. */
  created_at: Timestamp
}

/** A row by its id and last change alone. What a copy held before a walk of the ids began, and the walk does not bring, was deleted. */
export interface RowId {
  /** Id of the row. */
  id: Uuid
  /** Last change of the row; null where its resource or an older store has no such field. */
  updated_at: Timestamp | null
}
