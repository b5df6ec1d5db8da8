// Names and texts inside SQL that takes no parameters: roles, grants, passwords. In charge of the quoting only.

/** `name` as a quoted identifier. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** The schema as an identifier; `public` without quotes, as people write it. */
export function quoteSchema(schemaName: string): string {
  return schemaName === 'public' ? schemaName : quoteName(schemaName)
}

/** The table of the schema as an identifier. */
export function quoteTable(schemaName: string, table: string): string {
  return `${quoteSchema(schemaName)}.${quoteName(table)}`
}

/** `text` as a string constant that reads the same whatever `standard_conforming_strings` says. */
export function quoteText(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`
  return text.includes('\\') ? `E${quoted.replaceAll('\\', '\\\\')}` : quoted
}

/** The parts of a list, split at the commas that stand outside of brackets and quotes. */
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

/** The statements of an SQL file, without its comments. Knows quotes and `$$` bodies, which hold semicolons. */
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
