// Rows as bytes of PostgreSQL's COPY text format. https://www.postgresql.org/docs/current/sql-copy.html

import type { Cell, Row } from './rows.ts'

const SPECIAL = /[\\\t\n\r]/g
const NAMES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

/** One line of COPY text: the row's values in the order of `columns`, line end included. */
export function copyLine(row: Row, columns: readonly string[]): string {
  return `${columns.map((column) => copyCell(row[column] ?? null)).join('\t')}\n`
}

function copyCell(cell: Cell): string {
  if (cell === null) return '\\N'
  if (typeof cell === 'string') return escapeText(cell)
  if (typeof cell === 'number') return String(cell)
  if (typeof cell === 'boolean') return cell ? 't' : 'f'
  return escapeText(`{${cell.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`)
}

function escapeText(text: string): string {
  return text.search(SPECIAL) === -1 ? text : text.replace(SPECIAL, (character) => NAMES[character] ?? character)
}
