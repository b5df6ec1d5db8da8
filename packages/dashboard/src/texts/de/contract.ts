// Names that come from the contract. A test proves that none is missing. Unknown names stay English.

import type { ContractTexts } from '../en/contract.ts'

export const contract = (): ContractTexts => ({
  name: (text) => NAMES[text.toLowerCase()] ?? text,
  column: (text) => COLUMNS[text] ?? text,
  searchedFields: (text) => SEARCHED_FIELDS[text] ?? text,
  value: (text) => VALUES[text] ?? text.replaceAll('_', ' '),
})

type Names = Readonly<Record<string, string>>

const NAMES: Names = {
  store: 'Shop',
  stores: 'Shops',
  order: 'Bestellung',
  orders: 'Bestellungen',
  'order items': 'Bestellpositionen',
  customer: 'Kunde',
  customers: 'Kunden',
  'customer address': 'Kundenadresse',
  'customer addresses': 'Kundenadressen',
  'customer group': 'Kundengruppe',
  'customer groups': 'Kundengruppen',
  product: 'Produkt',
  products: 'Produkte',
  variants: 'Varianten',
  category: 'Kategorie',
  categories: 'Kategorien',
  location: 'Standort',
  locations: 'Standorte',
}

const COLUMNS: Names = {
  Created: 'Angelegt',
  Status: 'Status',
  Payment: 'Zahlung',
  Customer: 'Kunde',
  Items: 'Positionen',
  Total: 'Summe',
  Name: 'Name',
  Variants: 'Varianten',
  Stock: 'Bestand',
  Price: 'Preis',
  Email: 'E-Mail',
  Phone: 'Telefon',
  Language: 'Sprache',
  Slug: 'URL-Name',
  Parent: 'Oberkategorie',
  Position: 'Position',
  Description: 'Beschreibung',
  'In use': 'In Gebrauch',
  City: 'Ort',
  Country: 'Land',
  Pickup: 'Abholung',
  SKU: 'SKU',
  Vendor: 'Hersteller',
  'Last change': 'Letzte Änderung',
  'Shipping address': 'Lieferadresse',
  'Billing address': 'Rechnungsadresse',
  'Shipping method': 'Versandart',
  'Tracking number': 'Sendungsnummer',
  'Discount code': 'Rabattcode',
  Subtotal: 'Zwischensumme',
  Discount: 'Rabatt',
  Shipping: 'Versand',
  Tax: 'Steuer',
  Refunded: 'Erstattet',
  Quantity: 'Menge',
}

const SEARCHED_FIELDS: Names = {
  'ID or email address': 'ID oder E-Mail-Adresse',
  'ID or name': 'ID oder Name',
  'ID, email address or name': 'ID, E-Mail-Adresse oder Name',
  'ID, SKU or name': 'ID, SKU oder Name',
}

const VALUES: Names = {
  yes: 'ja',
  no: 'nein',
  card: 'Karte',
  pending: 'offen',
  paid: 'bezahlt',
  shipped: 'versendet',
  delivered: 'zugestellt',
  cancelled: 'storniert',
  refunded: 'erstattet',
  return_requested: 'Rückgabe angefragt',
  draft: 'Entwurf',
  active: 'aktiv',
  archived: 'archiviert',
}
