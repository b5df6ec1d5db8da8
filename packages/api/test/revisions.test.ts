import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import {
  ENDPOINTS,
  type Field,
  includesRevision,
  isPaginated,
  LATEST_REVISION,
  REVISIONS,
  type RevisionId,
  type RowShape,
  rowShapeOf,
} from '@store-export/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withConnection } from '../../../test/support/client.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { DEMO_STORES } from '../../operator/src/demo/demo-stores.ts'
import { generateStore } from '../../operator/src/demo/generate-store.ts'
import { loadStore } from '../../operator/src/demo/load-store.ts'

const IDS = REVISIONS.map(({ id }) => id)
const { id: storeId, name, shop } = DEMO_STORES[0]
const SIZE = { orders: 12, customers: 8, products: 6, locations: 2, groups: 2 }
const GOLDEN = new URL('./golden/', import.meta.url)

let platform: TestPlatform
const stores = new Map<RevisionId, TestStore>()

beforeAll(async () => {
  platform = await startPlatform()
  for (const revision of IDS) {
    const store = await platform.provision(revision)
    // All stores have the same rows, without the columns that the schema of a revision does not have.
    const rows = generateStore({ seed: 'golden 99', storeId, name, revision, shop, size: SIZE })
    await withConnection(store.ownerUrl, (connection) => loadStore(connection, revision, rows))
    await addNewerValues(store, revision)
    stores.set(revision, store)
  }
})
afterAll(() => platform.close())

/** Adds values that the small demo does not have, so that every new field of a revision has a value. */
async function addNewerValues({ sql }: TestStore, revision: RevisionId): Promise<void> {
  const statements: readonly [RevisionId, string][] = [
    ['v1.4', `update products set tax_class = 'reduced', updated_at = updated_at where has_variants`],
    [
      'v1.4',
      `update orders set tax_breakdown = '[{"rate": 19, "baseCents": 100, "taxCents": 19}, {"rate": 5.5, "baseCents": 200, "taxCents": 11}]', updated_at = updated_at`,
    ],
    [
      'v1.5',
      `update orders set metafields = '[{"key": "erp", "label": "ERP number", "value": "4711"}]', updated_at = updated_at`,
    ],
    ['v1.6', `update products set weight_grams = 12.345, updated_at = updated_at where not has_variants`],
  ]
  for (const [since, statement] of statements) if (includesRevision(revision, since)) await sql.unsafe(statement)
}

function storeAt(revision: RevisionId): TestStore {
  const store = stores.get(revision)
  if (store === undefined) throw new Error(`no store at ${revision}`)
  return store
}

/** Returns the path of every endpoint by the endpoint's ID. An ID in a path is that of a row of the store. */
async function pathsOf(store: TestStore): Promise<Map<string, string>> {
  const [order] = await store.sql`select id from orders order by created_at, id limit 1`
  const [customer] = await store.sql`select id from customers order by created_at, id limit 1`
  const [product] = await store.sql`select id from products order by created_at, id limit 1`
  const ids: Record<string, string> = { order: order?.id, customer: customer?.id, product: product?.id }
  return new Map(
    ENDPOINTS.map(({ id, path }) => {
      const kind = path.split('/')[3]?.slice(0, -1) ?? ''
      return [id, path.replace('{id}', ids[kind] ?? '')]
    }),
  )
}

async function getAt(revision: RevisionId, path: string) {
  const response = await platform.get(path, storeAt(revision).key)
  expect(response.status, response.text).toBe(200)
  return response
}

function rowsOf(json: { data: unknown }): Record<string, unknown>[] {
  return (Array.isArray(json.data) ? json.data : [json.data]) as Record<string, unknown>[]
}

function isColumn({ type }: Field): boolean {
  return type.kind !== 'many' && type.kind !== 'counts'
}

/** Expects the keys of a row and its embedded rows, and null for fields without a column. */
function check(row: Record<string, unknown>, shape: RowShape, revision: RevisionId): void {
  expect(Object.keys(row)).toEqual(Object.keys(shape.fields))
  for (const [field, declared] of Object.entries(shape.fields)) {
    const { type, since, nullable } = declared
    const where = `${shape.name}.${field} at ${revision}`
    if (isColumn(declared) && !includesRevision(revision, since)) expect(row[field], where).toBeNull()
    else if (!nullable) expect(row[field], where).not.toBeNull()
    if (type.kind === 'many') for (const child of rowsOf({ data: row[field] })) check(child, type.resource, revision)
  }
}

