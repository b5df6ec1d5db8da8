import { boolean, text, timestamp, uuid } from '../field.ts'
import { resource } from '../resource.ts'

/**
 * A saved address. The API does not serve removed addresses. The country and the state are not personal, as in the
 * addresses of orders (`region`).
 */
export const customerAddress = resource({
  name: 'Customer address',
  plural: 'customer addresses',
  table: 'customer_addresses',
  note: 'An address that is in the address book of a customer. If a customer changes an address, the addresses in earlier orders stay the same.',
  since: 'v1.1',
  removedColumn: 'deleted_at',
  fields: {
    id: uuid('Address ID'),
    customer_id: uuid('ID of the customer'),
    label: text('Name that the customer gave the address').orNull().asPersonal('null'),
    first_name: text('First name').asPersonal('null'),
    last_name: text('Last name').asPersonal('null'),
    company: text('Company').orNull().asPersonal('null'),
    line1: text('Street and number').asPersonal('null'),
    line2: text('Second address line').orNull().asPersonal('null'),
    city: text('City').asPersonal('null'),
    state: text('State or region').orNull(),
    postal_code: text('Postal code').asPersonal('null'),
    country: text('Country code, ISO 3166-1 alpha-2'),
    phone: text('Phone number').orNull().asPersonal('null'),
    is_default_shipping: boolean('Whether this is the default shipping address'),
    is_default_billing: boolean('Whether this is the default billing address'),
    created_at: timestamp('Time of creation'),
    updated_at: timestamp('Time of the last change. The parameter updated_since filters by it'),
  },
})
