// What a store has, without any of our client's code: its lists are read with plain requests, and the ids of what was
// read are compared to those in its database.

import { ENDPOINTS, includesRevision, RESOURCES } from '@store-export/contract'
import type { TestStore } from '../../../../test/support/platform.ts'
import { byId, jsonText, type RowsByTable, type TextRow } from './rows-by-table.ts'
import type { StoreModel } from './store-model.ts'

/** Where to read. */
export interface SourcePlace {
  readonly url: string
  readonly store: Pick<TestStore, 'sql'>
  readonly key: string
  readonly model: Pick<StoreModel, 'revision'>
  /** Called where the limit is reached; then the request is sent again. */
  readonly untilLimit: () => Promise<unknown>
}

/** Rows of all tables. Throws where the lists are not what the database has. */
export async function readSource(place: SourcePlace): Promise<RowsByTable> {
  const tables = new Map<string, ReadonlyMap<string, TextRow>>()
  for (const { table, fields } of RESOURCES) {
    const rows = await rowsOf(place, table)
    tables.set(table, byId(table, rows.map(textsOf)))
    for (const [field, { type }] of Object.entries(fields)) {
      if (type.kind !== 'many') continue
      const children = rows.flatMap((row) => (Array.isArray(row[field]) ? row[field] : []))
      tables.set(type.resource.table, byId(type.resource.table, children.map(textsOf)))
    }
  }
  await compareIds(place, tables)
  return tables
}

type Row = Record<string, unknown>

async function rowsOf(place: SourcePlace, table: string): Promise<Row[]> {
  const endpoint = ENDPOINTS.find(
    ({ resource, response }) => resource.table === table && ['page', 'only'].includes(response.kind),
  )
  if (endpoint === undefined) throw new Error(`there is no list of ${table}`)
  if (endpoint.response.kind === 'only') return [(await ask(place, endpoint.path)).data]
  const rows: Row[] = []
  let cursor = ''
  for (;;) {
    const page = await ask(place, `${endpoint.path}?limit=250${cursor}`)
    rows.push(...page.data)
    if (!page.meta.has_more) return rows
    cursor = `&cursor=${encodeURIComponent(page.meta.next_cursor)}`
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers as a client without types does
async function ask({ url, key, untilLimit }: SourcePlace, path: string): Promise<any> {
  for (;;) {
    const response = await fetch(url + path, { headers: { 'x-api-key': key } })
    if (response.ok) return response.json()
    if (response.status !== 429) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    await untilLimit()
  }
}

/** Columns with their values; rows of other tables are left out. */
function textsOf(row: Row): TextRow {
  const columns = Object.entries(row).filter(([name]) => name !== 'items' && name !== 'variants')
  return Object.fromEntries(
    columns.map(([name, value]) => {
      if (value === null) return [name, null]
      return [name, typeof value === 'object' ? jsonText(value) : String(value)]
    }),
  )
}

async function compareIds({ store, model }: SourcePlace, tables: RowsByTable): Promise<void> {
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
    if (read.join() !== (ids ?? '')) throw new Error(`the list of ${name} is not what the database has`)
  }
}
