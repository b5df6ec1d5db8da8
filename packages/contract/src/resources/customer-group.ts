import { boolean, integer, text, timestamp, uuid } from '../field.ts'
import { resource } from '../resource.ts'

/** A group of customers, such as wholesale customers. */
export const customerGroup = resource({
  name: 'Customer group',
  plural: 'customer groups',
  table: 'customer_groups',
  note: 'A group of customers. The merchant defines the groups.',
  since: 'v1.1',
  view: {
    columns: {
      Name: 'name',
      Description: 'description',
      'In use': 'is_active',
      Position: 'sort_order',
      Created: 'created_at',
    },
    search: { by: 'ID or name', containing: ['name'] },
  },
  fields: {
    id: uuid('Group ID. Customers refer to it in group_id'),
    name: text('Group name'),
    description: text('Description').orNull(),
    is_active: boolean('Whether the group is active'),
    sort_order: integer('Display position'),
    created_at: timestamp('Time of creation'),
    updated_at: timestamp('Time of the last change'),
  },
})
