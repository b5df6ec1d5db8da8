// What a sheet gets on its way into the workbook, because the library that streams its rows has no option for it: a style
// for its header, and a filter over its rows.

/** Bytes that are held back, so that what is searched lies whole within them: the end of a sheet, and the tag of a row. */
const HELD_BYTES = 4096
const ROW = '<row r="'
const HEADER_END = '</row>'
const ROWS_END = '</sheetData>'

/** Where the filter of a sheet is, such as `A1:Z100`. */
export interface SheetFilter {
  ref: string
}

/** The sheet's XML with `style` on each cell of its first row, and a filter, whose place `filter` holds at the end. */
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
  // Inserts bytes: the buffer can start in the middle of a character, so it must not be decoded.
  const end = held.lastIndexOf(ROWS_END) + ROWS_END.length
  yield held.subarray(0, end)
  yield Buffer.from(`<autoFilter ref="${filter.ref}"/>`)
  yield held.subarray(end)
}

function styled(head: string, style: number): string {
  const start = head.lastIndexOf('<row')
  const row = head.slice(start).replaceAll(/<c ([^>]*)>/g, (_tag, attributes: string) => {
    return `<c ${attributes.replace(/ ?s="\d+"/, '')} s="${style}">`
  })
  return head.slice(0, start) + row
}

/** Number of the last row that begins in the bytes; null if none does. */
function rowOf(bytes: Buffer): number | null {
  const at = bytes.lastIndexOf(ROW)
  const digits = at < 0 ? null : /^\d+(?=")/.exec(bytes.toString('latin1', at + ROW.length, at + ROW.length + 16))
  return digits === null ? null : Number(digits[0])
}
