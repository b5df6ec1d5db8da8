// Customers who created an account or checked out.

import { text, timestamp, uuid } from '../field.ts'
import { resource } from '../resource.ts'

/** A customer. The password hash that the table also has is no field, so nothing can ever select it. */
export const customer = resource({
  name: 'Customer',
  plural: 'customers',
  table: 'customers',
  note: 'A customer who created an account or checked out. Rows are mutable on newer stores.',
  view: {
    columns: { Created: 'created_at', Email: 'email', Name: 'name', Phone: 'phone', Language: 'locale', Id: 'id' },
    search: { by: 'ID, e-mail address or name', email: 'email', equal: ['phone'], containing: ['name'] },
  },
  fields: {
    id: uuid('Customer id'),
    email: text('Unique within the store'),
    name: text('Full name').orNull(),
    phone: text('Phone number').from('v1.1'),
    group_id: uuid('Customer group, at most one').from('v1.1'),
    processor_customer_id: text('Customer id at the processor, for reconciliation').orNull(),
    locale: text('Preferred language').from('v1.3'),
    email_verified: timestamp('When verified; null if never').orNull(),
    created_at: timestamp('Drives created_since'),
    updated_at: timestamp('Last profile change; drives updated_since').from('v1.1'),
  },
})
