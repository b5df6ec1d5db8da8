// Generated from the contract. Do not edit: change the contract and run `npm run generate`.
/** Types of the store data export, schema version v1.6. */

/** Decimal string, for example `129.90`. Do not parse it as a float. */
export type Decimal = string

/** Timestamp in UTC with milliseconds, for example `2026-10-04T08:21:37.412Z`. */
export type Timestamp = string

/** UUID in lower case. */
export type Uuid = string

/** A response with one object. */
export interface Detail<Row> {
  data: Row
}

/** A page of a list. `next_cursor` is null on the last page. */
export interface Page<Row> {
  data: Row[]
  meta: { next_cursor: string | null; has_more: boolean }
}

/** Code of an error. More codes can be added. */
export type ErrorCode = 'INVALID_API_KEY' | 'STORE_NOT_SUPPORTED' | 'STORE_NOT_READY' | 'INVALID_PARAM' | 'INVALID_CURSOR' | 'NOT_FOUND' | 'RATE_LIMITED' | 'STORE_DB_ERROR' | (string & {})

/** The body of a response that is not a success. */
export interface ErrorResponse {
  error: { code: ErrorCode; message: string }
}

/** A JSON value as it is stored. It is usually a string. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue }

/** The store that the key belongs to. Read it to test the connection, and to get the currency of amounts. */
export interface Store {
  /** Store ID. */
  id: Uuid
  /** Name of the store on the platform. */
  name: string
  /** Name of the store that customers see. */
  store_name: string | null
  /** Contact email address. */
  store_email: string | null
  /** Currency of amounts, as an ISO 4217 code. An order can have its own currency. */
  store_currency: string | null
  /** IANA time zone. */
  store_timezone: string | null
  /** Home country of the merchant, ISO 3166-1 alpha-2. null on stores older than v1.1. */
  store_country: string | null
  /** Whether displayed prices include tax. */
  tax_included_in_prices: boolean | null
  /** Whether the store ships physical goods. */
  shipping_enabled: boolean | null
  /** Whether customers can buy without an account. */
  guest_checkout: boolean | null
  /** Whether customers can have accounts. */
  customer_accounts: boolean | null
  /** Default language, as a BCP 47 primary tag such as de. null on stores older than v1.3. */
  default_locale: string | null
  /** Languages of the store, always including the default. null on stores older than v1.3. */
  enabled_locales: string[] | null
  /** Unit in which the store displays weights. null means kilograms. The weight_grams fields are always in grams. One of `kg`, `g`, `lb`, `oz`. Later versions can add values. null on stores older than v1.6. */
  weight_unit: 'kg' | 'g' | 'lb' | 'oz' | (string & {}) | null
  /** Number of rows of each list. The numbers can be some seconds old. */
  counts: { products: number; categories: number; customers: number; orders: number }
}

/** An order from the storefront, with its line items. If an order has a manual payment method, payment_provider is manual, and the IDs of the payment processor are null. If the customer picks up the order, pickup_location_id is set, and shipping_address is the address of the pickup location. */
export interface Order {
  /** Order ID. */
  id: Uuid
  /** ID of the customer; null for guest checkout. */
  customer_id: Uuid | null
  /** Email address of the buyer. Keys without personal data get a pseudonym. */
  email: string
  /** Progress of payment and delivery. One of `pending`, `paid`, `shipped`, `delivered`, `cancelled`, `refunded`, `return_requested`. Later versions can add values. */
  status: 'pending' | 'paid' | 'shipped' | 'delivered' | 'cancelled' | 'refunded' | 'return_requested' | (string & {})
  /** Total of the items, before tax, shipping, and discounts. */
  subtotal: Decimal
  /** Tax charged. */
  tax: Decimal
  /** Tax for each tax rate, if the order has several rates. The taxes of all rates add up to the field tax. Its amounts are in cents, unlike those of other fields. null on stores older than v1.4. */
  tax_breakdown: Array<{ rate: number; baseCents: number; taxCents: number }> | null
  /** Shipping charged. */
  shipping: Decimal
  /** Amount that the customer paid. */
  total: Decimal
  /** Currency of the order, as an ISO 4217 code. null means the store_currency of the store. null on stores older than v1.1. */
  currency: string | null
  /** Total refunded so far. */
  refund_amount: Decimal | null
  /** Reason that the customer gave for a return. Keys without personal data get null. */
  return_reason: string | null
  /** Discount code; null if the order has none. An automatic discount sets only discount_amount. */
  discount_code: string | null
  /** Total of the discounts. */
  discount_amount: Decimal | null
  /** processor for card payments; manual for a manual payment method. null means processor. null on stores older than v1.1. */
  payment_provider: 'processor' | 'manual' | (string & {}) | null
  /** ID of the manual payment method, if payment_provider is manual. null on stores older than v1.1. */
  payment_method_id: Uuid | null
  /** Name of the manual payment method, as it was at the time of the order. null on stores older than v1.1. */
  payment_method_label: string | null
  /** ID of the pickup location, if the customer picks up the order. null on stores older than v1.2. */
  pickup_location_id: Uuid | null
  /** Shipping address at the time of the order. Keys without personal data get only the country and the state. */
  shipping_address: { firstName: string | null; lastName: string | null; line1: string | null; line2: string | null; city: string | null; state: string | null; postalCode: string | null; country: string | null; phone: string | null } | null
  /** Billing address at the time of the order. Keys without personal data get only the country and the state. */
  billing_address: { firstName: string | null; lastName: string | null; line1: string | null; line2: string | null; city: string | null; state: string | null; postalCode: string | null; country: string | null; phone: string | null } | null
  /** ID of the payment intent at the payment processor. Use it to match payments. null if payment_provider is manual. Keys without personal data get null. */
  processor_payment_intent_id: string | null
  /** ID of the charge at the payment processor. null if payment_provider is manual. Keys without personal data get null. */
  processor_charge_id: string | null
  /** URL of the receipt at the payment processor. Keys without personal data get null. */
  receipt_url: string | null
  /** Tracking number of the shipment. The store sets it when it ships the order. Keys without personal data get null. */
  tracking_number: string | null
  /** URL of the tracking page of the carrier. Keys without personal data get null. */
  tracking_url: string | null
  /** Carrier code. */
  carrier: string | null
  /** Shipping option that the customer chose. */
  shipping_method: string | null
  /** Language of the checkout. null on stores older than v1.3. */
  locale: string | null
  /** Custom fields of the order. Catalog imports set them. null on stores older than v1.5. Keys without personal data get null. */
  metafields: Array<{ key: string; label: string; value: JsonValue }> | null
  /** Time at which the customer placed the order. */
  created_at: Timestamp
  /** Time of the last change. The parameter updated_since filters by it. */
  updated_at: Timestamp
  /** Line items. */
  items: OrderItem[]
}

