import { integer, json, text, timestamp, uuid } from '../field.ts'
import { resource } from '../resource.ts'
import { TRANSLATIONS } from '../shapes.ts'

/** A category. A child category has no children of its own. */
export const category = resource({
  name: 'Category',
  plural: 'categories',
  table: 'categories',
  note: 'A product category. A category can have a parent category. There are only these two levels.',
  view: {
    columns: {
      Name: 'name',
      Slug: 'slug',
      Parent: { fields: ['parent_id'], namedBy: 'name' },
      Position: 'order',
      Created: 'created_at',
    },
    search: { by: 'ID or name', containing: ['name'] },
  },
  fields: {
    id: uuid('Category ID'),
    name: text('Name in the default language'),
    slug: text('Name in URLs, unique within the store'),
    description: text('Description').orNull(),
    image: text('URL of the cover image').orNull(),
    parent_id: uuid('ID of the parent category; null at the top level').orNull(),
    order: integer('Display position among siblings'),
    translations: json(
      TRANSLATIONS,
      'Name and description for each locale. If a locale or a member is missing, use the name or description of the category',
    ).from('v1.3'),
    created_at: timestamp('Time of creation'),
  },
})
