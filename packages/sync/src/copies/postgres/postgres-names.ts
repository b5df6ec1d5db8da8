// Names of schemas, tables, and columns, quoted for statements.

/** The quoted name of a table with its schema. */
export function qualified(schema: string, table: string): string {
  return `${quoted(schema)}.${quoted(table)}`
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