/** A line item of an order. Its name and price are those at the time of purchase. */
export interface OrderItem {
  /** Order item ID. */
  id: Uuid
  /** ID of the order. */
  order_id: Uuid
  /** ID of the product. */
  product_id: Uuid
  /** ID of the variant; null if the product has no variants. */
  variant_id: Uuid | null
  /** Product name at the time of purchase. */
  name: string
  /** Unit price at the time of purchase. */
  price: Decimal
  /** Number of units. */
  quantity: number
  /** Variant attributes at the time of purchase, by option name. Keys without personal data get null. */
  attributes: Record<string, JsonValue> | null
  /** Time of creation. */
  created_at: Timestamp
}

/** A customer who created an account or placed an order. Stores older than v1.1 do not track updates of customers. */
export interface Customer {
  /** Customer ID. */
  id: Uuid
  /** Email address, unique within the store. Keys without personal data get a pseudonym. */
  email: string
  /** Full name. Keys without personal data get null. */
  name: string | null
  /** Phone number. null on stores older than v1.1. Keys without personal data get null. */
  phone: string | null
  /** ID of the customer group; null if the customer is in no group. null on stores older than v1.1. */
  group_id: Uuid | null
  /** ID of the customer at the payment processor. Use it to match payments. Keys without personal data get null. */
  processor_customer_id: string | null
  /** Preferred language. null on stores older than v1.3. */
  locale: string | null
  /** Time at which the customer verified the email address. null if the customer has not verified it. */
  email_verified: Timestamp | null
  /** Time of creation. The parameter created_since filters by it. */
  created_at: Timestamp
  /** Time of the last profile change. The parameter updated_since filters by it. null on stores older than v1.1. */
  updated_at: Timestamp | null
}

/** An address that is in the address book of a customer. If a customer changes an address, the addresses in earlier orders stay the same. */
export interface CustomerAddress {
  /** Address ID. */
  id: Uuid
  /** ID of the customer. */
  customer_id: Uuid
  /** Name that the customer gave the address. Keys without personal data get null. */
  label: string | null
  /** First name. Keys without personal data get a pseudonym. */
  first_name: string
  /** Last name. Keys without personal data get a pseudonym. */
  last_name: string
  /** Company. Keys without personal data get null. */
  company: string | null
  /** Street and number. Keys without personal data get a pseudonym. */
  line1: string
  /** Second address line. Keys without personal data get null. */
  line2: string | null
  /** City. Keys without personal data get a pseudonym. */
  city: string
  /** State or region. */
  state: string | null
  /** Postal code. Keys without personal data get a pseudonym. */
  postal_code: string
  /** Country code, ISO 3166-1 alpha-2. */
  country: string
  /** Phone number. Keys without personal data get null. */
  phone: string | null
  /** Whether this is the default shipping address. */
  is_default_shipping: boolean
  /** Whether this is the default billing address. */
  is_default_billing: boolean
  /** Time of creation. */
  created_at: Timestamp
  /** Time of the last change. The parameter updated_since filters by it. */
  updated_at: Timestamp
}

/** A group of customers. The merchant defines the groups. */
export interface CustomerGroup {
  /** Group ID. Customers refer to it in group_id. */
  id: Uuid
  /** Group name. */
  name: string
  /** Description. */
  description: string | null
  /** Whether the group is active. */
  is_active: boolean
  /** Display position. */
  sort_order: number
  /** Time of creation. */
  created_at: Timestamp
  /** Time of the last change. */
  updated_at: Timestamp
}

