// Derives the lists of the Data pages from the contract: every list whose resource declares a `view`, which says what
// these pages show. The table shows the columns of the view. The page of a row and the CSV file show all fields.

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
import type { Texts } from '../texts/en/english.ts'
import type { RowTexts } from './row-texts.ts'
import { selectFields } from './select-fields.ts'

type DeclaredColumn = Exclude<ListColumn, string>

/** Facts about the store that the cells of a row use. */
export interface CellContext {
  /** ISO 4217 code of the store's currency; null if the store has none. */
  readonly storeCurrency: string | null
  /** The texts in the merchant's language. */
  readonly texts: Pick<Texts, 'contract'>
  /** Names of rows of the list by ID, for columns with `namedBy`. */
  readonly names: ReadonlyMap<string, string>
}

/** A column of a list's table: its label, its fields, and the kind of its cells. */
export interface TableColumn extends DeclaredColumn {
  readonly label: string
  readonly kind: TableCell['kind']
  /** Field with the currency of the row's amounts; null if they are in the store's currency. */
  readonly currency: string | null
}

/** A table of embedded rows on the page of a row. */
export interface EmbeddedTable {
  /** The field with the embedded rows. */
  readonly field: string
  /** Title of the table, such as "Order items". */
  readonly label: string
  readonly resource: Resource
  readonly columns: readonly TableColumn[]
}

/** A list of the Data pages, its table, its rows, and its search. */
export interface ListDeclaration {
  /** Name in URLs: the last segment of the endpoint's path. */
  readonly list: string
  readonly label: string
  readonly path: string
  readonly resource: Resource
  /** The resource with only the fields of the table, because other fields can have megabytes. */
  readonly tableResource: Resource
  readonly columns: readonly TableColumn[]
  /** What the page of a row shows in addition to the columns. */
  readonly row: {
    readonly fields: readonly TableColumn[]
    readonly amounts: readonly TableColumn[]
    readonly embedded: readonly EmbeddedTable[]
  }
  readonly search: ListView['search']
}

const YES_NO = { true: 'yes', false: 'no' }

/** All lists, in the order of the tabs. */
export const LISTS: readonly ListDeclaration[] = listsOf(ENDPOINTS)

/** Returns the lists that the dashboard shows, by the schema version that added them. The oldest come first. */
export function listsOf(endpoints: readonly Endpoint[]): ListDeclaration[] {
  return endpoints
    .filter(({ response }) => response.kind === 'page')
    .toSorted((one, other) => ageOf(one) - ageOf(other))
    .flatMap(({ path, resource }) => {
      const { view, plural } = resource
      if (view === undefined) return []
      const columns = columnsOf(resource, view.columns)
      const read = columns.flatMap(({ fields, currency }) => [...fields, ...(currency === null ? [] : [currency])])
      const tableResource = selectFields(resource, ['created_at', 'id', ...read])
      const list = path.split('/').at(-1) ?? ''
      const { search } = view
      const declared = { resource, tableResource, columns, row: rowOf(resource, view), search }
      return [{ list, label: capitalized(plural), path, ...declared }]
    })
}

function rowOf(resource: Resource, { row = {} }: ListView): ListDeclaration['row'] {
  const { fields = {}, amounts = {}, embedded = {} } = row
  return {
    fields: columnsOf(resource, fields),
    amounts: columnsOf(resource, amounts),
    embedded: Object.entries(embedded).flatMap(([field, columns]): EmbeddedTable[] => {
      const type = typeOf(resource, field)
      if (type.kind !== 'many') return []
      const label = capitalized(type.resource.plural)
      return [{ field, label, resource: type.resource, columns: columnsOf(type.resource, columns) }]
    }),
  }
}

function columnsOf(resource: Resource, columns: ListView['columns']): TableColumn[] {
  return Object.entries(columns).map(([label, column]) => columnOf(resource, label, column))
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function ageOf({ since }: Endpoint): number {
  return REVISIONS.findIndex(({ id }) => id === since)
}

/** Returns the list with this name in URLs; null for an unknown name. */
export function findList(name: string): ListDeclaration | null {
  return LISTS.find(({ list }) => list === name) ?? null
}

/** Returns the API path of a row; the path of the list if the API has no endpoint for single rows. */
export function rowPath(declaration: ListDeclaration, id: string): string {
  const one = ENDPOINTS.find(({ resource, response }) => resource === declaration.resource && response.kind === 'one')
  return one?.path.replace('{id}', id) ?? declaration.path
}

/**
 * Returns the fields to search for `text`; null if no field can have this text. If the resource has an email address, a
 * text with @ is searched only there. The caller searches for IDs.
 */
export function searchedFields(search: ListView['search'], text: string): Pick<Search, 'equal' | 'containing'> | null {
  const { email, equal = [], containing = [] } = search
  if (email !== undefined && text.includes('@')) return { equal: [email], containing: [] }
  return equal.length + containing.length === 0 ? null : { equal, containing }
}

/** Returns a cell for each column. An amount has the currency of its row, or that of the store if the row has none. */
export function cellsOf(
  { columns }: Pick<ListDeclaration, 'columns'>,
  row: RowTexts,
  context: CellContext,
): TableCell[] {
  return columns.map((column) => {
    const cell = { kind: column.kind, text: cellText(column, row, context) }
    const currency =
      column.currency === null ? context.storeCurrency : (row.get(column.currency) ?? context.storeCurrency)
    return column.kind === 'money' && currency !== null ? { ...cell, currency } : cell
  })
}

/**
 * Returns the first value of the column's fields that is not null. If the column declares `namedBy` or `words`, returns
 * the name of the row with this ID, or the word for this value, instead.
 */
function cellText(column: TableColumn, row: RowTexts, { texts, names }: CellContext): string | null {
  const found = column.fields.map((name) => row.get(name) ?? null).find((text) => text !== null)
  if (found === undefined) return column.absent === undefined ? null : texts.contract.value(column.absent)
  if (column.namedBy !== undefined) return names.get(found) ?? found
  const word = column.words?.[found]
  return word === undefined ? found : texts.contract.value(word)
}

function columnOf(resource: Resource, label: string, column: ListColumn): TableColumn {
  const declared: DeclaredColumn = typeof column === 'string' ? { fields: [column] } : column
  const type = typeOf(resource, declared.fields[0])
  const kind = declared.namedBy === undefined ? kindOf(type) : 'text'
  const currency = kind === 'money' && 'currency' in resource.fields ? 'currency' : null
  return { ...(type.kind === 'boolean' ? { words: YES_NO } : {}), ...declared, label, kind, currency }
}

/** Returns the type of a field, which can be a field of embedded rows such as `items.quantity`. */
function typeOf(resource: Resource, name: string): FieldType {
  const [own = '', embedded] = name.split('.')
  const type = resource.fields[own]?.type
  if (type === undefined) throw new Error(`${resource.name} has no field ${own}`)
  return embedded === undefined || type.kind !== 'many' ? type : typeOf(type.resource, embedded)
}

function kindOf(type: FieldType): TableCell['kind'] {
  switch (type.kind) {
    case 'timestamp':
      return 'timestamp'
    case 'oneOf':
      return 'status'
    case 'uuid':
      return 'id'
    case 'integer':
    case 'many':
      return 'number'
    case 'money':
      // The contract declares weights as money, because both are decimal strings with two decimals.
      return type.isWeight ? 'number' : 'money'
    default:
      return 'text'
  }
}
