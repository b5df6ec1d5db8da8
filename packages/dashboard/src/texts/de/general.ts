import { html } from '../../ui/html.ts'
import type { GeneralTexts } from '../en/general.ts'

export const general = (): GeneralTexts => ({
  title: 'Allgemein',
  lead: 'Ihr Shop, wie Ihre Tools ihn sehen.',
  noRow:
    'Die Datenbank dieses Shops enthält noch keine Angaben zum Shop. Wenden Sie sich an den Support Ihrer Plattform.',
  store: 'Shop',
  facts: {
    name: 'Name',
    status: 'Status',
    storeId: 'Shop-ID',
    timeZone: 'Zeitzone',
    shopName: 'Shopname',
    contact: 'Kontakt',
    currency: 'Währung',
    country: 'Land',
    weightUnit: 'Gewichte angezeigt in',
    languages: 'Sprachen',
    missingLists: 'Noch nicht verfügbar',
  },
  missingList: (list, since) => `${list} (ab Schemaversion ${since})`,
  rows: 'Zeilen',
  snapshot: {
    title: 'Momentaufnahme',
    note: html`Die Antwort auf <code>GET /api/v1/store</code>.`,
    label: 'JSON des Shops',
    isLarge: 'Die Antwort ist groß. Die Seite zeigt nur den Anfang.',
  },
  schemaVersion: {
    title: 'Schemaversion',
    latest: 'Neueste',
    latestIs: (version) => `Neueste ist ${version}`,
    published: (date) => `Veröffentlicht am ${date}.`,
    olderThanFirst: 'Älter als die erste Version',
    complete: 'Ihr Shop hat alle Felder der API.',
    nullFields: 'Felder ohne Daten',
    nullFieldsNote: html`Die Schemaversion Ihres Shops hat diese Felder noch nicht. Die API liefert dafür <code>null</code>.`,
    columns: { field: 'Feld', since: 'Seit', description: 'Beschreibung' },
  },
})