describe.each(IDS)('a store at schema version %s', (revision) => {
  test("[FMT-6, FMT-7] every endpoint returns all fields of the contract, with null for columns that the store's schema version lacks", async () => {
    const paths = await pathsOf(storeAt(revision))
    for (const endpoint of ENDPOINTS) {
      const { id, resource, response } = endpoint
      const { json } = await getAt(revision, paths.get(id) ?? '')
      const rows = rowsOf(json)
      for (const row of rows) check(row, rowShapeOf(endpoint), revision)
      if (!includesRevision(revision, resource.since)) expect(json.data).toEqual([])
      else if (isPaginated(response)) expect(rows.length, id).toBeGreaterThan(0)
      if (isPaginated(response) || response.kind === 'allOf')
        expect(json.meta).toEqual({ next_cursor: null, has_more: false })
    }
  })

  test("[VER-2] every response has exactly the bytes that test/golden stores for the store's schema version", async () => {
    const paths = await pathsOf(storeAt(revision))
    const lines: string[] = []
    for (const [id, path] of paths) lines.push(`${JSON.stringify(id)}: ${(await getAt(revision, path)).text}`)
    const found = `{\n${lines.join(',\n')}\n}\n`
    const file = new URL(`${revision}.json`, GOLDEN)
    if (process.env.UPDATE_GOLDEN === '1') {
      mkdirSync(GOLDEN, { recursive: true })
      writeFileSync(file, found)
    }
    const expected = readFileSync(file, 'utf8').split('\n')
    // Line by line, so that a difference shows its endpoint.
    for (const [index, line] of found.split('\n').entries()) expect(line).toBe(expected[index])
    expect(found.split('\n').length).toBe(expected.length)
  })

  test('[Q-UPDATED-OLD, R1] if the store tracks customer updates, GET /customers with updated_since returns the customers; otherwise, it returns 400', async () => {
    const path = '/api/v1/customers?limit=250&updated_since=2000-01-01T00:00:00Z'
    const response = await platform.get(path, storeAt(revision).key)
    if (includesRevision(revision, 'v1.1')) {
      expect(response.json.data).toEqual((await getAt(revision, '/api/v1/customers?limit=250')).json.data)
      return
    }
    expect(response.status).toBe(400)
    expect(response.json.error.code).toBe('INVALID_PARAM')
    expect(response.json.error.message).toMatch(/^updated_since: .*does not track customer updates.*created_since/)
  })

  test('[Q-CREATED, FMT-7] if updated_since or created_since is earlier than every row, a list has the same rows as without a filter', async () => {
    const since = '2000-01-01T00:00:00Z'
    for (const list of ['orders', 'products']) {
      const all = (await getAt(revision, `/api/v1/${list}`)).json.data
      expect((await getAt(revision, `/api/v1/${list}?updated_since=${since}`)).json.data).toEqual(all)
    }
    const customers = (await getAt(revision, '/api/v1/customers')).json.data
    expect((await getAt(revision, `/api/v1/customers?created_since=${since}`)).json.data).toEqual(customers)
    const addresses = (await getAt(revision, '/api/v1/customer-addresses')).json.data
    expect((await getAt(revision, `/api/v1/customer-addresses?updated_since=${since}`)).json.data).toEqual(addresses)
  })
})

describe('stores at different schema versions', () => {
  test('[FMT-6] if stores with the same rows have different schema versions, their lists have the same number of rows with the same fields', async () => {
    for (const path of ['/api/v1/orders', '/api/v1/products', '/api/v1/customers', '/api/v1/categories']) {
      const newest = (await getAt(LATEST_REVISION, path)).json.data
      for (const revision of IDS) {
        const rows: Record<string, unknown>[] = (await getAt(revision, path)).json.data
        expect(rows.length).toBe(newest.length)
        for (const row of rows) expect(Object.keys(row)).toEqual(Object.keys(newest[0]))
      }
    }
  })

  test('[GEN-3] if customers have password hashes, no endpoint returns a hash at any schema version', async () => {
    for (const revision of IDS) {
      const hashes = await storeAt(revision)
        .sql`select password_hash as hash from customers where password_hash is not null`
      expect(hashes.length).toBeGreaterThan(0)
      for (const path of (await pathsOf(storeAt(revision))).values()) {
        const { text } = await getAt(revision, path)
        expect(text).not.toContain('password')
        for (const { hash } of hashes) expect(text.includes(hash)).toBe(false)
      }
    }
  })
})
