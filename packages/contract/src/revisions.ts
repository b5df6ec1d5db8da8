/** The schema versions of API v1, oldest first. Source: the specification, "Versioning". */
export const REVISIONS = [
  {
    id: 'launch',
    date: '2026-07-08',
    summary:
      'Store, orders with items, customers, products with variants, categories; cursor pagination; incremental filters; per-store keys; 120 requests per minute',
  },
  {
    id: 'v1.1',
    date: '2026-07-08',
    summary:
      'Customer phone, group_id, updated_at, updated_since; customer addresses and customer groups; order currency, payment_provider, payment_method_id, payment_method_label; store store_country; customers are mutable',
  },
  { id: 'v1.2', date: '2026-07-09', summary: 'Order pickup_location_id; locations endpoint' },
  {
    id: 'v1.3',
    date: '2026-07-10',
    summary:
      'Multi-language: translations on products and categories, locale on orders and customers, store default_locale and enabled_locales',
  },
  { id: 'v1.4', date: '2026-07-15', summary: 'Product tax_class; order tax_breakdown' },
  { id: 'v1.5', date: '2026-07-16', summary: 'Order metafields' },
  { id: 'v1.6', date: '2026-09-30', summary: 'weight_grams on products and variants; store weight_unit' },
] as const

/** ID of a schema version: `launch`, `v1.1`, and so on. */
export type RevisionId = (typeof REVISIONS)[number]['id']

export const LATEST_REVISION: RevisionId = REVISIONS[REVISIONS.length - 1]?.id ?? 'launch'

/** Whether stores at schema version `revision` have what the version `since` added. */
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
