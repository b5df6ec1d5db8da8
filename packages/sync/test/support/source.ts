// Reads a store with plain requests, without the client, and compares the IDs with those in its database.

import { ENDPOINTS, includesRevision, RESOURCES } from '@store-export/contract'
import type { TestStore } from '../../../../test/support/platform.ts'
import { byId, jsonText, type RowsByTable, type TextRow } from './rows-by-table.ts'
import type { StoreModel } from './store-model.ts'

export interface SourceOptions {
  readonly url: string
  readonly store: Pick<TestStore, 'sql'>
  readonly key: string
  readonly model: Pick<StoreModel, 'revision'>
  /** Called when the rate limit is reached, before the request is sent again. */
  readonly resetLimit: () => Promise<unknown>
}

/** Returns the rows of all tables. Throws if the lists differ from the database. */
export async function readSource(options: SourceOptions): Promise<RowsByTable> {
  const tables = new Map<string, ReadonlyMap<string, TextRow>>()
  for (const { table, fields } of RESOURCES) {
    const rows = await readRows(options, table)
    tables.set(table, byId(table, rows.map(asText)))
    for (const [field, { type }] of Object.entries(fields)) {
      if (type.kind !== 'many') continue
      const children = rows.flatMap((row) => (Array.isArray(row[field]) ? row[field] : []))
      tables.set(type.resource.table, byId(type.resource.table, children.map(asText)))
    }
  }
  await compareIds(options, tables)
  return tables
}

type Row = Record<string, unknown>

async function readRows(options: SourceOptions, table: string): Promise<Row[]> {
  const endpoint = ENDPOINTS.find(
    ({ resource, response }) => resource.table === table && ['page', 'only'].includes(response.kind),
  )
  if (endpoint === undefined) throw new Error(`there is no list of ${table}`)
  if (endpoint.response.kind === 'only') return [(await request(options, endpoint.path)).data]
  const rows: Row[] = []
  let cursor = ''
  for (;;) {
    const page = await request(options, `${endpoint.path}?limit=250${cursor}`)
    rows.push(...page.data)
    if (!page.meta.has_more) return rows
    cursor = `&cursor=${encodeURIComponent(page.meta.next_cursor)}`
  }
}

// biome-ignore lint/suspicious/noExplicitAny: like a client without types
async function request({ url, key, resetLimit }: SourceOptions, path: string): Promise<any> {
  for (;;) {
    const response = await fetch(url + path, { headers: { 'x-api-key': key } })
    if (response.ok) return response.json()
    if (response.status !== 429) throw new Error(`${path} returned ${response.status}: ${await response.text()}`)
    await resetLimit()
  }
}

/** Returns the columns as text, without embedded rows. */
function asText(row: Row): TextRow {
  const columns = Object.entries(row).filter(([name]) => name !== 'items' && name !== 'variants')
  return Object.fromEntries(
    columns.map(([name, value]) => {
      if (value === null) return [name, null]
      return [name, typeof value === 'object' ? jsonText(value) : String(value)]
    }),
  )
}

async function compareIds({ store, model }: SourceOptions, tables: RowsByTable): Promise<void> {
  const present = [...RESOURCES]
    .filter(({ since }) => includesRevision(model.revision, since))
    .map(({ table }) => table)
  const all = [...present, 'order_items', 'product_variants']
  const parts = all.map((table) => {
    const active = table === 'customer_addresses' ? ' where deleted_at is null' : ''
    return `select '${table}' as name, string_agg(id::text, ',' order by id::text) as ids from ${table}${active}`
  })
  for (const { name, ids } of await store.sql.unsafe(parts.join(' union all '))) {
    const read = [...(tables.get(name)?.keys() ?? [])].toSorted()
    if (read.join() !== (ids ?? '')) throw new Error(`the list of ${name} differs from the database`)
  }
}
