/**
 * Whether `sql` has more than comments after its first statement. `first` is the text of that statement, as SQLite has
 * split it. SQLite ignores further statements without an error.
 */
export function hasSecondStatement(sql: string, first: string): boolean {
  return !ONLY_COMMENTS.test(sql.slice(first.length))
}

/**
 * Matches text that has only comments, spaces, and semicolons. The text begins between two statements, so no string or
 * quoted name can contain its comments.
 */
const ONLY_COMMENTS = /^(?:[\s;]|--[^\n]*(?:\n|$)|\/\*(?:(?!\*\/)[\s\S])*(?:\*\/|$))*$/
