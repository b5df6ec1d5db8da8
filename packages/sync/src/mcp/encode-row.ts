/** Longest string of a result, in characters. */
export const CELL_CHARACTERS_MAX = 2000

/**
 * Returns a SQLite row as a JSON array. Cuts long strings and blobs, and marks the cut. Large integers become strings.
 */
export function encodeRow(row: readonly unknown[]): string {
  return JSON.stringify(row.map(encodeCell))
}

function encodeCell(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (value instanceof Uint8Array)
    return cut(`x'${Buffer.from(value.subarray(0, CELL_CHARACTERS_MAX)).toString('hex')}'`)
  return typeof value === 'string' ? cut(value) : value
}

function cut(text: string): string {
  if (text.length <= CELL_CHARACTERS_MAX) return text
  const start = text.slice(0, CELL_CHARACTERS_MAX).toWellFormed()
  return `${start}… [cut: ${text.length} characters; read the rest with substr(column, ${CELL_CHARACTERS_MAX + 1}, ${CELL_CHARACTERS_MAX})]`
}
