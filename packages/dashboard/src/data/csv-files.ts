// The CSV files of a store's lists: one for each list, and one for its embedded rows, because they do not fit
// into a cell. An order's address has a column for each of its parts.

import type { Field, Resource } from '@store-export/contract'
import { LISTS } from './lists.ts'
import { selectFields } from './select-fields.ts'

export interface CsvColumn {
  /** `total`, or `shipping_address.city` for a part of an address. */
  readonly header: string
  readonly field: string
  /** Part of the address that the field is; null for the whole field. */
  readonly part: string | null
  /** A number that begins with a minus is no formula. */
  readonly isNumber: boolean
}

export interface CsvFile {
  /** Part of its address: `orders`, `order-items`. */
  readonly name: string
  /** Title on the page: "Orders", "Order items". */
  readonly label: string
  /** The list that it is downloaded from. */
  readonly list: string
  /** The part of the list's resource that has the file's rows. */
  readonly resource: Resource
  /** Field whose embedded rows are the file's; null if its rows are those of the list. */
  readonly embedded: string | null
  readonly columns: readonly CsvColumn[]
}

/** Every file, in the order of the lists. */
export const CSV_FILES: readonly CsvFile[] = LISTS.flatMap(({ list, label, resource }): CsvFile[] => {
  const own = Object.entries(resource.fields).filter(([, { type }]) => type.kind !== 'many')
  const part = selectFields(
    resource,
    own.map(([name]) => name),
  )
  const file = { name: list, label, list, resource: part, embedded: null, columns: own.flatMap(columnsOf) }
  return [file, ...embeddedFiles(list, resource)]
})

/** The file called `name` in addresses, or null. */
export function findCsvFile(name: string): CsvFile | null {
  return CSV_FILES.find((file) => file.name === name) ?? null
}

function embeddedFiles(list: string, resource: Resource): CsvFile[] {
  return Object.entries(resource.fields).flatMap(([embedded, { type }]) => {
    if (type.kind !== 'many') return []
    const { fields, table, plural } = type.resource
    const names = Object.keys(fields).map((name) => `${embedded}.${name}`)
    const label = plural.charAt(0).toUpperCase() + plural.slice(1)
    const part = selectFields(resource, ['created_at', 'id', ...names])
    const columns = Object.entries(fields).flatMap(columnsOf)
    return [{ name: table.replaceAll('_', '-'), label, list, resource: part, embedded, columns }]
  })
}

function columnsOf([field, { type }]: [string, Field]): CsvColumn[] {
  const isNumber = ['money', 'decimal', 'integer'].includes(type.kind)
  if (type.kind !== 'json' || !('keys' in type.shape)) return [{ header: field, field, part: null, isNumber }]
  return type.shape.keys.map((part) => ({ header: `${field}.${part}`, field, part, isNumber: false }))
}
