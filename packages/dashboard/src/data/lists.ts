// The lists of the Data pages, from the contract: each list whose resource declares a view. The table shows a few fields.
// The row opened as JSON, and the CSV, show them all.

import {
  ENDPOINTS,
  type Endpoint,
  type FieldType,
  type ListColumn,
  type ListView,
  REVISIONS,
  type Resource,
} from '@store-export/contract'
import type { Search } from '@store-export/engine'
import type { TableCell } from '../pages/models.ts'
import type { RowTexts } from './row-texts.ts'
import { selectFields } from './select-fields.ts'

type DeclaredColumn = Exclude<ListColumn, string>

/** What a cell needs to know besides its row. */
export interface CellContext {
  /** ISO 4217 code of the store; null if the store has none. */
  readonly storeCurrency: string | null
}

/** A column of a table. */
export interface TableColumn extends DeclaredColumn {
  readonly label: string
  readonly kind: TableCell['kind']
  /** Field with the currency of the row's amounts; null if they are in the store's currency. */
  readonly currency: string | null
}

/** A list. */
export interface ListDeclaration {
  /** Name in addresses: the last word of the endpoint's path. */
  readonly list: string
  readonly label: string
  /** Path at the API. */
  readonly path: string
  readonly resource: Resource
  /** The part of the resource that the table reads. The other fields can have megabytes. */
  readonly tableResource: Resource
  readonly columns: readonly TableColumn[]
  readonly search: ListView['search']
}

const YES_NO = { true: 'yes', false: 'no' }

/** The lists in the order of their tabs. */
export const LISTS: readonly ListDeclaration[] = listsOf(ENDPOINTS)

/** The lists among `endpoints` that the dashboard shows. Lists that older stores do not have come last. */
export function listsOf(endpoints: readonly Endpoint[]): ListDeclaration[] {
  return endpoints
    .filter(({ response }) => response.kind === 'page')
    .toSorted((one, other) => ageOf(one) - ageOf(other))
    .flatMap(({ path, resource }) => {
      const { view, plural } = resource
      if (view === undefined) return []
      const columns = Object.entries(view.columns).map(([label, column]) => columnOf(resource, label, column))
      const read = columns.flatMap(({ fields, currency }) => [...fields, ...(currency === null ? [] : [currency])])
      const tableResource = selectFields(resource, ['created_at', 'id', ...read])
      const label = plural.charAt(0).toUpperCase() + plural.slice(1)
      return [
        { list: path.split('/').at(-1) ?? '', label, path, resource, tableResource, columns, search: view.search },
      ]
    })
}

function ageOf({ since }: Endpoint): number {
  return REVISIONS.findIndex(({ id }) => id === since)
}

/** The list called `name` in addresses, or null. */
export function findList(name: string): ListDeclaration | null {
  return LISTS.find(({ list }) => list === name) ?? null
}

/** Path at the API of one row; of the list if the API has no endpoint for one row. */
export function rowPath(declaration: ListDeclaration, id: string): string {
  const one = ENDPOINTS.find(({ resource, response }) => resource === declaration.resource && response.kind === 'one')
  return one?.path.replace('{id}', id) ?? declaration.path
}

/** The fields that a search for `text` looks at; null if only IDs can be found. */
export function searchedFields(search: ListView['search'], text: string): Pick<Search, 'equal' | 'containing'> | null {
  const { email, equal = [], containing = [] } = search
  if (email !== undefined && text.includes('@')) return { equal: [email], containing: [] }
  return equal.length + containing.length === 0 ? null : { equal, containing }
}

/** The cells of a row in the list's table. */
export function cellsOf({ columns }: ListDeclaration, row: RowTexts, context: CellContext): TableCell[] {
  return columns.map((column) => ({ kind: column.kind, text: cellText(column, row, context) }))
}

function cellText(column: TableColumn, row: RowTexts, { storeCurrency }: CellContext): string | null {
  const found = column.fields.map((name) => row.get(name) ?? null).find((text) => text !== null)
  if (found === undefined) return column.absent ?? null
  const code = column.currency === null ? storeCurrency : (row.get(column.currency) ?? storeCurrency)
  if (column.kind === 'money' && code !== null) return `${found} ${code}`
  return column.words?.[found] ?? found
}

function columnOf(resource: Resource, label: string, column: ListColumn): TableColumn {
  const declared: DeclaredColumn = typeof column === 'string' ? { fields: [column] } : column
  const type = typeOf(resource, declared.fields[0])
  const kind = kindOf(type)
  const currency = kind === 'money' && 'currency' in resource.fields ? 'currency' : null
  return { ...(type.kind === 'boolean' ? { words: YES_NO } : {}), ...declared, label, kind, currency }
}

/** The type of a field, or of a field of embedded rows. */
function typeOf(resource: Resource, name: string): FieldType {
  const [own = '', embedded] = name.split('.')
  const type = resource.fields[own]?.type
  if (type === undefined) throw new Error(`${resource.name} has no field ${own}`)
  return embedded === undefined || type.kind !== 'many' ? type : typeOf(type.resource, embedded)
}

function kindOf(type: FieldType): TableCell['kind'] {
  switch (type.kind) {
    case 'timestamp':
      return 'instant'
    case 'oneOf':
      return 'status'
    case 'uuid':
      return 'id'
    case 'integer':
    case 'many':
      return 'number'
    case 'money':
      return type.isWeight ? 'number' : 'money'
    default:
      return 'text'
  }
}
