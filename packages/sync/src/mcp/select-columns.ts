import { digitsName } from '../copies/sqlite/sqlite-decimals.ts'
import { ALL_TABLES } from './visible-columns.ts'

/**
 * Returns the select list for the readable columns of a table, in the order of the contract. Decimals have the digits
 * that the service sent.
 */
export function selectColumns(table: string, readable: Readonly<Record<string, readonly string[]>>): string {
  const present = readable[table] ?? []
  const columns = ALL_TABLES.find(({ name }) => name === table)?.columns ?? []
  const names = columns.filter(({ name }) => present.includes(name))
  return names
    .map((column) => {
      const digits = digitsName(column)
      return column.kind === 'decimal' && present.includes(digits)
        ? `"${digits}" as "${column.name}"`
        : `"${column.name}"`
    })
    .join(', ')
}
