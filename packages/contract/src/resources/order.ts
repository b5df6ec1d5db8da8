import { integer, json, many, money, oneOf, text, timestamp, uuid } from '../field.ts'
import { resource } from '../resource.ts'
import { ATTRIBUTES, METAFIELDS, ORDER_ADDRESS } from '../shapes.ts'

/** Known values of an order's status. The API serves other stored values unchanged. */
export const ORDER_STATUSES = [
  'pending',
  'paid',
  'shipped',
  'delivered',
  'cancelled',
  'refunded',
  'return_requested',
] as const

/**
 * Values of `payment_provider`. `processor` is a card payment, and `manual` a manual method. Null also means
 * `processor`. The API returns `processor` for any other stored value except null (R34 in docs/spec/readings.md).
 */
export const PAYMENT_PROVIDERS = ['processor', 'manual'] as const

export const orderItem = resource({
  name: 'Order item',
  plural: 'order items',
  table: 'order_items',
  note: 'A line item of an order. Its name and price are those at the time of purchase.',
  fields: {
    id: uuid('Order item ID'),
    order_id: uuid('ID of the order'),
    product_id: uuid('ID of the product'),
    variant_id: uuid('ID of the variant; null if the product has no variants').orNull(),
    name: text('Product name at the time of purchase'),
    price: money('Unit price at the time of purchase'),
    quantity: integer('Number of units'),
    attributes: json(ATTRIBUTES, 'Variant attributes at the time of purchase, by option name')
      .orNull()
      .asPersonal('null'),
    created_at: timestamp('Time of creation'),
  },
})

export const order = resource({
  name: 'Order',
  plural: 'orders',
  table: 'orders',
  note: 'An order from the storefront, with its line items. If an order has a manual payment method, payment_provider is manual, and the IDs of the payment processor are null. If the customer picks up the order, pickup_location_id is set, and shipping_address is the address of the pickup location.',
  view: {
    columns: {
      Created: 'created_at',
      Customer: 'email',
      Status: 'status',
      Payment: { fields: ['payment_method_label', 'payment_provider'], words: { processor: 'card' }, absent: 'card' },
      Items: 'items',
      Total: 'total',
    },
    row: {
      fields: {
        'Shipping address': 'shipping_address',
        'Billing address': 'billing_address',
        'Shipping method': 'shipping_method',
        'Tracking number': 'tracking_number',
        'Discount code': 'discount_code',
        'Last change': 'updated_at',
      },
      amounts: {
        Subtotal: 'subtotal',
        Discount: 'discount_amount',
        Shipping: 'shipping',
        Tax: 'tax',
        Total: 'total',
        Refunded: 'refund_amount',
      },
      embedded: { items: { Name: 'name', Quantity: 'quantity', Price: 'price' } },
    },
    search: { by: 'ID or email address', email: 'email' },
  },
  fields: {
    id: uuid('Order ID'),
    customer_id: uuid('ID of the customer; null for guest checkout').orNull(),
    email: text('Email address of the buyer').asPersonal('pseudonym'),
    status: oneOf(ORDER_STATUSES, 'Progress of payment and delivery'),
    subtotal: money('Total of the items, before tax, shipping, and discounts'),
    tax: money('Tax charged'),
    tax_breakdown: json(
      {
        outer: 'array',
        entryName: 'TaxShare',
        entries: { rate: 'number', baseCents: 'integer', taxCents: 'integer' },
      },
      'Tax for each tax rate, if the order has several rates. The taxes of all rates add up to the field tax. Its amounts are in cents, unlike those of other fields',
    ).from('v1.4'),
    shipping: money('Shipping charged'),
    total: money('Amount that the customer paid'),
    currency: text('Currency of the order, as an ISO 4217 code. null means the store_currency of the store').from(
      'v1.1',
    ),
    refund_amount: money('Total refunded so far').orNull(),
    return_reason: text('Reason that the customer gave for a return').orNull().asPersonal('null'),
    discount_code: text(
      'Discount code; null if the order has none. An automatic discount sets only discount_amount',
    ).orNull(),
    discount_amount: money('Total of the discounts').orNull(),
    payment_provider: oneOf(
      PAYMENT_PROVIDERS,
      'processor for card payments; manual for a manual payment method. null means processor',
      'processor',
    ).from('v1.1'),
    payment_method_id: uuid('ID of the manual payment method, if payment_provider is manual').from('v1.1'),
    payment_method_label: text('Name of the manual payment method, as it was at the time of the order').from('v1.1'),
    pickup_location_id: uuid('ID of the pickup location, if the customer picks up the order').from('v1.2'),
    shipping_address: json(ORDER_ADDRESS, 'Shipping address at the time of the order').orNull().asPersonal('region'),
    billing_address: json(ORDER_ADDRESS, 'Billing address at the time of the order').orNull().asPersonal('region'),
    processor_payment_intent_id: text('ID of the payment intent at the payment processor. Use it to match payments')
      .orNull()
      .nullWhenever('payment_provider', 'manual')
      .asPersonal('null'),
    processor_charge_id: text('ID of the charge at the payment processor')
      .orNull()
      .nullWhenever('payment_provider', 'manual')
      .asPersonal('null'),
    receipt_url: text('URL of the receipt at the payment processor').orNull().asPersonal('null'),
    tracking_number: text('Tracking number of the shipment. The store sets it when it ships the order')
      .orNull()
      .asPersonal('null'),
    tracking_url: text('URL of the tracking page of the carrier').orNull().asPersonal('null'),
    carrier: text('Carrier code').orNull(),
    shipping_method: text('Shipping option that the customer chose').orNull(),
    locale: text('Language of the checkout').from('v1.3'),
    metafields: json(METAFIELDS, 'Custom fields of the order. Catalog imports set them')
      .from('v1.5')
      .asPersonal('null'),
    created_at: timestamp('Time at which the customer placed the order'),
    updated_at: timestamp('Time of the last change. The parameter updated_since filters by it'),
    items: many(orderItem, 'order_id', 'Line items'),
  },
})
