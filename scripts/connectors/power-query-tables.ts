// Generates the tables of the function for Power Query.

import type { CopyColumn } from '@store-export/sync'
import { connectorTables, GENERATED } from './connector-tables.ts'

/** Returns the record `Tables` in the language of Power Query. */
export function powerQueryTables(): string {
  const tables = connectorTables().flatMap(({ table, path, kind }) => {
    const isList = kind !== 'object'
    const rows = tableEntry({ name: table.name, path, isList, field: null, columns: table.columns })
    const nested = table.children.map(({ name, field, columns }) => tableEntry({ name, path, isList, field, columns }))
    return [rows, ...nested]
  })
  return [`    // ${GENERATED}`, '    Tables = [', `${tables.join(',\n')}`, '    ],'].join('\n')
}

interface PowerQueryTable {
  readonly name: string
  /** Path of the list, with a slash at its start. The option `RelativePath` of `Web.Contents` has no such slash. */
  readonly path: string
  readonly isList: boolean
  /** Field with embedded rows; null if the rows are the rows of the list. */
  readonly field: string | null
  readonly columns: readonly CopyColumn[]
}

function tableEntry({ name, path, isList, field, columns }: PowerQueryTable): string {
  const pairs = columns.map((column) => `{"${column.name}", "${kindOf(column)}"}`)
  const types = columns.map((column) => `${column.name} = nullable ${typeOf(column)}`)
  return `        ${name} = [
            Path = "${path.slice(1)}",
            IsList = ${isList},
            Field = ${field === null ? 'null' : `"${field}"`},
            Columns = {
${wrapped(pairs)}
            },
            Type = type table [
${wrapped(types)}
            ]
        ]`
}

const LINE_CHARACTERS = 116

function wrapped(entries: readonly string[]): string {
  const lines: string[] = []
  for (const entry of entries) {
    const line = lines.at(-1)
    if (line === undefined || line.length + entry.length > LINE_CHARACTERS) lines.push(`                ${entry}`)
    else lines[lines.length - 1] = `${line}, ${entry}`
  }
  return lines.join(',\n')
}

/** Returns the kind of a column in the function. Weights are plain decimals, because they are no currency. */
function kindOf({ kind, isMoney, isWeight }: CopyColumn): string {
  if (kind === 'uuid') return 'text'
  return isMoney && !isWeight ? 'money' : kind
}

function typeOf(column: CopyColumn): string {
  switch (kindOf(column)) {
    case 'money':
      return 'Currency.Type'
    case 'decimal':
      return 'number'
    case 'integer':
      return 'Int64.Type'
    case 'boolean':
      return 'logical'
    case 'timestamp':
      return 'datetime'
    default:
      return 'text'
  }
}
