// Live addresses that a customer manages; distinct from the frozen snapshots on orders.

import { boolean, text, timestamp, uuid } from '../field.ts'
import { resource } from '../resource.ts'

/** A saved address. Removed ones are not served (R23). */
export const customerAddress = resource({
  name: 'Customer address',
  plural: 'customer addresses',
  table: 'customer_addresses',
  note: 'A saved address-book entry of a customer; only active ones are served.',
  since: 'v1.1',
  removedColumn: 'deleted_at',
  fields: {
    id: uuid('Address id'),
    customer_id: uuid('Owner'),
    label: text('Nickname').orNull(),
    first_name: text('First name'),
    last_name: text('Last name'),
    company: text('Company').orNull(),
    line1: text('Street and number'),
    line2: text('Second line').orNull(),
    city: text('City'),
    state: text('State or region').orNull(),
    postal_code: text('Postal code'),
    country: text('ISO 3166-1 alpha-2'),
    phone: text('Phone number').orNull(),
    is_default_shipping: boolean('Default for shipping'),
    is_default_billing: boolean('Default for billing'),
    created_at: timestamp('When saved'),
    updated_at: timestamp('Last change'),
  },
})
