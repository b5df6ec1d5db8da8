// Quotes and splits SQL, for statements that can't have parameters, such as grants.

/** Returns a name in double quotes, for SQL. Quotes in the name are doubled, so every name is safe. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Returns the quoted name of a schema. `public` stays unquoted, as people write it. */
export function quoteSchema(schemaName: string): string {
  return schemaName === 'public' ? schemaName : quoteName(schemaName)
}

/** Returns the quoted name of a table with its schema. */
export function quoteTable(schemaName: string, table: string): string {
  return `${quoteSchema(schemaName)}.${quoteName(table)}`
}

/**
 * Returns a string constant for SQL. Quotes and backslashes are escaped, so it does not depend on
 * `standard_conforming_strings`.
 */
export function quoteText(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`
  return text.includes('\\') ? `E${quoted.replaceAll('\\', '\\\\')}` : quoted
}

/** Returns a block of code between dollar quotes. The name of a role or a database in it can contain `$$`. */
export function dollarQuote(block: string): string {
  let tag = '$$'
  for (let attempt = 1; block.includes(tag); attempt++) tag = `$block${attempt}$`
  return `${tag} ${block} ${tag}`
}

/** Returns the parts of a list between commas outside parentheses and quotes. */
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

/**
 * Returns an SQL file's statements without `--` comments. It doesn't support block comments. Semicolons in quotes and
 * `$$` bodies don't split a statement.
 */
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
