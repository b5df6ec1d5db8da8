// Orders, and the line items embedded in them.

import { integer, json, many, money, oneOf, text, timestamp, uuid } from '../field.ts'
import { resource } from '../resource.ts'
import { ATTRIBUTES, METAFIELDS, ORDER_ADDRESS } from '../shapes.ts'

/** Where an order can stand. */
export const ORDER_STATUSES = [
  'pending',
  'paid',
  'shipped',
  'delivered',
  'cancelled',
  'refunded',
  'return_requested',
] as const

/** How an order was paid: by card through the processor, or by a manual method. */
export const PAYMENT_PROVIDERS = ['processor', 'manual'] as const

/** A line of an order. */
export const orderItem = resource({
  name: 'Order item',
  plural: 'order items',
  table: 'order_items',
  note: 'A line of an order. Name and price are snapshots from purchase time.',
  fields: {
    id: uuid('Order item id'),
    order_id: uuid('Parent order'),
    product_id: uuid('Product purchased'),
    variant_id: uuid('Variant purchased, if any').orNull(),
    name: text('Product name at purchase time'),
    price: money('Unit price at purchase time'),
    quantity: integer('Units'),
    attributes: json(ATTRIBUTES, 'Variant attributes at purchase time: option name to value').orNull(),
    created_at: timestamp('When the line was written'),
  },
})

/** An order with its line items. */
export const order = resource({
  name: 'Order',
  plural: 'orders',
  table: 'orders',
  note: 'An order placed on the storefront, line items embedded. Orders paid by a manual method have payment_provider manual and null processor ids. An order with a pickup_location_id is picked up in person; its shipping_address holds the location’s address snapshot.',
  view: {
    columns: {
      Created: 'created_at',
      Status: 'status',
      Payment: { fields: ['payment_method_label', 'payment_provider'], words: { processor: 'card' }, absent: 'card' },
      Customer: 'email',
      Items: 'items',
      Total: 'total',
      Id: 'id',
    },
    search: { by: 'ID or e-mail address', email: 'email' },
  },
  fields: {
    id: uuid('Order id'),
    customer_id: uuid('null for guest checkout').orNull(),
    email: text('Buyer email, always present'),
    status: oneOf(ORDER_STATUSES, 'Where the order stands'),
    subtotal: money('Item total before tax, shipping, discounts'),
    tax: money('Tax charged'),
    tax_breakdown: json(
      { outer: 'array', entries: { rate: 'number', baseCents: 'integer', taxCents: 'integer' } },
      'Tax by rate, summing to tax; present on multi-rate orders',
    ).from('v1.4'),
    shipping: money('Shipping charged'),
    total: money('Amount the customer paid'),
    currency: text('ISO 4217 code at order time; null means store_currency').from('v1.1'),
    refund_amount: money('Total refunded so far').orNull(),
    return_reason: text('Customer’s reason when a return was requested').orNull(),
    discount_code: text('Code applied, if any; automatic discounts can set discount_amount without a code').orNull(),
    discount_amount: money('Amount discounts removed').orNull(),
    payment_provider: oneOf(
      PAYMENT_PROVIDERS,
      'processor for card payments, or manual; null means card processor',
      'processor',
    ).from('v1.1'),
    payment_method_id: uuid('Manual payment method used when payment_provider is manual').from('v1.1'),
    payment_method_label: text('Name of the manual method at order time').from('v1.1'),
    pickup_location_id: uuid('Set for click and collect; resolves against locations').from('v1.2'),
    shipping_address: json(ORDER_ADDRESS, 'Address snapshot').orNull(),
    billing_address: json(ORDER_ADDRESS, 'Address snapshot, same shape as shipping_address').orNull(),
    processor_payment_intent_id: text('Payment intent id at the processor, for reconciliation')
      .orNull()
      .nullWhenever('payment_provider', 'manual'),
    processor_charge_id: text('Charge id at the processor').orNull().nullWhenever('payment_provider', 'manual'),
    receipt_url: text('Processor-hosted receipt').orNull(),
    tracking_number: text('Set once fulfilled').orNull(),
    tracking_url: text('Carrier tracking link').orNull(),
    carrier: text('Carrier code').orNull(),
    shipping_method: text('Shipping option chosen').orNull(),
    locale: text('Language of checkout').from('v1.3'),
    metafields: json(METAFIELDS, 'Order-level custom fields, populated by catalog imports').from('v1.5'),
    created_at: timestamp('When placed'),
    updated_at: timestamp('Last change; drives updated_since'),
    items: many(orderItem, 'order_id', 'Line items'),
  },
})
