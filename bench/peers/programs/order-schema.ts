// Declares the JSON schema of the responses. Fastify compiles a writer from it, which takes a quarter less time than
// JSON.stringify. The writer leaves out a column that is not listed here.

const TEXT = { type: 'string' }
const TEXT_OR_NULL = { type: ['string', 'null'] }
/** JSON schema of a value that is stored as jsonb, which can be any value. */
const ANY = {}

const ADDRESS = {
  type: ['object', 'null'],
  properties: each('firstName lastName line1 line2 city state postalCode country phone', TEXT_OR_NULL),
}

const ITEM = {
  type: 'object',
  properties: {
    ...each('id order_id product_id', TEXT),
    variant_id: TEXT_OR_NULL,
    ...each('name price', TEXT),
    quantity: { type: 'integer' },
    attributes: ANY,
    created_at: TEXT,
  },
}

const ORDER = {
  type: 'object',
  properties: {
    id: TEXT,
    customer_id: TEXT_OR_NULL,
    ...each('email status subtotal tax', TEXT),
    tax_breakdown: ANY,
    ...each('shipping total', TEXT),
    ...each('currency refund_amount return_reason discount_code discount_amount payment_provider', TEXT_OR_NULL),
    ...each('payment_method_id payment_method_label pickup_location_id', TEXT_OR_NULL),
    shipping_address: ADDRESS,
    billing_address: ADDRESS,
    ...each('processor_payment_intent_id processor_charge_id receipt_url tracking_number tracking_url', TEXT_OR_NULL),
    ...each('carrier shipping_method locale', TEXT_OR_NULL),
    metafields: ANY,
    ...each('created_at updated_at', TEXT),
    items: { type: 'array', items: ITEM },
  },
}

const META = { type: 'object', properties: { next_cursor: TEXT_OR_NULL, has_more: { type: 'boolean' } } }

/** JSON schema of a page of orders. */
export const PAGE_RESPONSE = {
  type: 'object',
  properties: { data: { type: 'array', items: ORDER }, meta: META },
}

/** JSON schema of a response with one order. */
export const ROW_RESPONSE = { type: 'object', properties: { data: ORDER } }

/** Returns `schema` for each of the names, which spaces separate. Responses have the properties in this order. */
function each<Schema>(names: string, schema: Schema): Record<string, Schema> {
  return Object.fromEntries(names.split(' ').map((name) => [name, schema]))
}
