/**
 * Whether `sql` has more than comments after its first statement. `first` is the text of that statement, as SQLite has
 * split it. SQLite ignores further statements without an error.
 */
export function hasSecondStatement(sql: string, first: string): boolean {
  return !ONLY_COMMENTS.test(sql.slice(first.length))
}

/** The rest begins between two statements, so no string or quoted name can contain these comments. */
const ONLY_COMMENTS = /^(?:[\s;]|--[^\n]*(?:\n|$)|\/\*(?:(?!\*\/)[\s\S])*(?:\*\/|$))*$/
