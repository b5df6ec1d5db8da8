// Defines the columns of the CSV downloads from the contract, so that a new field needs no change here. Embedded rows,
// such as order items, have a file of their own. An address has a column for each of its parts.

import type { Field, Resource } from '@store-export/contract'
import { LISTS } from './lists.ts'
import { selectFields } from './select-fields.ts'

/** A column of a CSV download, and the field that its values come from. */
export interface CsvColumn {
  /** Name of the column, such as `total`; `shipping_address.city` for a part of an address. */
  readonly header: string
  readonly field: string
  /** The part of an address; null for the whole field. */
  readonly part: string | null
  /** Whether the column contains numbers. These get no apostrophe: a minus sign at the start is not a formula. */
  readonly isNumber: boolean
}

/** A CSV download of a list, or of the rows that are embedded in a list's rows. */
export interface CsvFile {
  /** Name in URLs, such as `orders` or `order-items`. */
  readonly name: string
  /** Title on the page, such as "Orders" or "Order items". */
  readonly label: string
  /** The list whose page offers the download. */
  readonly list: string
  /** The list's resource with only the fields that the file needs. */
  readonly resource: Resource
  /** The field whose embedded rows are in the file; null for the rows of the list. */
  readonly embedded: string | null
  readonly columns: readonly CsvColumn[]
}

/** All files, in the order of the lists. The file of embedded rows follows the file of its list. */
export const CSV_FILES: readonly CsvFile[] = LISTS.flatMap(({ list, label, resource }): CsvFile[] => {
  const own = Object.entries(resource.fields).filter(([, { type }]) => type.kind !== 'many')
  const part = selectFields(
    resource,
    own.map(([name]) => name),
  )
  const file = { name: list, label, list, resource: part, embedded: null, columns: own.flatMap(columnsOf) }
  return [file, ...embeddedFiles(list, resource)]
})

/** Returns the file with this name in URLs; null for an unknown name. */
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
