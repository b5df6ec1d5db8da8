/** The schema versions of API v1, oldest first. Source: "Versioning" in docs/spec/store-data-export-service.md. */
export const REVISIONS = [
  {
    id: 'launch',
    date: '2026-07-08',
    summary:
      'The first version: the store, orders with items, customers, products with variants, and categories. Lists have pages and filters.',
  },
  {
    id: 'v1.1',
    date: '2026-07-08',
    summary:
      'New lists: customer addresses and customer groups. Customers: phone, group_id, and updated_at, with the parameter updated_since. Orders: currency, payment_provider, payment_method_id, and payment_method_label. Store: store_country.',
  },
  { id: 'v1.2', date: '2026-07-09', summary: 'New list: locations. Orders: pickup_location_id.' },
  {
    id: 'v1.3',
    date: '2026-07-10',
    summary:
      'Products and categories: translations. Orders and customers: locale. Store: default_locale and enabled_locales.',
  },
  { id: 'v1.4', date: '2026-07-15', summary: 'Products: tax_class. Orders: tax_breakdown.' },
  { id: 'v1.5', date: '2026-07-16', summary: 'Orders: metafields.' },
  { id: 'v1.6', date: '2026-09-30', summary: 'Products and variants: weight_grams. Store: weight_unit.' },
] as const

/** ID of a schema version: `launch`, `v1.1`, and so on. */
export type RevisionId = (typeof REVISIONS)[number]['id']

/** ID of the newest schema version. */
export const LATEST_REVISION: RevisionId = REVISIONS[REVISIONS.length - 1]?.id ?? 'launch'

/** Whether stores at schema version `revision` have the tables and columns that the version `since` added. */
export function includesRevision(revision: RevisionId, since: RevisionId): boolean {
  return positionOf(revision) >= positionOf(since)
}

/** Returns `text` as the ID of a schema version; null if no version has this ID. */
export function findRevision(text: string): RevisionId | null {
  return REVISIONS.find((revision) => revision.id === text)?.id ?? null
}

function positionOf(id: RevisionId): number {
  return REVISIONS.findIndex((revision) => revision.id === id)
}
