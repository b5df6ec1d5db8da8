// Merchant-defined customer types used for segmentation.

import { boolean, integer, text, timestamp, uuid } from '../field.ts'
import { resource } from '../resource.ts'

/** A customer group. */
export const customerGroup = resource({
  name: 'Customer group',
  plural: 'customer groups',
  table: 'customer_groups',
  note: 'A merchant-defined customer type used for segmentation.',
  since: 'v1.1',
  view: {
    columns: {
      Created: 'created_at',
      Name: 'name',
      Description: 'description',
      'In use': 'is_active',
      Order: 'sort_order',
      Id: 'id',
    },
    search: { by: 'ID or name', containing: ['name'] },
  },
  fields: {
    id: uuid('Matches group_id of customers'),
    name: text('Group name'),
    description: text('Description').orNull(),
    is_active: boolean('In use'),
    sort_order: integer('Display position'),
    created_at: timestamp('When created'),
    updated_at: timestamp('Last change'),
  },
})
