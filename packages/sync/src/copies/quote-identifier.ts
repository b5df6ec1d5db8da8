/** Returns a name in double quotes for SQL. MySQL needs `ANSI_QUOTES` for them, which `MySqlSession` sets. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