/** A physical location where customers can pick up orders. */
export interface Location {
  /** Location ID. Orders refer to it in pickup_location_id. */
  id: Uuid
  /** Location name. */
  name: string
  /** Description. */
  description: string | null
  /** Street and number. */
  address1: string | null
  /** Second address line. */
  address2: string | null
  /** City. */
  city: string | null
  /** State or region. */
  state: string | null
  /** Postal code. */
  postal_code: string | null
  /** Country code, ISO 3166-1 alpha-2. */
  country: string | null
  /** Latitude in degrees north, as a decimal string with all stored digits. */
  latitude: Decimal | null
  /** Longitude in degrees east, as a decimal string with all stored digits. */
  longitude: Decimal | null
  /** Phone number. */
  phone: string | null
  /** Email address. */
  email: string | null
  /** URL of a picture of the location. */
  image_url: string | null
  /** Opening hours for each day of the week. Day 0 is Monday. */
  opening_hours: Array<{ day: number; open: string; close: string; closed: boolean }>
  /** Whether customers can pick up orders here. */
  pickup_enabled: boolean
  /** Pickup instructions for customers. */
  pickup_instructions: string | null
  /** Time to prepare an order, in free text. */
  preparation_time: string | null
  /** Whether the location is active. */
  is_active: boolean
  /** Display position. */
  sort_order: number
  /** ID of the location in the system from which it was imported. */
  external_id: string | null
  /** Time of creation. */
  created_at: Timestamp
  /** Time of the last change. */
  updated_at: Timestamp
}

/** A product with its variants. If a product has no variants, the array variants is empty, and inventory is the stock of the product. */
export interface Product {
  /** Product ID. */
  id: Uuid
  /** Name in the default language. */
  name: string
  /** Name in URLs, unique within the store. */
  slug: string
  /** Description in the default language. */
  description: string
  /** Base price. A variant can have its own price. */
  price: Decimal
  /** Earlier price, which the store shows crossed out during a sale. */
  compare_price: Decimal | null
  /** Image URLs in display order. */
  images: string[]
  /** Video URLs. */
  videos: string[]
  /** Product status. One of `draft`, `active`, `archived`. Later versions can add values. */
  status: 'draft' | 'active' | 'archived' | (string & {})
  /** ID of the category. */
  category_id: Uuid | null
  /** Whether the product has variants. */
  has_variants: boolean
  /** Stock keeping unit. */
  sku: string | null
  /** Stock of a product without variants. */
  inventory: number | null
  /** Whether the store tracks stock. */
  track_inventory: boolean | null
  /** Whether customers can buy the product at zero stock. */
  continue_selling_when_out_of_stock: boolean | null
  /** Product type, in free text. */
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
  /** Name and description for each locale. If a locale or a member is missing, use the name or description of the product. null on stores older than v1.3. */
  translations: Record<string, { name?: string | null; description?: string | null }> | null
  /** Tax class; null means the standard rate of the store. null on stores older than v1.4. */
  tax_class: string | null
  /** Weight in grams, even if the store displays another unit. null if no weight is stored. null on stores older than v1.6. */
  weight_grams: Decimal | null
  /** Time of creation. */
  created_at: Timestamp
  /** Time of the last change. The parameter updated_since filters by it. */
  updated_at: Timestamp
  /** Variants; [] if the product has none. */
  variants: Variant[]
}

/** A variant of a product. */
export interface Variant {
  /** Variant ID. */
  id: Uuid
  /** ID of the product. */
  product_id: Uuid
  /** Stock keeping unit, unique within the store. */
  sku: string
  /** Display name. */
  name: string
  /** Price of the variant; null means the price of the product. */
  price: Decimal | null
  /** Stock of the variant. */
  inventory: number
  /** Weight in grams; null means the weight of the product. null on stores older than v1.6. */
  weight_grams: Decimal | null
  /** Image URL. */
  image: string | null
  /** Video URL. */
  video: string | null
  /** Option values by option name. */
  attributes: Record<string, JsonValue>
  /** Time of creation. */
  created_at: Timestamp
}

/** A product category. A category can have a parent category. There are only these two levels. */
export interface Category {
  /** Category ID. */
  id: Uuid
  /** Name in the default language. */
  name: string
  /** Name in URLs, unique within the store. */
  slug: string
  /** Description. */
  description: string | null
  /** URL of the cover image. */
  image: string | null
  /** ID of the parent category; null at the top level. */
  parent_id: Uuid | null
  /** Display position among siblings. */
  order: number
  /** Name and description for each locale. If a locale or a member is missing, use the name or description of the category. null on stores older than v1.3. */
  translations: Record<string, { name?: string | null; description?: string | null }> | null
  /** Time of creation. */
  created_at: Timestamp
}

/** The ID of a row, and the time of its last change. */
export interface RowId {
  /** ID of the row. */
  id: Uuid
  /** Time of the last change of the row. null if the resource does not have this field, or if the store is too old to have it. */
  updated_at: Timestamp | null
}
