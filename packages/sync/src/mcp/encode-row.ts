/** Longest string of a result, in code points. */
const CELL_CHARACTERS_MAX = 2000

/** Longest blob of a result, in bytes. A byte has two hexadecimal digits. */
const CELL_BYTES_MAX = CELL_CHARACTERS_MAX / 2

/**
 * Returns a SQLite row as a JSON array. Cuts long strings and blobs, and says so at the cut. Integers that a double
 * cannot represent become strings.
 */
export function encodeRow(row: readonly unknown[]): string {
  return JSON.stringify(row.map(encodeCell))
}

function encodeCell(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (value instanceof Uint8Array) return encodeBlob(value)
  return typeof value === 'string' ? cutText(value) : value
}

function encodeBlob(blob: Uint8Array): string {
  const text = `x'${Buffer.from(blob.subarray(0, CELL_BYTES_MAX)).toString('hex')}'`
  return blob.length > CELL_BYTES_MAX ? text + cutNote(`${blob.length} bytes`, CELL_BYTES_MAX) : text
}

/** Cuts a string by code points, because `substr` of SQLite counts these. */
function cutText(text: string): string {
  if (text.length <= CELL_CHARACTERS_MAX) return text
  const characters = Array.from(text)
  if (characters.length <= CELL_CHARACTERS_MAX) return text
  const start = characters.slice(0, CELL_CHARACTERS_MAX).join('').toWellFormed()
  return start + cutNote(`${characters.length} characters`, CELL_CHARACTERS_MAX)
}

function cutNote(size: string, shown: number): string {
  return `… [cut: ${size}; read the rest with substr(column, ${shown + 1}, ${shown})]`
}
