import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { deviations } from './support/deviations.ts'
import { filledStore } from './support/filled-store.ts'

let platform: TestPlatform
let store: TestStore
beforeAll(async () => {
  platform = await startPlatform()
  store = await filledStore(platform)
})
afterAll(() => platform.close())

// biome-ignore lint/suspicious/noExplicitAny: rows as a client without types reads them
type Row = any
const list = async (query: string): Promise<Row[]> => {
  const response = await platform.get(`/api/v1/orders?${query}`, store.key)
  expect(response.status, response.text).toBe(200)
  return response.json.data
}
const ids = (rows: Row[]): string[] => rows.map(({ id }) => id)

describe('[EP-ORDERS, RES-ORDER, RES-ITEM] GET /api/v1/orders', () => {
  test('[FMT-1, FMT-4] GET /orders returns orders and their items with the specified fields and no others', async () => {
    const { json } = await platform.get('/api/v1/orders?limit=250', store.key)
    expect(Object.keys(json)).toEqual(['data', 'meta'])
    expect(Object.keys(json.meta)).toEqual(['next_cursor', 'has_more'])
    expect(json.data).toHaveLength(250)
    expect(json.data.flatMap((row: Row) => deviations(row, 'order'))).toEqual([])
    expect(
      json.data.every(({ items, id }: Row) => items.length > 0 && items.every((item: Row) => item.order_id === id)),
    ).toBe(true)
  })

  test('GET /orders returns the stored ID, customer, email, status, total, currency, tracking number, and creation time of each order', async () => {
    const rows = await list('limit=250')
    const stored = await store.sql`
      select id::text, customer_id::text, email, status, round(total, 2)::text as total, currency, tracking_number,
        to_char(date_trunc('milliseconds', created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
        (select count(*)::int from order_items i where i.order_id = o.id) as items
      from orders o order by o.created_at, o.id limit 250`
    expect(rows.map((row) => ({ ...row, items: row.items.length }))).toMatchObject(stored.map((row) => ({ ...row })))
  })

  test('items added to an order appear in the list with their stored values, sorted by created_at and id', async () => {
    const [{ id }] = (await list('limit=1')) as [Row]
    await store.sql`insert into order_items (id, order_id, product_id, name, price, quantity, attributes, created_at) values
      ('00000000-0000-4000-8000-0000000000a2', ${id}, ${id}, 'late', 3.005, 2, '{"Size":"L"}', '2030-01-01T00:00:00Z'),
      ('00000000-0000-4000-8000-0000000000a1', ${id}, ${id}, 'late too', -1, 0, null, '2030-01-01T00:00:00Z')`
    const [{ items }] = (await list('limit=1')) as [Row]
    expect(items.slice(-2)).toEqual([
      { ...LATE, id: '00000000-0000-4000-8000-0000000000a1', name: 'late too', price: '-1.00', quantity: 0, ...of(id) },
      {
        ...{ ...LATE, id: '00000000-0000-4000-8000-0000000000a2', name: 'late', price: '3.01', quantity: 2, ...of(id) },
        attributes: { Size: 'L' },
      },
    ])
    await store.sql`delete from order_items where name like 'late%'`
  })
  const LATE = { variant_id: null, attributes: null, created_at: '2030-01-01T00:00:00.000Z' }
  const of = (id: string) => ({ order_id: id, product_id: id })
})

test('[FMT-5] if the customer_id of an order is null, the order still has an email address', async () => {
  const guests = (await list('limit=250')).filter((row) => row.customer_id === null)
  expect(guests.length).toBeGreaterThan(0)
  expect(guests.every(({ email }) => email.includes('@'))).toBe(true)
})

test('[RES-ORDER-MANUAL, R34] if the stored payment provider is "manual", the processor IDs are null, and any other provider name is returned as "processor"', async () => {
  const rows = await list('limit=250')
  const manual = rows.filter(({ payment_provider }) => payment_provider === 'manual')
  expect(manual.length).toBeGreaterThan(0)
  for (const row of manual) {
    expect([row.processor_payment_intent_id, row.processor_charge_id]).toEqual([null, null])
    expect(row.payment_method_label).not.toBeNull()
  }
  const id = rows[0].id
  for (const [stored, served, intent] of [
    ['manual', 'manual', null],
    ['paypro', 'processor', 'pi_1'],
    ['', 'processor', 'pi_1'],
    [null, null, 'pi_1'],
  ] as const) {
    await store.sql`update orders set payment_provider = ${stored}, processor_payment_intent_id = 'pi_1',
      processor_charge_id = 'ch_1', updated_at = updated_at where id = ${id}`
    const [row] = await list('limit=1')
    expect([row.payment_provider, row.processor_payment_intent_id]).toEqual([served, intent])
    expect(row.processor_charge_id).toBe(intent === null ? null : 'ch_1')
  }
})

