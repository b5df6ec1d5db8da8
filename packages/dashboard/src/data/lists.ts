// The lists of the Data pages, each declared once: where it is served, and the few fields that its table shows. The row
// opened as JSON, and the CSV, show them all.

import {
  category,
  customer,
  customerGroup,
  ENDPOINTS,
  location,
  order,
  product,
  type Resource,
} from '@store-export/contract'
import type { Search } from '@store-export/engine'
import type { Cell, DataList } from '../pages/models.ts'
import { partOf } from './part-of.ts'
import type { RowTexts } from './row-texts.ts'

/** What a cell needs to know besides its row. */
export interface CellContext {
  /** ISO 4217 code of the store; null where it says none. */
  readonly storeCurrency: string | null
}

/** A column of a table. */
export interface ListColumn {
  readonly label: string
  readonly kind: Cell['kind']
  /** Sources of the text by their names in `RowTexts`: fields, `items`, or `variants.inventory`. */
  readonly fields: readonly string[]
  /** The cell's text from the texts of these fields, in their order; null if there is none. */
  readonly text: (texts: readonly (string | null)[], context: CellContext) => string | null
}

/** How the search finds a row of a list. */
export interface ListSearch {
  /** Accepted input, as the end of a sentence: "ID or e-mail address". */
  readonly by: string
  /** Fields to search; null if only IDs can be found. */
  readonly fields: (text: string) => Pick<Search, 'equal' | 'containing'> | null
}

/** A list. */
export interface ListDeclaration {
  readonly list: DataList
  readonly label: string
  readonly resource: Resource
  /** The part of the resource that the table reads. The other fields can have megabytes. */
  readonly shown: Resource
  readonly columns: readonly ListColumn[]
  readonly search: ListSearch
}

const BY_ADDRESS = { equal: ['email'], containing: [] }
const BY_NAME: ListSearch = { by: 'ID or name', fields: () => ({ equal: [], containing: ['name'] }) }

/** The lists in the order of their tabs. */
export const LISTS: readonly ListDeclaration[] = declare([
  {
    list: 'orders',
    label: 'Orders',
    resource: order,
    search: { by: 'ID or e-mail address', fields: (text) => (isAddress(text) ? BY_ADDRESS : null) },
    columns: [
      field('Created', 'created_at', 'instant'),
      field('Status', 'status', 'status'),
      { label: 'Payment', kind: 'text', fields: ['payment_provider', 'payment_method_label'], text: payment },
      field('Customer', 'email'),
      { label: 'Items', kind: 'number', fields: ['items'], text: ([items = null]) => items },
      { label: 'Total', kind: 'money', fields: ['total', 'currency'], text: amount },
      field('Id', 'id', 'id'),
    ],
  },
  {
    list: 'customers',
    label: 'Customers',
    resource: customer,
    search: {
      by: 'ID, e-mail address or name',
      fields: (text) => (isAddress(text) ? BY_ADDRESS : { equal: ['phone'], containing: ['name'] }),
    },
    columns: [
      field('Created', 'created_at', 'instant'),
      field('Email', 'email'),
      field('Name', 'name'),
      field('Phone', 'phone'),
      field('Language', 'locale'),
      field('Id', 'id', 'id'),
    ],
  },
  {
    list: 'products',
    label: 'Products',
    resource: product,
    search: {
      by: 'ID, SKU or name',
      fields: () => ({ equal: ['sku', 'slug', 'variants.sku'], containing: ['name'] }),
    },
    columns: [
      field('Created', 'created_at', 'instant'),
      field('Name', 'name'),
      field('Status', 'status', 'status'),
      { label: 'Variants', kind: 'number', fields: ['variants'], text: ([all = null]) => all },
      { label: 'Stock', kind: 'number', fields: ['inventory', 'variants.inventory'], text: stock },
      { label: 'Price', kind: 'money', fields: ['price'], text: ([price = null], context) => amount([price], context) },
      field('Id', 'id', 'id'),
    ],
  },
  {
    list: 'categories',
    label: 'Categories',
    resource: category,
    search: BY_NAME,
    columns: [
      field('Created', 'created_at', 'instant'),
      field('Name', 'name'),
      field('Slug', 'slug'),
      field('Parent', 'parent_id', 'id'),
      field('Order', 'order', 'number'),
      field('Id', 'id', 'id'),
    ],
  },
  {
    list: 'locations',
    label: 'Locations',
    resource: location,
    search: BY_NAME,
    columns: [
      field('Created', 'created_at', 'instant'),
      field('Name', 'name'),
      field('City', 'city'),
      field('Country', 'country'),
      flag('Pickup', 'pickup_enabled'),
      flag('In use', 'is_active'),
      field('Id', 'id', 'id'),
    ],
  },
  {
    list: 'customer-groups',
    label: 'Customer groups',
    resource: customerGroup,
    search: BY_NAME,
    columns: [
      field('Created', 'created_at', 'instant'),
      field('Name', 'name'),
      field('Description', 'description'),
      flag('In use', 'is_active'),
      field('Order', 'sort_order', 'number'),
      field('Id', 'id', 'id'),
    ],
  },
])

function declare(lists: readonly Omit<ListDeclaration, 'shown'>[]): ListDeclaration[] {
  return lists.map((list) => {
    const shown = partOf(list.resource, ['created_at', 'id', ...list.columns.flatMap(({ fields }) => fields)])
    return { ...list, shown }
  })
}

function isAddress(text: string): boolean {
  return text.includes('@')
}

/** The list called `name` in addresses, or null. */
export function findList(name: string): ListDeclaration | null {
  return LISTS.find(({ list }) => list === name) ?? null
}

/** Path at the API of the list. */
export function listPath({ resource }: ListDeclaration): string {
  return ENDPOINTS.find((each) => each.resource === resource && each.answer.kind === 'page')?.path ?? ''
}

/** Path at the API of one row; of the list where the API has none for one. */
export function rowPath(declaration: ListDeclaration, id: string): string {
  const one = ENDPOINTS.find(({ resource, answer }) => resource === declaration.resource && answer.kind === 'one')
  return one?.path.replace('{id}', id) ?? listPath(declaration)
}

/** The cells of a row in the list's table. */
export function cellsOf({ columns }: ListDeclaration, row: RowTexts, context: CellContext): Cell[] {
  return columns.map(({ kind, fields, text }) => {
    const texts = fields.map((name) => row.get(name) ?? null)
    return { kind, text: text(texts, context) }
  })
}

function field(label: string, name: string, kind: Cell['kind'] = 'text'): ListColumn {
  return { label, kind, fields: [name], text: ([text = null]) => text }
}

function flag(label: string, name: string): ListColumn {
  const words = new Map([
    ['true', 'yes'],
    ['false', 'no'],
  ])
  return { label, kind: 'text', fields: [name], text: ([text]) => words.get(text ?? '') ?? null }
}

/** The amount with its currency: the order's own, else the store's. */
function amount([digits = null, currency]: readonly (string | null)[], { storeCurrency }: CellContext): string | null {
  const code = currency ?? storeCurrency
  return digits === null || code === null ? digits : `${digits} ${code}`
}

/** How it was paid: no provider means by card, as the contract says. */
function payment([provider, label]: readonly (string | null)[]): string | null {
  return provider === 'manual' ? (label ?? 'manual') : 'card'
}

/** Stock of the product, or the sum over its variants. */
function stock([own = null, ofVariants = null]: readonly (string | null)[]): string | null {
  return ofVariants ?? own
}
