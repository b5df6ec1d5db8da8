// Categories, nested one level.

import { integer, json, text, timestamp, uuid } from '../field.ts'
import { resource } from '../resource.ts'
import { TRANSLATIONS } from '../shapes.ts'

/** A category. */
export const category = resource({
  name: 'Category',
  plural: 'categories',
  table: 'categories',
  note: 'A category; categories nest one level through parent_id.',
  view: {
    columns: { Created: 'created_at', Name: 'name', Slug: 'slug', Parent: 'parent_id', Order: 'order', Id: 'id' },
    search: { by: 'ID or name', containing: ['name'] },
  },
  fields: {
    id: uuid('Category id'),
    name: text('Name in the default language'),
    slug: text('Unique within the store'),
    description: text('Description').orNull(),
    image: text('Cover image URL').orNull(),
    parent_id: uuid('null = top level').orNull(),
    order: integer('Display position among siblings'),
    translations: json(TRANSLATIONS, 'Per-language name and description, same shape as product translations').from(
      'v1.3',
    ),
    created_at: timestamp('When created'),
  },
})
