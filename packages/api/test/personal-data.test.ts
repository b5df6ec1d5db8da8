import { randomBytes } from 'node:crypto'
import { ENDPOINTS, LATEST_REVISION, type RevisionId } from '@store-export/contract'
import { ALL_PERMISSIONS, createKey } from '@store-export/control'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { roundsOf } from '../../../test/support/rounds.ts'
import { filledStore } from './support/filled-store.ts'

/** Text in every personal column. The text needs no escape in JSON. */
const SENTINEL = 'Wilhelmine Sentinel'
const ADDRESS = {
  ...{ firstName: SENTINEL, lastName: SENTINEL, line1: SENTINEL, line2: SENTINEL, city: SENTINEL },
  ...{ state: 'BE', postalCode: SENTINEL, country: 'DE', phone: SENTINEL },
}
const REGION = Object.fromEntries(
  Object.entries(ADDRESS).map(([key, value]) => [key, value === SENTINEL ? null : value]),
)

/**
 * The personal fields by list, with what remains of them. Copied by hand, so that an error in the contract is found.
 */
const PERSONAL: Readonly<Record<string, Readonly<Record<string, 'null' | 'pseudonym' | 'region'>>>> = {
  '/api/v1/orders': {
    ...{ email: 'pseudonym', return_reason: 'null', shipping_address: 'region', billing_address: 'region' },
    ...{ processor_payment_intent_id: 'null', processor_charge_id: 'null', receipt_url: 'null' },
    ...{ tracking_number: 'null', tracking_url: 'null', metafields: 'null' },
  },
  '/api/v1/customers': { email: 'pseudonym', name: 'null', phone: 'null', processor_customer_id: 'null' },
  '/api/v1/customer-addresses': {
    ...{ label: 'null', first_name: 'pseudonym', last_name: 'pseudonym', company: 'null', line1: 'pseudonym' },
    ...{ line2: 'null', city: 'pseudonym', postal_code: 'pseudonym', phone: 'null' },
  },
}
const PSEUDONYM = /^[0-9a-f]{32}@personal\.invalid$/

const REQUESTS = roundsOf({ quick: 1000, long: 1_000_000 })

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.close())

/** Creates a store whose personal columns all contain the sentinel, and a key without personal data. */
async function sentinelStore(revision: RevisionId = LATEST_REVISION) {
  const store = await filledStore(platform, revision)
  for (const [path, fields] of Object.entries(PERSONAL)) {
    const table = path.replace('/api/v1/', '').replaceAll('-', '_')
    const columns = await store.sql<{ name: string; type: string }[]>`
      select column_name as name, data_type as type from information_schema.columns
      where table_name = ${table} and column_name in ${store.sql(Object.keys(fields))}`
    for (const { name, type } of columns) await overwrite(store, table, name, type)
  }
  await store.sql`update order_items set attributes = ${store.sql.json({ Engraving: SENTINEL })}`
  return { store, reduced: await reducedKey(store) }
}

async function overwrite({ sql }: TestStore, table: string, column: string, type: string): Promise<void> {
  const [of, name] = [sql(table), sql(column)]
  if (column.endsWith('_address')) await sql`update ${of} set ${name} = ${sql.json(ADDRESS)}`
  else if (type === 'jsonb')
    await sql`update ${of} set ${name} = ${sql.json([{ key: 'k', label: 'l', value: SENTINEL }])}`
  else if (column === 'email')
    await sql`update ${of} set email = ${SENTINEL} || coalesce(to_jsonb(${of}) ->> 'customer_id', id::text)`
  else await sql`update ${of} set ${name} = ${SENTINEL}`
}

async function reducedKey({ id: storeId }: Pick<TestStore, 'id'>): Promise<string> {
  const permissions = { ...ALL_PERMISSIONS, withoutPersonalData: true }
  const database = platform.service.control
  const { key } = await createKey({ database, storeId, name: 'bi', createdBy: null, permissions, random: randomBytes })
  return key.reveal()
}

/** Returns all rows of a list. Records in `isClean` whether each response is free of the sentinel. */
async function rowsOf(path: string, key: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { text, json } = await platform.get(`${path}?limit=250${cursor === '' ? '' : `&cursor=${cursor}`}`, key)
    rows.push(...json.data)
    cursor = json.meta.next_cursor
    isClean.push([path, !text.includes('Sentinel')])
  }
  return rows
}
const isClean: [path: string, isClean: boolean][] = []

