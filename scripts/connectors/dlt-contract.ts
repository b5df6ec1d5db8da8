// Generates the module `contract.py` of the dlt package: the tables, and the type of each column.

import type { CopyColumn } from '@store-export/sync'
import { type ConnectorTable, connectorTables, GENERATED } from './connector-tables.ts'

/** Returns the Python code of the module `contract.py`. */
export function dltContract(): string {
  return `# ${GENERATED}
"""The tables of the store data export, and the dlt type of each column."""

TABLES = {
${connectorTables().map(tableEntry).join('\n')}
}
`
}

function tableEntry({ table, path, kind, idsPath }: ConnectorTable): string {
  const { name, columns, children } = table
  const nested = children.map((child) => [
    `            "${child.field}": {`,
    ...child.columns.map((column) => columnLine(16, column)),
    '            },',
  ])
  return [
    `    "${name}": {`,
    `        "path": "${path}",`,
    `        "kind": "${kind}",`,
    `        "ids_path": ${idsPath === null ? 'None' : `"${idsPath}"`},`,
    '        "columns": {',
    ...columns.map((column) => columnLine(12, column)),
    '        },',
    ...(nested.length === 0 ? ['        "nested": {},'] : ['        "nested": {', ...nested.flat(), '        },']),
    '    },',
  ].join('\n')
}

function columnLine(indent: number, column: CopyColumn): string {
  return `${' '.repeat(indent)}"${column.name}": ${columnType(column)},`
}

function columnType({ kind, isMoney }: CopyColumn): string {
  switch (kind) {
    case 'uuid':
    case 'text':
      return '{"data_type": "text"}'
    case 'integer':
      return '{"data_type": "bigint"}'
    case 'boolean':
      return '{"data_type": "bool"}'
    case 'decimal':
      // The same digits as in a Singer copy (packages/sync/src/copies/singer/singer-schema.ts).
      return `{"data_type": "decimal", "precision": 38, "scale": ${isMoney ? 2 : 18}}`
    case 'timestamp':
      return '{"data_type": "timestamp"}'
    case 'json':
      return '{"data_type": "json"}'
  }
}
