// Adds a header style and a filter to the XML of a sheet, because hucre, which streams its rows, has no option for
// them.

/** Bytes that stay in the buffer, so that it contains the whole end of the sheet, and whole tags of rows. */
const HELD_BYTES = 4096
const ROW = '<row r="'
const HEADER_END = '</row>'
const ROWS_END = '</sheetData>'

/** Range of a sheet's filter, such as `A1:Z100`. */
export interface SheetFilter {
  ref: string
}

/**
 * Yields the XML with `style` on each cell of the first row, and with a filter. Sets `filter.ref` when the XML ends.
 */
export async function* withHeaderAndFilter(
  chunks: AsyncIterable<Buffer>,
  { style, filter }: { readonly style: number; readonly filter: SheetFilter },
): AsyncGenerator<Buffer> {
  let held = Buffer.alloc(0)
  let lastColumn = ''
  let lastRow = 1
  for await (const chunk of chunks) {
    held = Buffer.concat([held, chunk])
    if (lastColumn === '') {
      const end = held.indexOf(HEADER_END)
      if (end < 0) continue
      const head = held.toString('utf8', 0, end)
      lastColumn = /.*<c r="([A-Z]+)1"/s.exec(head)?.[1] ?? 'A'
      yield Buffer.from(styled(head, style))
      held = held.subarray(end)
    }
    lastRow = rowOf(held) ?? lastRow
    if (held.length <= HELD_BYTES) continue
    yield held.subarray(0, -HELD_BYTES)
    held = held.subarray(-HELD_BYTES)
  }
  filter.ref = `A1:${lastColumn}${lastRow}`
  // Inserts bytes. The buffer can start in the middle of a character, so decoding it would damage that character.
  const end = held.lastIndexOf(ROWS_END) + ROWS_END.length
  yield held.subarray(0, end)
  yield Buffer.from(`<autoFilter ref="${filter.ref}"/>`)
  yield held.subarray(end)
}

/** Returns the start of a sheet with `style` on each cell of its last row. Replaces the cells' own styles. */
function styled(head: string, style: number): string {
  const start = head.lastIndexOf('<row')
  const row = head.slice(start).replaceAll(/<c ([^>]*)>/g, (_tag, attributes: string) => {
    return `<c ${attributes.replace(/ ?s="\d+"/, '')} s="${style}">`
  })
  return head.slice(0, start) + row
}

/** Returns the number of the last row that starts in the bytes; null if no row starts, or if its number is cut off. */
function rowOf(bytes: Buffer): number | null {
  const at = bytes.lastIndexOf(ROW)
  const digits = at < 0 ? null : /^\d+(?=")/.exec(bytes.toString('latin1', at + ROW.length, at + ROW.length + 16))
  return digits === null ? null : Number(digits[0])
}
