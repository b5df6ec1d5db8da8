// Physical store locations for click and collect.

import { boolean, decimal, integer, json, text, timestamp, uuid } from '../field.ts'
import { resource } from '../resource.ts'

const COORDINATE_DIGITS = 'decimal string with the digits stored, not cut to two decimals'

/** A pickup location. */
export const location = resource({
  name: 'Location',
  plural: 'locations',
  table: 'locations',
  note: 'A physical store location for click and collect.',
  since: 'v1.2',
  view: {
    columns: {
      Created: 'created_at',
      Name: 'name',
      City: 'city',
      Country: 'country',
      Pickup: 'pickup_enabled',
      'In use': 'is_active',
      Id: 'id',
    },
    search: { by: 'ID or name', containing: ['name'] },
  },
  fields: {
    id: uuid('Matches pickup_location_id of orders'),
    name: text('Location name'),
    description: text('Description').orNull(),
    address1: text('Street and number').orNull(),
    address2: text('Second line').orNull(),
    city: text('City').orNull(),
    state: text('State or region').orNull(),
    postal_code: text('Postal code').orNull(),
    country: text('ISO 3166-1 alpha-2').orNull(),
    latitude: decimal(`Degrees north; ${COORDINATE_DIGITS}`).orNull(),
    longitude: decimal(`Degrees east; ${COORDINATE_DIGITS}`).orNull(),
    phone: text('Phone number').orNull(),
    email: text('Email address').orNull(),
    image_url: text('Picture of the place').orNull(),
    opening_hours: json(
      { outer: 'array', entries: { day: 'integer', open: 'text', close: 'text', closed: 'boolean' } },
      'Seven-day grid; day 0 is Monday',
    ),
    pickup_enabled: boolean('Pickup possible here'),
    pickup_instructions: text('What the customer is told').orNull(),
    preparation_time: text('Free text duration').orNull(),
    is_active: boolean('In use'),
    sort_order: integer('Display position'),
    external_id: text('Source-system id when imported').orNull(),
    created_at: timestamp('When created'),
    updated_at: timestamp('Last change'),
  },
})
