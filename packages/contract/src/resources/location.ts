import { boolean, decimal, integer, json, text, timestamp, uuid } from '../field.ts'
import { resource } from '../resource.ts'

const COORDINATE_DIGITS = 'as a decimal string with all stored digits'

/** A location of a store. Customers can pick up orders there only if `pickup_enabled` is true. */
export const location = resource({
  name: 'Location',
  plural: 'locations',
  table: 'locations',
  note: 'A physical location where customers can pick up orders.',
  since: 'v1.2',
  view: {
    columns: {
      Name: 'name',
      City: 'city',
      Country: 'country',
      Pickup: 'pickup_enabled',
      'In use': 'is_active',
      Created: 'created_at',
    },
    search: { by: 'ID or name', containing: ['name'] },
  },
  fields: {
    id: uuid('Location ID. Orders refer to it in pickup_location_id'),
    name: text('Location name'),
    description: text('Description').orNull(),
    address1: text('Street and number').orNull(),
    address2: text('Second address line').orNull(),
    city: text('City').orNull(),
    state: text('State or region').orNull(),
    postal_code: text('Postal code').orNull(),
    country: text('Country code, ISO 3166-1 alpha-2').orNull(),
    latitude: decimal(`Latitude in degrees north, ${COORDINATE_DIGITS}`).orNull(),
    longitude: decimal(`Longitude in degrees east, ${COORDINATE_DIGITS}`).orNull(),
    phone: text('Phone number').orNull(),
    email: text('Email address').orNull(),
    image_url: text('URL of a picture of the location').orNull(),
    opening_hours: json(
      {
        outer: 'array',
        entryName: 'OpeningHours',
        entries: { day: 'integer', open: 'text', close: 'text', closed: 'boolean' },
      },
      'Opening hours for each day of the week. Day 0 is Monday',
    ),
    pickup_enabled: boolean('Whether customers can pick up orders here'),
    pickup_instructions: text('Pickup instructions for customers').orNull(),
    preparation_time: text('Time to prepare an order, in free text').orNull(),
    is_active: boolean('Whether the location is active'),
    sort_order: integer('Display position'),
    external_id: text('ID of the location in the system from which it was imported').orNull(),
    created_at: timestamp('Time of creation'),
    updated_at: timestamp('Time of the last change'),
  },
})
