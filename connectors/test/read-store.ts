// Reads all rows of a store from the service, for comparison with what a tool loaded.

import { connectorTables } from '../../scripts/connectors/connector-tables.ts'
import { rowsById } from './compare.ts'

/** Rows of a table by ID, as the service returns them. Embedded rows have a table of their own: `orders.items`. */
export type Rows = ReadonlyMap<string, ReadonlyMap<string, Readonly<Record<string, unknown>>>>

/** Reads every list of the service. */
export async function readStore(url: string, key: string): Promise<Rows> {
  const tables = new Map<string, Map<string, Record<string, unknown>>>()
  for (const { table, path, kind } of connectorTables()) {
    const rows = kind === 'object' ? [(await getJson(url, path, key)).data] : await readList(url, path, key)
    for (const { field } of table.children)
      tables.set(
        `${table.name}.${field}`,
        rowsById(
          field,
          rows.flatMap((row) => row[field] as Record<string, unknown>[]),
        ),
      )
    const fields = new Set(table.children.map(({ field }) => field))
    const flat = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !fields.has(name))))
    tables.set(table.name, rowsById(table.name, flat))
  }
  return tables
}

async function readList(url: string, path: string, key: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = []
  let cursor: string | null = ''
  do {
    const page = await getJson(url, `${path}?limit=250&cursor=${cursor}`.replace(/&cursor=$/, ''), key)
    rows.push(...page.data)
    cursor = page.meta.next_cursor
  } while (cursor !== null)
  return rows
}

// biome-ignore lint/suspicious/noExplicitAny: the test reads responses as a client without types does
async function getJson(url: string, path: string, key: string): Promise<any> {
  const response = await fetch(url + path, { headers: { 'x-api-key': key } })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.json()
}
