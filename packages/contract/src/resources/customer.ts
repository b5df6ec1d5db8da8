import { text, timestamp, uuid } from '../field.ts'
import { resource } from '../resource.ts'

/** A customer. The password hash of the table is not a field, so no statement selects it. */
export const customer = resource({
  name: 'Customer',
  plural: 'customers',
  table: 'customers',
  note: 'A customer who created an account or placed an order. Stores older than v1.1 do not track updates of customers.',
  view: {
    columns: {
      Name: { fields: ['name', 'email'] },
      Email: 'email',
      Phone: 'phone',
      Language: 'locale',
      Created: 'created_at',
    },
    row: { fields: { 'Last change': 'updated_at' } },
    search: { by: 'ID, email address or name', email: 'email', equal: ['phone'], containing: ['name'] },
  },
  fields: {
    id: uuid('Customer ID'),
    email: text('Email address, unique within the store').asPersonal('pseudonym'),
    name: text('Full name').orNull().asPersonal('null'),
    phone: text('Phone number').from('v1.1').asPersonal('null'),
    group_id: uuid('ID of the customer group; null if the customer is in no group').from('v1.1'),
    processor_customer_id: text('ID of the customer at the payment processor. Use it to match payments')
      .orNull()
      .asPersonal('null'),
    locale: text('Preferred language').from('v1.3'),
    email_verified: timestamp(
      'Time at which the customer verified the email address. null if the customer has not verified it',
    ).orNull(),
    created_at: timestamp('Time of creation. The parameter created_since filters by it'),
    updated_at: timestamp('Time of the last profile change. The parameter updated_since filters by it').from('v1.1'),
  },
})
