// What the command writes: results (ids, keys, tables, JSON) to the standard output, words for people to the standard
// error. Colours at a terminal only.

import { styleText } from 'node:util'

/** A style that the panel and the reports use. */
export type Style = Parameters<typeof styleText>[0]

/** Writes a result: one line on the standard output. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Writes a result as one line of JSON. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value))
}

/** Says something to the person: one line on the standard error. */
export function printMessage(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Writes an error for a program: one line of JSON on the standard error, so that the standard output holds results alone. */
export function printJsonError(error: {
  readonly code: string
  readonly message: string
  readonly stack?: string
}): void {
  printMessage(JSON.stringify({ error }))
}

/** Shows a line of progress in place of the last one, only on a terminal; null removes it. */
export function showProgress(line: string | null): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line ?? ''}`)
}

/** The text in a style where the stream is a terminal that shows it; honours NO_COLOR and FORCE_COLOR. */
export function styled(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return styleText(style, text, { stream })
}

/** Prints rows as a table: its heading is for people, its rows are the result. */
export function printTable(heading: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = heading.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  )
  const line = (cells: readonly string[]) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  printMessage(styled('dim', line(heading).trimEnd(), process.stderr))
  for (const row of rows) print(line(row).trimEnd())
}

/** Ends the command without an error when its reader closes the pipe, as `head` does. */
export function endQuietlyWithoutReader(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', endQuietly)
}

/** Keeps a service running when the reader of its standard streams closes the pipe or their disk is full. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.off('error', endQuietly).on('error', () => undefined)
}

function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit()
}
