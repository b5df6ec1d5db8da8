// Texts of Settings > General.

import { html } from '../../ui/html.ts'

export const general = () => ({
  title: 'General',
  lead: 'Your store as your tools see it.',
  noRow: 'The database of this store has no information about the store yet. Contact your platform’s support.',
  store: 'Store',
  facts: {
    name: 'Name',
    status: 'Status',
    storeId: 'Store ID',
    timeZone: 'Time zone',
    shopName: 'Shop name',
    contact: 'Contact',
    currency: 'Currency',
    country: 'Country',
    weightUnit: 'Weights shown in',
    languages: 'Languages',
    missingLists: 'Not available yet',
  },
  missingList: (list: string, since: string) => `${list} (from schema version ${since})`,
  rows: 'Rows',
  snapshot: {
    title: 'Snapshot',
    note: html`The response to <code>GET /api/v1/store</code>.`,
    label: 'JSON of the store',
    isLarge: 'The response is large, so the page shows only the beginning.',
  },
  schemaVersion: {
    title: 'Schema version',
    latest: 'Latest',
    latestIs: (version: string) => `Latest is ${version}`,
    published: (date: string) => `Published on ${date}.`,
    olderThanFirst: 'Older than the first version',
    complete: 'Your store has every field of the API.',
    nullFields: 'Fields without data',
    nullFieldsNote: html`Your store’s schema version does not have these fields yet. The API returns <code>null</code> for them.`,
    columns: { field: 'Field', since: 'Since', description: 'Description' },
  },
})

export type GeneralTexts = ReturnType<typeof general>
