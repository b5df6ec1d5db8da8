// Reads a CSV file as RFC 4180 has it, without the library that wrote it.

import { readFileSync } from 'node:fs'

/** Rows by the names of the first line; null where there is nothing between two commas. */
export function readCsv(file: string): Record<string, string | null>[] {
  const text = readFileSync(file, 'utf8')
  if (!text.startsWith('\uFEFF')) throw new Error(`${file} has no byte order mark`)
  const [header = [], ...lines] = linesOf(text.slice(1))
  return lines.map((line) => Object.fromEntries(header.map((name, at) => [name ?? '', plain(line[at] ?? null)])))
}

/** Fields of every line, null where there is nothing between two commas; throws where a field is not closed. */
export function linesOf(text: string): (string | null)[][] {
  const lines: (string | null)[][] = []
  let line: (string | null)[] = []
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y
  while (field.lastIndex < text.length) {
    const found = field.exec(text)
    if (found === null) throw new Error('no CSV')
    line.push(found[1]?.replaceAll('""', '"') ?? (found[2] === '' ? null : (found[2] ?? null)))
    if (found[3] === ',') continue
    lines.push(line)
    line = []
  }
  return lines
}

/** Without the apostrophe that keeps a spreadsheet from calculating. */
function plain(value: string | null): string | null {
  return value?.replace(/^'(?='*[=+\-@\t\r＝＋－＠])/, '') ?? null
}
