// Generates the constant TABLES of the script for Google Sheets.

import type { CopyColumn } from '@store-export/sync'
import { connectorTables, GENERATED } from './connector-tables.ts'

/** Returns the JavaScript code of the constant `TABLES`. */
export function sheetTables(): string {
  return [`// ${GENERATED}`, 'const TABLES = [', ...connectorTables().map(tableEntry), ']'].join('\n')
}

function tableEntry({ table: { name, columns, children }, path, idsPath }: ReturnType<typeof connectorTables>[number]) {
  const ids = idsPath === null ? 'null' : `'${idsPath}'`
  const nested = children.map(
    (child) =>
      `      { name: '${child.name}', field: '${child.field}', parentColumn: '${child.parentColumn}', columns: {\n${columnLines(child.columns)}      } },\n`,
  )
  return [
    `  { name: '${name}', path: '${path}', idsPath: ${ids},`,
    `    columns: {\n${columnLines(columns)}    },`,
    nested.length === 0 ? '    children: [] },' : `    children: [\n${nested.join('')}    ] },`,
  ].join('\n')
}

const LINE_CHARACTERS = 110

/** Returns the columns with their kinds, several in a line. */
function columnLines(columns: readonly CopyColumn[]): string {
  const lines: string[] = []
  for (const column of columns) {
    const entry = `${column.name}: '${kindOf(column)}',`
    const line = lines.at(-1)
    if (line === undefined || line.length + entry.length > LINE_CHARACTERS) lines.push(`        ${entry}`)
    else lines[lines.length - 1] = `${line} ${entry}`
  }
  return lines.map((line) => `${line}\n`).join('')
}

/** Returns the kind of a column in the script. Weights have two digits after the point, so they count as money. */
function kindOf({ kind, isMoney }: CopyColumn): string {
  if (kind === 'uuid') return 'text'
  return isMoney ? 'money' : kind
}
