/** A name as SQL statements have it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
