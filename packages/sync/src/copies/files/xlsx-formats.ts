// How the cells of a workbook are shown, and by which numbers. Sheets are written apart and put together with one list of
// formats, so each has to mean the same format by the same number.

import type { ColumnKind } from '../../tables.ts'
import type { FileColumn } from './files-tables.ts'

/** Of amounts. */
const MONEY_FORMAT = '0.00'
/** Of instants. To the millisecond: without it Excel rounds, and shows the last half second of a month as the next one. */
const INSTANT_FORMAT = 'yyyy-mm-dd hh:mm:ss.000'
/** Every format there is; the first has the number one. Number zero is that of cells without any. */
export const FORMATS: readonly string[] = [INSTANT_FORMAT, MONEY_FORMAT]

/** Kinds whose values are never numbers. */
const TEXTS: readonly ColumnKind[] = ['uuid', 'text', 'json']

/**
 * Format of each column, undefined for none. hucre numbers formats as it meets them in the header, from the left: so the
 * first column has the first format, whatever it holds. It does nothing to texts. Throws for a table that begins with
 * numbers, which would be shown as days.
 */
export function formatsOf(columns: readonly FileColumn[]): (string | undefined)[] {
  return columns.map((column, index) => {
    const format = formatOf(column)
    if (index > 0 || format === FORMATS[0]) return format
    if (!TEXTS.includes(column.kind)) throw new Error(`a sheet cannot begin with the numbers of ${column.name}`)
    return FORMATS[0]
  })
}

function formatOf({ kind, isMoney }: FileColumn): string | undefined {
  if (kind === 'timestamp') return INSTANT_FORMAT
  return isMoney ? MONEY_FORMAT : undefined
}
