// Writes the rows of a statement as the text of a tool's result, within the size that an assistant can read.

import type { QueryRows } from './query-process.ts'

/**
 * Longest result of a tool, in bytes of UTF-8: 8,000 tokens at two bytes per token. English text has about four bytes
 * per token, and rows of UUIDs and digits have two to three.
 */
export const RESULT_BYTES_MAX = 16_000
/** Bytes for the rows of a result. The rest is for the sentences around them. */
export const ROW_BYTES_MAX = 13_000

/**
 * Returns the column names and each row as a line with a JSON array. The last line has the number of rows, or how to
 * get the rest.
 */
export function tableText({ columns, rows, isCut }: QueryRows): string {
  const count = `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}.`
  return [JSON.stringify(columns), ...rows, isCut ? cutText(rows.length) : count].join('\n')
}

/** Says what to do about a single row that is too long for a result. */
export const SELECT_FEWER = 'Use query to select fewer columns.'

function cutText(rows: number): string {
  if (rows === 0) return 'Cut: the first row is too long for a result. Select fewer columns.'
  return `Cut after ${rows} rows, because a result has at most ${RESULT_BYTES_MAX} bytes. To get the rest, add an order by, and repeat the statement with limit ${rows} offset ${rows}; or select fewer columns; or aggregate.`
}

/** Returns each row as an object without null values. */
export function objectsOf({ columns, rows }: QueryRows): Record<string, unknown>[] {
  return rows.map((row) => {
    const values = JSON.parse(row) as unknown[]
    const members = columns.map((name, index): [string, unknown] => [name, values[index]])
    return Object.fromEntries(members.filter(([, value]) => value !== null))
  })
}

/** Returns the text. Cuts a text of more than `RESULT_BYTES_MAX` bytes, and ends it with a sentence that says so. */
export function boundedText(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= RESULT_BYTES_MAX) return text
  const end = `\n${CUT_END}`
  // A cut inside a character leaves a replacement character, which can be longer than the bytes that it replaces.
  return `${bytes.subarray(0, RESULT_BYTES_MAX - Buffer.byteLength(end) - 4).toString()}${end}`
}

const CUT_END = 'Cut: the result is too long. Use the tool query for the rest, with fewer columns or rows.'