test('[RES-ORDER-PICKUP] if an order is for pickup, its shipping address has the street and city of the pickup location', async () => {
  const { json } = await platform.get('/api/v1/locations', store.key)
  const places = new Map<string, Row>(json.data.map((place: Row) => [place.id, place]))
  const pickups = (await list('limit=250')).filter((row) => row.pickup_location_id !== null)
  expect(pickups.length).toBeGreaterThan(0)
  for (const { pickup_location_id, shipping_address } of pickups) {
    const place = places.get(pickup_location_id)
    expect([shipping_address.line1, shipping_address.city]).toEqual([place.address1, place.city])
  }
})

test('[R32, FMT-1] if a stored address is a JSON object, the response has exactly the nine address keys, and otherwise the address is null', async () => {
  const [{ id }] = (await list('limit=1')) as [Row]
  const serve = async (value: unknown) => {
    await store.sql`update orders set billing_address = ${JSON.stringify(value)}::text::jsonb where id = ${id}`
    return (await list('limit=1'))[0].billing_address
  }
  expect(await serve({ phone: '1', firstName: 'A', secret: 'x', first_name: 'no' })).toEqual({
    ...{ firstName: 'A', lastName: null, line1: null, line2: null, city: null, state: null },
    ...{ postalCode: null, country: null, phone: '1' },
  })
  for (const value of [[], 'text', 1, null, true]) expect(await serve(value)).toBeNull()
})

describe('[Q-STATUS, ST-1] the status filter of orders', () => {
  test.each(['pending', 'paid', 'shipped', 'delivered', 'cancelled', 'refunded', 'return_requested'])(
    'if status=%s is sent, the list returns all orders with this status and no others',
    async (status) => {
      const rows = await list(`limit=250&status=${status}`)
      const [stored] = await store.sql`select count(*)::int from orders where status = ${status}`
      expect(rows).toHaveLength(Number(stored?.count))
      expect(rows.every((row) => row.status === status)).toBe(true)
    },
  )

  test('the store of these tests contains orders of all seven statuses', async () => {
    const statuses = new Set((await list('limit=250')).map(({ status }) => status))
    expect(statuses.size).toBe(7)
  })
})

describe('[Q-UPDATED] updated_since of orders', () => {
  test('if updated_since is sent, the list returns orders that changed at or after this timestamp, exact to the microsecond', async () => {
    const [{ id }] = (await list('limit=1')) as [Row]
    await store.sql`update orders set updated_at = '2031-05-01T12:00:00.123456Z' where id = ${id}`
    const found = async (timestamp: string) =>
      ids(await list(`updated_since=${encodeURIComponent(timestamp)}`)).includes(id)
    expect(await found('2031-05-01T12:00:00.123456Z')).toBe(true)
    expect(await found('2031-05-01T12:00:00.123455999Z')).toBe(true)
    expect(await found('2031-05-01T12:00:00.123456001Z')).toBe(false)
    expect(await found('2031-05-01T12:00:00.123457Z')).toBe(false)
    expect(await found('2031-05-01T14:00:00.123456+02:00')).toBe(true)
    expect(await found('2031-05-01T11:59:00.123457-00:01')).toBe(false)
  })

  test('if updated_since and a status are sent, the list returns only orders that match both filters', async () => {
    const [middle] = await store.sql`select updated_at::text as at from orders order by updated_at offset 100 limit 1`
    const stored = await store.sql`select id::text from orders
      where updated_at >= ${String(middle?.at)}::text::timestamptz and status = 'delivered' order by created_at, id`
    const at = String(middle?.at).replace(' ', 'T').replace(/\+00$/, 'Z')
    expect(stored.length).toBeGreaterThan(0)
    expect(ids(await list(`limit=250&status=delivered&updated_since=${at}`))).toEqual(stored.map(({ id }) => id))
  })

  test.each([
    ['0001-01-01T00:00:00Z', true],
    ['0001-01-01T00:00:00%2B23:59', true],
    ['9999-12-31T23:59:59.999999Z', false],
    ['9999-12-31T23:59:59.999999999Z', false],
    ['9999-12-31T23:59:59-23:59', false],
  ])(
    'if updated_since is the extreme timestamp %s, the response is 200 (the list has orders: %s)',
    async (timestamp, some) => {
      expect((await list(`updated_since=${timestamp}`)).length > 0).toBe(some)
    },
  )
})
