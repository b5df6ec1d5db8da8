// Defines the number formats of a workbook. `XlsxWriter` writes the sheets of each table as a workbook, then combines
// all sheets in one workbook with one list of formats. Each sheet must therefore use the same number for the same
// format.

import type { CopyColumnKind } from '../../tables.ts'
import type { FileColumn } from './file-tables.ts'

const MONEY_FORMAT = '0.00'
/**
 * Number format of timestamps. It has milliseconds, because Excel would otherwise round the last half second of a month
 * to the next month.
 */
const TIMESTAMP_FORMAT = 'yyyy-mm-dd hh:mm:ss.000'
/** All formats. The first format has number 1; number 0 means no format. */
export const FORMATS: readonly string[] = [TIMESTAMP_FORMAT, MONEY_FORMAT]

/** Kinds of columns whose cells contain text, which a number format doesn't change. */
const TEXTS: readonly CopyColumnKind[] = ['uuid', 'text', 'json']

/**
 * Returns the format of each column; undefined for no format. The library hucre numbers formats in the order of the
 * columns that use them. So the first column always has the timestamp format, which then is number 1 in each sheet.
 * The format does not change text. Throws if the first column has neither timestamps nor text, because numbers would
 * look like dates.
 */
export function columnFormats(columns: readonly FileColumn[]): (string | undefined)[] {
  return columns.map((column, index) => {
    const format = columnFormat(column)
    if (index > 0 || format === FORMATS[0]) return format
    if (!TEXTS.includes(column.kind))
      throw new Error(`the first column of a sheet cannot contain numbers: ${column.name}`)
    return FORMATS[0]
  })
}

function columnFormat({ kind, isMoney }: FileColumn): string | undefined {
  if (kind === 'timestamp') return TIMESTAMP_FORMAT
  return isMoney ? MONEY_FORMAT : undefined
}
