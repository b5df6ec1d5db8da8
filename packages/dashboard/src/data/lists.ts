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
import type { Cell, DataList } from '../pages/models.ts'
import { cellText, type ExactJson, type ExactRow, elementsOf } from './exact-json.ts'

/** What a cell needs to know besides its row. */
export interface CellContext {
  /** ISO 4217 code of the store; null where it says none. */
  readonly storeCurrency: string | null
}

/** A column of a table. */
export interface ListColumn {
  readonly label: string
  readonly kind: Cell['kind']
  /** Fields of the resource that the text is made of. */
  readonly fields: readonly string[]
  /** The cell's text from these fields' values, in their order; null where there is none. */
  readonly text: (values: readonly (ExactJson | undefined)[], context: CellContext) => string | null
}

/** A list. */
export interface ListDeclaration {
  readonly list: DataList
  readonly label: string
  readonly resource: Resource
  readonly columns: readonly ListColumn[]
}

/** The lists in the order of their tabs. */
export const LISTS: readonly ListDeclaration[] = [
  {
    list: 'orders',
    label: 'Orders',
    resource: order,
    columns: [
      field('Created', 'created_at', 'instant'),
      field('Status', 'status', 'status'),
      { label: 'Payment', kind: 'text', fields: ['payment_provider', 'payment_method_label'], text: payment },
      field('Customer', 'email'),
      { label: 'Items', kind: 'number', fields: ['items'], text: ([items]) => String(elementsOf(items).length) },
      { label: 'Total', kind: 'money', fields: ['total', 'currency'], text: amount },
      field('Id', 'id', 'id'),
    ],
  },
  {
    list: 'customers',
    label: 'Customers',
    resource: customer,
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
    columns: [
      field('Created', 'created_at', 'instant'),
      field('Name', 'name'),
      field('Status', 'status', 'status'),
      { label: 'Variants', kind: 'number', fields: ['variants'], text: ([all]) => String(elementsOf(all).length) },
      { label: 'Stock', kind: 'number', fields: ['inventory', 'variants'], text: stock },
      { label: 'Price', kind: 'money', fields: ['price'], text: ([price], context) => amount([price, null], context) },
      field('Id', 'id', 'id'),
    ],
  },
  {
    list: 'categories',
    label: 'Categories',
    resource: category,
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
    columns: [
      field('Created', 'created_at', 'instant'),
      field('Name', 'name'),
      field('Description', 'description'),
      flag('In use', 'is_active'),
      field('Order', 'sort_order', 'number'),
      field('Id', 'id', 'id'),
    ],
  },
]

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
export function cellsOf({ columns }: ListDeclaration, row: ExactRow, context: CellContext): Cell[] {
  return columns.map(({ kind, fields, text }) => {
    const values = fields.map((name) => row[name])
    return { kind, text: text(values, context) }
  })
}

function field(label: string, name: string, kind: Cell['kind'] = 'text'): ListColumn {
  return { label, kind, fields: [name], text: ([value]) => cellText(value) }
}

function flag(label: string, name: string): ListColumn {
  const words = (value: ExactJson | undefined) => (value === true ? 'yes' : value === false ? 'no' : null)
  return { label, kind: 'text', fields: [name], text: ([value]) => words(value) }
}

/** The amount with its currency: the order's own, else the store's. */
function amount([value, currency]: readonly (ExactJson | undefined)[], { storeCurrency }: CellContext): string | null {
  const digits = cellText(value)
  const code = cellText(currency) ?? storeCurrency
  return digits === null || code === null ? digits : `${digits} ${code}`
}

/** How it was paid: no provider means by card, as the contract says. */
function payment([provider, label]: readonly (ExactJson | undefined)[]): string | null {
  return provider === 'manual' ? (cellText(label) ?? 'manual') : 'card'
}

/** Stock of the product, or the sum over its variants. */
function stock([own, variants]: readonly (ExactJson | undefined)[]): string | null {
  const all = elementsOf(variants).map((each) => BigInt(cellText((each as ExactRow).inventory) ?? '0'))
  return all.length === 0 ? cellText(own) : String(all.reduce((sum, each) => sum + each, 0n))
}
