import { quoteIdentifier } from '../quote-identifier.ts'

/** Returns the name of a table with its schema, quoted for SQL. */
export function qualifiedName(schema: string, table: string): string {
  return `${quoteIdentifier(schema)}.${quoteIdentifier(table)}`
}
