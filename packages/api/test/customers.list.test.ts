import { LATEST_REVISION } from '@store-export/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { deviations, nullableFields } from './support/deviations.ts'
import { filledStore } from './support/filled-store.ts'

let platform: TestPlatform
let store: TestStore
let old: TestStore
beforeAll(async () => {
  platform = await startPlatform()
  ;[store, old] = await Promise.all([filledStore(platform), filledStore(platform, 'launch')])
})
afterAll(() => platform.close())

const getCustomers = (query: string, of = store) => platform.get(`/api/v1/customers?${query}`, of.key)
const idsOf = async (query: string, of = store): Promise<string[]> => {
  const response = await getCustomers(query, of)
  expect(response.status, response.text).toBe(200)
  return response.json.data.map(({ id }: { id: string }) => id)
}

test('[EP-CUSTOMERS, RES-CUSTOMER] GET /customers returns the specified fields and no others, without the password hash', async () => {
  await store.sql`update customers set password_hash = 'pbkdf2-should-never-be-seen', updated_at = updated_at`
  const { json, text } = await getCustomers('limit=250')
  expect(Object.keys(json)).toEqual(['data', 'meta'])
  expect(json.data).toHaveLength(60)
  expect(json.data.flatMap((row: unknown) => deviations(row, 'customer'))).toEqual([])
  expect(text).not.toMatch(/password|pbkdf2/)
})

test('[RES-CUSTOMER] if a nullable field of a customer has no value, the response has null', async () => {
  const id = '00000000-0000-4000-8000-0000000000c1'
  await store.sql`insert into customers (id, email, created_at) values (${id}, 'bare@example.com', '2001-01-01T00:00:00Z')`
  const { json } = await getCustomers('limit=1')
  const bare = json.data[0]
  expect(bare.id).toBe(id)
  for (const field of nullableFields('customer')) expect(bare[field], field).toBeNull()
  await store.sql`delete from customers where id = ${id}`
})

describe('[Q-CREATED] created_since', () => {
  test.each([LATEST_REVISION, 'launch'])(
    'if created_since is sent to a store at schema version %s, the list returns customers created at or after the timestamp',
    async (revision) => {
      const of = revision === 'launch' ? old : store
      const rows = await of.sql`select id::text, created_at::text as at from customers order by created_at, id`
      const at = String(rows[20]?.at).replace(' ', 'T').replace(/\+00$/, 'Z')
      expect(await idsOf(`limit=250&created_since=${at}`, of)).toEqual(rows.slice(20).map(({ id }) => id))
    },
  )
})

describe('[Q-UPDATED] updated_since', () => {
  test('[R14] if a customer was never updated, updated_since is compared with the created_at of the customer', async () => {
    const [unchanged] = await store.sql`select id::text, created_at::text as at from customers
      where updated_at is null order by created_at desc limit 1`
    const at = String(unchanged?.at).replace(' ', 'T').replace(/\+00$/, 'Z')
    const stored = await store.sql`select id::text from customers
      where coalesce(updated_at, created_at) >= ${String(unchanged?.at)}::text::timestamptz order by created_at, id`
    const found = await idsOf(`limit=250&updated_since=${at}`)
    expect(found).toContain(unchanged?.id)
    expect(found).toEqual(stored.map(({ id }) => id))
  })

  test('[R13] if updated_since and created_since are sent, the list returns only customers that match both filters', async () => {
    const [a] = await store.sql`select created_at::text as at from customers order by created_at offset 25 limit 1`
    const [u] =
      await store.sql`select coalesce(updated_at, created_at)::text as at from customers order by 1 offset 40 limit 1`
    const stored =
      await store.sql`select id::text from customers where created_at >= ${String(a?.at)}::text::timestamptz
      and coalesce(updated_at, created_at) >= ${String(u?.at)}::text::timestamptz order by created_at, id`
    const [at, changed] = [a, u].map((row) => String(row?.at).replace(' ', 'T').replace(/\+00$/, 'Z'))
    const found = await idsOf(`limit=250&created_since=${at}&updated_since=${changed}`)
    expect(found).toEqual(stored.map(({ id }) => id))
    expect(found.length).toBeGreaterThan(0)
    expect(found.length).toBeLessThan((await idsOf(`limit=250&created_since=${at}`)).length)
  })

  test('[Q-UPDATED-OLD, R1] if the store does not track customer updates, updated_since causes a 400 that suggests created_since', async () => {
    const response = await getCustomers('updated_since=2026-01-01T00:00:00Z', old)
    expect([response.status, response.json.error.code]).toEqual([400, 'INVALID_PARAM'])
    expect(response.json.error.message).toMatch(/^updated_since: this store does not track customer updates/)
    expect(response.json.error.message).toContain('created_since')
  })

  test('[Q-UPDATED-OLD] if the store does not track customer updates and updated_since is malformed, the error names the format RFC 3339', async () => {
    const response = await getCustomers('updated_since=yesterday', old)
    expect(response.json.error.message).toContain('RFC 3339')
  })
})

test('[Q-STATUS, R9] GET /customers ignores the parameter status and names it in x-ignored-params', async () => {
  const response = await getCustomers('status=paid&limit=1')
  expect(response.status).toBe(200)
  expect(response.headers.get('x-ignored-params')).toBe('status')
})