describe('personal data in responses', () => {
  test.each<RevisionId>(['launch', 'v1.2', LATEST_REVISION])(
    '[R40] if a key excludes personal data, each personal field at schema version %s is null, a pseudonym, or only state and country',
    async (revision) => {
      const { store, reduced } = await sentinelStore(revision)
      let rows = 0
      for (const [path, fields] of Object.entries(PERSONAL)) {
        isClean.length = 0
        const found = await rowsOf(path, reduced)
        expect(isClean.every(([, clean]) => clean)).toBe(true)
        const full = await rowsOf(path, store.key)
        expect(found.length).toBe(full.length)
        rows += found.length
        for (const [index, row] of found.entries()) {
          const original = full[index] ?? {}
          expect(Object.keys(row)).toEqual(Object.keys(original))
          for (const [name, value] of Object.entries(row)) {
            const remainder = fields[name]
            const before = original[name]
            if (remainder === 'null') expect(value, name).toBeNull()
            else if (remainder === 'pseudonym') expect(value, name).toMatch(PSEUDONYM)
            else if (remainder === 'region') expect(value, name).toEqual(before === null ? null : REGION)
            else if (name !== 'items') expect(value, name).toEqual(before)
            else {
              const items = (before as { attributes: unknown }[]).map((item) => ({ ...item, attributes: null }))
              expect(value, name).toEqual(items)
            }
          }
        }
      }
      expect(rows).toBeGreaterThan(300)
    },
  )

  test('[R40] if a key excludes personal data, no endpoint returns a personal value, and single orders and customers equal their rows in the lists', async () => {
    const { store, reduced } = await sentinelStore()
    const [orders, customers] = [await rowsOf('/api/v1/orders', reduced), await rowsOf('/api/v1/customers', reduced)]
    const [order, customer] = [orders[0], customers[0]]
    const paths = [
      ...['/api/v1/store', '/api/v1/products', '/api/v1/locations', '/api/v1/customer-groups', '/api/v1/categories'],
      ...['orders', 'customers', 'products', 'locations', 'customer-groups', 'categories'].map(
        (name) => `/api/v1/ids/${name}`,
      ),
      ...[`/api/v1/orders/${order?.id}`, `/api/v1/customers/${customer?.id}`],
      `/api/v1/customers/${customer?.id}/addresses`,
      '/api/v1/orders?updated_since=2020-01-01T00:00:00Z&updated_until=now',
      '/api/v1/customers?created_since=2020-01-01T00:00:00Z',
    ]
    for (const path of paths) {
      const { status, text } = await platform.get(path, reduced)
      expect([path, status, text.includes('Sentinel')]).toEqual([path, 200, false])
    }
    expect((await platform.get(`/api/v1/orders/${order?.id}`, reduced)).json.data).toEqual(order)
    expect((await platform.get(`/api/v1/customers/${customer?.id}`, reduced)).json.data).toEqual(customer)
    expect((await platform.get(`/api/v1/customers/${customer?.id}`, store.key)).text).toContain('Sentinel')
  })

  test('[R40] equal personal values have equal pseudonyms in all lists of a store, and different pseudonyms in another store', async () => {
    const { store, reduced } = await sentinelStore()
    await store.sql`update orders o set email = c.email from customers c where c.id = o.customer_id`
    const emails = new Map((await rowsOf('/api/v1/customers', reduced)).map(({ id, email }) => [id, email]))
    const orders = (await rowsOf('/api/v1/orders', reduced)).filter(({ customer_id: id }) => id !== null)
    expect(orders.length).toBeGreaterThan(50)
    for (const { customer_id: id, email } of orders) expect(email).toBe(emails.get(id))
    expect(new Set(emails.values()).size).toBe(emails.size)
    const other = await sentinelStore()
    for (const each of [store, other.store]) await each.sql`update orders set email = 'same@example.com'`
    const [here] = await rowsOf('/api/v1/orders', reduced)
    const [there] = await rowsOf('/api/v1/orders', other.reduced)
    expect(here?.email).not.toBe(there?.email)
    const again = await rowsOf('/api/v1/orders', await reducedKey(store))
    expect(again[0]?.email).toBe(here?.email)
  })

  test('[R32, R40] if a stored address is not a JSON object, the response has null, whether or not the key excludes personal data', async () => {
    const { store, reduced } = await sentinelStore()
    for (const value of [null, SENTINEL, [SENTINEL], 7]) {
      await store.sql`update orders set shipping_address = ${JSON.stringify(value)}::text::jsonb`
      for (const key of [reduced, store.key]) {
        const { json } = await platform.get('/api/v1/orders?limit=1', key)
        expect([value, json.data[0].shipping_address]).toEqual([value, null])
      }
    }
  })

  test('[R40] if a stored address has a country and state that are not strings, a key that excludes personal data gets null for both', async () => {
    const { store, reduced } = await sentinelStore()
    const address = { country: { code: 'DE', city: SENTINEL }, state: [SENTINEL] }
    await store.sql`update orders set shipping_address = ${store.sql.json(address)}`
    const { json } = await platform.get('/api/v1/orders?limit=1', reduced)
    expect(json.data[0].shipping_address).toMatchObject({ country: null, state: null })
  })

  test('[R46] for a key that excludes personal data and an unrestricted key, x-store-fields differs on orders and is equal on products', async () => {
    const { store, reduced } = await sentinelStore()
    const digest = async (path: string, key: string) => (await platform.get(path, key)).headers.get('x-store-fields')
    expect(await digest('/api/v1/orders', reduced)).not.toBe(await digest('/api/v1/orders', store.key))
    expect(await digest('/api/v1/products', reduced)).toBe(await digest('/api/v1/products', store.key))
  })

  test(
    `[R40] if a key that excludes personal data sends ${REQUESTS} random requests, no response, log line, or event has a personal value`,
    async () => {
      const { store, reduced } = await sentinelStore()
      platform.events.length = 0
      const ids = (await store.sql`select id from orders union all select id from customers`).map(({ id }) =>
        String(id),
      )
      const random = fc.sample(requestArbitrary(ids), { numRuns: Math.min(REQUESTS, 5000), seed: 40 })
      let sent = 0
      let ok = 0
      const work = async () => {
        while (sent < REQUESTS) {
          const path = random[sent++ % random.length] ?? ''
          const response = await fetch(platform.service.url + path, { headers: { 'x-api-key': reduced } })
          const text = `${JSON.stringify([...response.headers])} ${await response.text()}`
          if (/sentinel/i.test(text)) throw new Error(`${path} returned the sentinel`)
          if (response.ok) ok += 1
          // A million events don't fit into memory.
          if (platform.events.length > 1000) checkEvents()
        }
      }
      const checkEvents = () => expect(JSON.stringify(platform.events.splice(0))).not.toMatch(/sentinel/i)
      await Promise.all(Array.from({ length: 8 }, work))
      checkEvents()
      expect(ok).toBeGreaterThan(REQUESTS / 4)
      const logged = () => platform.controlSql`select l::text from request_log l join api_keys k on k.id = l.key_id
      where k.store_id = ${store.id} and k.without_personal_data`
      await expect.poll(async () => (await logged()).length, { timeout: 15_000 }).toBeGreaterThan(10)
      expect(JSON.stringify(await logged())).not.toMatch(/sentinel/i)
    },
    60_000 + REQUESTS * 5,
  )
})

