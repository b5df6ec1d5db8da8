// Defines the number formats of a workbook. The writer creates each sheet separately and combines all sheets with one
// list of formats. Each sheet must therefore use the same number for the same format.

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

/** Kinds of columns whose values are never numbers. */
const TEXTS: readonly CopyColumnKind[] = ['uuid', 'text', 'json']

/**
 * Returns the format of each column; undefined for no format. hucre numbers the formats in the order of the columns, so
 * the first column gets the first format, which does not change text. Throws if the first column has neither timestamps
 * nor text, because numbers would look like dates.
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
