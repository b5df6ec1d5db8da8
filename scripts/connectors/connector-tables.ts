// Declares how a connector reads each table of the contract. The files for dlt, Airbyte, Power Query, and Google Sheets
// are generated from it, so that all read the same tables.

import { ENDPOINTS, type Endpoint, type Resource } from '@store-export/contract'
import { type CopyTable, TABLES } from '@store-export/sync'

/** The list of a table, and the way in which a connector reads its changes. */
export interface ConnectorTable {
  readonly table: CopyTable
  readonly resource: Resource
  readonly path: string
  /**
   * `object`: one row. `replace`: a list that each run reads as a whole. `merge`: a list of which a run reads the
   * changed rows.
   */
  readonly kind: 'object' | 'replace' | 'merge'
  /** Path of the list of IDs, which shows deleted rows; null if each run reads all rows, or if the API has none. */
  readonly idsPath: string | null
}

/** The first line of a generated file, without the characters that start a comment. */
export const GENERATED = 'Generated from the contract. Do not edit: change the contract and run `npm run generate`.'

/** Returns every table, in the order of a run of `store-sync`. */
export function connectorTables(): ConnectorTable[] {
  return TABLES.map((table): ConnectorTable => {
    const { path, resource, parameters } = table.list ?? endpointOfObject(table)
    if (table.list === null) return { table, resource, path, kind: 'object', idsPath: null }
    // Incremental syncs don't show removed rows of a table that hides them, and such a table has no list of IDs. So
    // each run must read the whole list.
    const isChanged = parameters.some((name) => name === 'updated_since') && !table.hidesRemoved
    const kind = isChanged ? 'merge' : 'replace'
    return { table, resource, path, kind, idsPath: isChanged ? (table.ids?.path ?? null) : null }
  })
}

function endpointOfObject({ name }: CopyTable): Endpoint {
  const endpoint = ENDPOINTS.find(({ response, resource }) => response.kind === 'only' && resource.table === name)
  if (endpoint === undefined) throw new Error(`${name} has no list and no endpoint of its only row`)
  return endpoint
}
