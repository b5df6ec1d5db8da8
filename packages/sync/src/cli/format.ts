// Formats numbers, durations and table rows for people.

const NAME_WIDTH = 20
/** Width of a row count in characters. Shorter counts are padded with spaces. */
export const NUMBER_WIDTH = 9

/** Returns the start of a line about a table: its name and a count. */
export function tableText(table: string, count: number): string {
  return `  ${table.padEnd(NAME_WIDTH)}${numberText(count).padStart(NUMBER_WIDTH)}`
}

/** Returns the start of a line about rows of a table. `total` is empty, or a text such as ` of 1,000`. */
export function rowsText(table: string, rows: number, total = ''): string {
  // The space after "row" aligns the next column with the lines of other tables.
  return `${tableText(table, rows)}${total} ${rows === 1 && total === '' ? 'row ' : 'rows'}`
}

/** Returns the number with its noun: `1 row`, `2 rows`. */
export function countText(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** Returns the number with separators: `12,250`. */
export function numberText(value: number): string {
  return value.toLocaleString('en')
}

/** Returns a duration: `8 s` below 90 seconds, rounded up; `4 min` below 90 minutes; then `2 h 05 min`. */
export function timeText(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 90) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 90) return `${minutes} min`
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
}

/** Returns tenths of a second below a minute, such as `8.4 s`, and the text of `timeText` from a minute. */
export function secondsText(ms: number): string {
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : timeText(ms)
}
