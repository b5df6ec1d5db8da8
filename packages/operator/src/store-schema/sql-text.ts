// Quotes and splits SQL, for statements without parameters such as grants.

/** Quotes an identifier. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Quotes a schema, except `public`, as people write it. */
export function quoteSchema(schemaName: string): string {
  return schemaName === 'public' ? schemaName : quoteName(schemaName)
}

/** Quotes a table with its schema. */
export function quoteTable(schemaName: string, table: string): string {
  return `${quoteSchema(schemaName)}.${quoteName(table)}`
}

/** Quotes a string constant. The result does not depend on `standard_conforming_strings`. */
export function quoteText(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`
  return text.includes('\\') ? `E${quoted.replaceAll('\\', '\\\\')}` : quoted
}

/** Splits a list at commas outside parentheses and quotes. */
export function splitAtCommas(list: string): string[] {
  const parts: string[] = []
  let depth = 0
  let current = ''
  for (const [token] of list.matchAll(/'(?:[^']|'')*'|"[^"]*"|[^'"(),]+|[\s\S]/g)) {
    if (token === '(') depth += 1
    if (token === ')') depth -= 1
    if (token === ',' && depth === 0) {
      parts.push(current.trim())
      current = ''
    } else {
      current += token
    }
  }
  return [...parts, current.trim()]
}

/** Splits an SQL file into statements without comments. Semicolons in quotes and `$$` bodies don't split. */
export function splitStatements(file: string): string[] {
  const statements: string[] = []
  let current = ''
  for (const [token] of file.matchAll(/--[^\n]*|\$\$[\s\S]*?\$\$|'[^']*'|"[^"]*"|;|[^;'"$-]+|[\s\S]/g)) {
    if (token === ';') {
      statements.push(current.trim())
      current = ''
    } else if (!token.startsWith('--')) {
      current += token
    }
  }
  return [...statements, current.trim()].filter((statement) => statement !== '')
}
