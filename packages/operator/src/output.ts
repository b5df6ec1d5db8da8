// Prints the output of commands. Results (IDs, keys, tables, JSON) go to standard output. Messages for people go to
// standard error. A stream that is not a terminal gets no colors, unless FORCE_COLOR is set.

import { styleText } from 'node:util'
import { UNSAFE_CHARACTERS } from '@store-export/control'

/** A style of `styleText`, such as `bold` or `green`. */
export type Style = Parameters<typeof styleText>[0]

/** Writes one line of a result to standard output. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Writes a result as one line of JSON to standard output. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value))
}

/** Writes one line for people to standard error. */
export function printMessage(line: string): void {
  process.stderr.write(`${line}\n`)
}

/**
 * Writes an error for programs as one line of JSON to standard error, because standard output contains only results.
 */
export function printJsonError(error: {
  readonly code: string
  readonly message: string
  readonly stack?: string
}): void {
  printMessage(JSON.stringify({ error }))
}

/** Returns the count with its noun, which gets an s in the plural, such as `1 key` or `2 keys`. */
export function countOf(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}

/**
 * Replaces the progress line on standard error, which must fit into one line of the terminal. Null removes it. Does
 * nothing if standard error is not a terminal.
 */
export function showProgress(line: string | null): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line ?? ''}`)
}

/** Returns the text in a style if the stream supports colors, as NO_COLOR and FORCE_COLOR allow. */
export function styled(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return styleText(style, text, { stream })
}

/**
 * Returns the text with `?` for each of the `UNSAFE_CHARACTERS`, because they can move the cursor, change colors, or
 * reorder the line. Use it for names that other people choose.
 */
export function printable(text: string): string {
  return text.replaceAll(UNSAFE_CHARACTERS, '?')
}

/**
 * Prints a table. Makes its cells printable. The heading goes to standard error. The rows are the result and go to
 * standard output.
 */
export function printTable(heading: readonly string[], rows: readonly (readonly string[])[]): void {
  const cells = rows.map((row) => row.map(printable))
  const widths = heading.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => (row[column] ?? '').length)),
  )
  const line = (cells: readonly string[]) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  printMessage(styled('dim', line(heading).trimEnd(), process.stderr))
  for (const row of cells) print(line(row).trimEnd())
}

/**
 * Makes the command exit without an error if the reader of its output closes the pipe, such as `head`. Other errors of
 * the output are thrown.
 */
export function exitOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', exitOnBrokenPipe)
}

/**
 * Lets a service continue if the reader of its output closes the pipe, or if the disk of its output is full. Replaces
 * the handler of `exitOnClosedPipe`.
 */
export function ignoreOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.off('error', exitOnBrokenPipe).on('error', () => undefined)
}

function exitOnBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit()
}
