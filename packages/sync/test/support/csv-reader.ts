// Reads a CSV file by RFC 4180, without the library that wrote it.

import { readFileSync } from 'node:fs'

/**
 * Returns the rows by the names of the first line, without the apostrophes before formulas. An empty field without
 * quotes is null. Throws if the file has no byte order mark.
 */
export function readCsv(file: string): Record<string, string | null>[] {
  const text = readFileSync(file, 'utf8')
  if (!text.startsWith('\uFEFF')) throw new Error(`${file} has no byte order mark`)
  const [header = [], ...lines] = linesOf(text.slice(1))
  return lines.map((line) => Object.fromEntries(header.map((name, at) => [name ?? '', plain(line[at] ?? null)])))
}

/** Returns the fields of each line. An empty field without quotes is null. Throws if a line does not end with CR LF. */
export function linesOf(text: string): (string | null)[][] {
  const lines: (string | null)[][] = []
  let line: (string | null)[] = []
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y
  while (field.lastIndex < text.length) {
    const found = field.exec(text)
    if (found === null) throw new Error('invalid CSV')
    line.push(found[1]?.replaceAll('""', '"') ?? (found[2] === '' ? null : (found[2] ?? null)))
    if (found[3] === ',') continue
    lines.push(line)
    line = []
  }
  return lines
}

/** Removes the apostrophe before text that looks like a formula. */
function plain(value: string | null): string | null {
  return value?.replace(/^'(?='*[=+\-@\t\r＝＋－＠])/, '') ?? null
}