/** Returns paths of random endpoints, with valid and invalid values of random parameters. */
function requestArbitrary(ids: readonly string[]): fc.Arbitrary<string> {
  const value = fc.oneof(
    {
      arbitrary: fc.constantFrom('1', '5', '250', '0', 'now', '2026-01-01T00:00:00Z', '2099-12-31T23:59:59Z'),
      weight: 4,
    },
    { arbitrary: fc.constantFrom('paid', 'pending', 'active', 'infinity', '-1', '%00', ''), weight: 1 },
    { arbitrary: fc.string({ maxLength: 12 }), weight: 1 },
  )
  const id = fc.oneof(fc.constantFrom(...ids), fc.uuid(), fc.string({ maxLength: 8 }))
  return fc
    .record({
      endpoint: fc.constantFrom(...ENDPOINTS),
      id,
      parameters: fc.array(fc.tuple(fc.nat(), value), { maxLength: 2 }),
    })
    .map(({ endpoint, id: row, parameters }) => {
      const query = new URLSearchParams()
      for (const [index, text] of parameters) {
        const name = endpoint.parameters[index % Math.max(1, endpoint.parameters.length)]
        if (name !== undefined) query.append(name, text)
      }
      return `${endpoint.path.replace('{id}', encodeURIComponent(row))}?${query}`
    })
}
