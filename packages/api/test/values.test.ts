import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { INFINITE_NUMERICS, majorVersion } from '../../../test/support/server-version.ts'
import { HOSTILE_SETTINGS } from '../../engine/test/support/samples.ts'
import { administrate, clearEvents, contractViolations, idAt, insertRow, readerOf } from './support/rows.ts'

let platform: TestPlatform
let store: TestStore

beforeAll(async () => {
  platform = await startPlatform({ SCHEMA_REFRESH_SECONDS: '1' })
  store = await platform.provision()
  await dropNotNull(store)
  // Settings of the role or of the database must not change a response. A role that an owner manages keeps its
  // settings.
  for (const [name, value] of store.readerUrl === store.ownerUrl ? [] : Object.entries(HOSTILE_SETTINGS))
    await administrate(
      store,
      `alter role ${readerOf(store)} set ${name} = ${name === 'datestyle' ? value : `'${value}'`}`,
    )
})
beforeEach(async () => {
  // For few rows, `delete` is faster than `truncate`.
  for (const table of ['orders', 'customers', 'products', 'locations', 'categories', 'customer_groups'])
    await store.sql`delete from ${store.sql(table)}`
  clearEvents(platform)
})
afterAll(() => platform.close())

/** Allows nulls in all columns except `id`, as a platform's own schema may. */
async function dropNotNull({ sql }: TestStore): Promise<void> {
  const columns = await sql`select table_name, column_name from information_schema.columns
    where table_schema = 'public' and is_nullable = 'NO' and column_name <> 'id' and table_name <> 'store_schema_revisions'`
  for (const { table_name, column_name } of columns)
    await sql
      .unsafe(`alter table ${table_name} alter column "${column_name}" drop not null`)
      .catch((error: unknown) => {
        // Citus rejects this change for the distribution column of a table.
        if (!String(error).includes('partition column')) throw error
      })
}

async function list(path: string) {
  const response = await platform.get(`/api/v1/${path}`, store.key)
  expect(response.status, response.text).toBe(200)
  return { ...response, rows: response.json.data }
}

const ORDER = { id: idAt(1), email: 'a@example.com' }
const PRODUCT = { id: idAt(1), name: 'n', slug: 's', price: '1' }

describe('stored numbers', () => {
  test.each([
    ['0.1', '0.10'],
    ['9007199254740993.01', '9007199254740993.01'],
    ['-0.005', '-0.01'],
    ['0.005', '0.01'],
    ['-12.344', '-12.34'],
    ['1e130', `1${'0'.repeat(130)}.00`],
    ['-0.001', '0.00'],
    ['0.999', '1.00'],
  ])('[FMT-2, R20] if the stored amount is %s, the response has %s', async (stored, served) => {
    await insertRow(store, 'orders', { ...ORDER, total: stored, refund_amount: stored })
    await insertRow(store, 'order_items', {
      id: idAt(2),
      order_id: ORDER.id,
      product_id: idAt(3),
      name: 'n',
      price: stored,
    })
    const { rows } = await list('orders')
    expect(rows[0]).toMatchObject({ total: served, refund_amount: served, items: [{ price: served }] })
    expect(contractViolations(platform, store)).toEqual({})
  })

  test.for(['NaN', 'Infinity', '-Infinity'])(
    '[R17] if the stored amount is %s, a required field is "0.00", a nullable field is null, and a contract violation is counted',
    async (stored, { skip }) => {
      skip(stored !== 'NaN' && (await majorVersion(store.sql)) < 14, INFINITE_NUMERICS)
      await insertRow(store, 'orders', { ...ORDER, total: stored, refund_amount: stored })
      const { rows } = await list('orders')
      expect(rows[0]).toMatchObject({ total: '0.00', refund_amount: null })
      expect(contractViolations(platform, store)).toMatchObject({
        'orders.total not a number': 1,
        'orders.refund_amount not a number': 1,
      })
    },
  )

  test('[R19] the response has all stored digits of coordinates, and weights rounded to two decimals', async () => {
    await insertRow(store, 'locations', { id: idAt(1), name: 'n', latitude: '52.5200065700', longitude: '-0.10' })
    await insertRow(store, 'products', { ...PRODUCT, weight_grams: '1234.5678' })
    await insertRow(store, 'product_variants', {
      id: idAt(2),
      product_id: idAt(1),
      sku: 's',
      name: 'n',
      weight_grams: '0.005',
    })
    expect((await list('locations')).rows[0]).toMatchObject({ latitude: '52.5200065700', longitude: '-0.10' })
    const { rows } = await list('products')
    expect(rows[0]).toMatchObject({ weight_grams: '1234.57', variants: [{ weight_grams: '0.01' }] })
  })

  test('[R17] if a stored coordinate is NaN or infinite, the response has null', async () => {
    const infinite = (await majorVersion(store.sql)) < 14 ? 'NaN' : 'Infinity'
    await insertRow(store, 'locations', { id: idAt(1), name: 'n', latitude: 'NaN', longitude: infinite })
    expect((await list('locations')).rows[0]).toMatchObject({ latitude: null, longitude: null })
  })
})

describe('stored strings', () => {
  const TEXTS = [
    'plain',
    '😀 👩‍👩‍👧 é ﷽',
    'line\u2028and\u2029paragraph',
    Array.from({ length: 0x7f }, (_, code) => String.fromCharCode(code + 1)).join(''),
    '"quoted" \\back\\ \u0085 </script> \uFEFF \uFFFF',
    '{"not": "json"}, NULL, {a,b}',
    '',
  ]

  test.each(TEXTS)(
    'if the stored string is %j, the response has the same string, also in a string array',
    async (text) => {
      await insertRow(store, 'products', { ...PRODUCT, name: text, vendor: text })
      await store.sql.unsafe(`update products set tags = array[$1, 'x', $1]`, [text])
      const { rows } = await list('products')
      expect(rows[0]).toMatchObject({ name: text, vendor: text, tags: [text, 'x', text] })
    },
  )

  test('if a stored string has 1 MB, the response has the whole string and the next row', async () => {
    const megabyte = 'ä"\\\n😀'.repeat(100_000)
    await insertRow(store, 'orders', { ...ORDER, return_reason: megabyte, created_at: '2026-01-01Z' })
    await insertRow(store, 'orders', { id: idAt(2), email: 'b@example.com', created_at: '2026-01-02Z' })
    const { rows, headers, text } = await list('orders')
    expect(rows.map((row: { email: string }) => row.email)).toEqual(['a@example.com', 'b@example.com'])
    expect(rows[0].return_reason).toBe(megabyte)
    expect(headers.get('content-length') === String(Buffer.byteLength(text)) || headers.has('content-encoding')).toBe(
      true,
    )
  })

  test('[R22] if a stored string array has null elements or is nested, the response is a flat array without null', async () => {
    await insertRow(store, 'products', {
      ...PRODUCT,
      images: '{NULL,a,NULL,b}',
      videos: '{{a,b},{c,NULL}}',
      tags: '{NULL}',
    })
    const { rows } = await list('products')
    expect(rows[0]).toMatchObject({ images: ['a', 'b'], videos: ['a', 'b', 'c'], tags: [], meta_keywords: null })
  })

  test('[R24] if a UUID was inserted in upper case, the response has the UUID in lower case', async () => {
    const id = 'ABCDEF00-0000-4000-8000-00000000000A'
    await insertRow(store, 'orders', { ...ORDER, id })
    expect((await list('orders')).rows[0].id).toBe(id.toLowerCase())
  })
})

describe('stored timestamps', () => {
  test.each([
    ['0001-01-01 00:00:00+00', '0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31 23:59:59.999999+00', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['10000-01-01 00:00:00+00', '9999-12-31T23:59:59.999Z', null],
    ['0044-03-15 12:00:00+00 BC', '0001-01-01T00:00:00.000Z', null],
    ['infinity', '9999-12-31T23:59:59.999Z', null],
    ['-infinity', '0001-01-01T00:00:00.000Z', null],
    ['2026-07-08 10:11:12.999999+00', '2026-07-08T10:11:12.999Z', '2026-07-08T10:11:12.999Z'],
    ['1969-12-31 23:59:59.9999+00', '1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
    ['2026-03-29 02:30:00.0005+01', '2026-03-29T01:30:00.000Z', '2026-03-29T01:30:00.000Z'],
  ])(
    '[FMT-3, R17] if the stored timestamp is %s, a required field has %s, and a nullable field has %s',
    async (stored, always, maybe) => {
      await insertRow(store, 'customers', {
        id: idAt(1),
        email: 'a@example.com',
        created_at: stored,
        email_verified: stored,
      })
      await insertRow(store, 'orders', { ...ORDER, created_at: stored, updated_at: stored })
      await insertRow(store, 'order_items', {
        id: idAt(2),
        order_id: ORDER.id,
        product_id: idAt(3),
        name: 'n',
        price: '1',
        created_at: stored,
      })
      await store.sql`update orders set updated_at = ${stored}::text::timestamptz`
      expect((await list('customers')).rows[0]).toMatchObject({
        created_at: always,
        email_verified: maybe,
        updated_at: null,
      })
      expect((await list('orders')).rows[0]).toMatchObject({
        created_at: always,
        updated_at: always,
        items: [{ created_at: always }],
      })
      const counted = contractViolations(platform, store)['customers.email_verified out of range'] ?? 0
      expect(counted).toBe(maybe === null ? 1 : 0)
    },
  )

  test('[R17] if an order has no timestamps, it is last in its list, with 0001-01-01T00:00:00.000Z as created_at and updated_at', async () => {
    await insertRow(store, 'orders', { ...ORDER, created_at: null, updated_at: null })
    await insertRow(store, 'orders', { id: idAt(2), email: 'b@example.com', created_at: 'infinity' })
    await insertRow(store, 'orders', { id: idAt(3), email: 'c@example.com', created_at: '-infinity' })
    const { rows } = await list('orders')
    expect(rows.map(({ id }: { id: string }) => id)).toEqual([idAt(3), idAt(2), idAt(1)])
    expect(rows[2]).toMatchObject({ created_at: '0001-01-01T00:00:00.000Z', updated_at: '0001-01-01T00:00:00.000Z' })
    expect(contractViolations(platform, store)).toMatchObject({
      'orders.created_at missing': 1,
      'orders.created_at out of range': 2,
    })
  })
})

describe('null in a field that is not nullable', () => {
  test('[R21] if a required field of an order or item is null, the response has "", "0.00", 0, or the zero UUID', async () => {
    await insertRow(store, 'orders', {
      ...ORDER,
      email: null,
      status: null,
      subtotal: null,
      total: null,
      tax: null,
      shipping: null,
    })
    await insertRow(store, 'order_items', {
      id: idAt(2),
      order_id: ORDER.id,
      product_id: null,
      name: null,
      price: null,
      quantity: null,
    })
    const { rows } = await list('orders')
    expect(rows[0]).toMatchObject({
      email: '',
      status: '',
      subtotal: '0.00',
      total: '0.00',
      tax: '0.00',
      shipping: '0.00',
    })
    expect(rows[0].items[0]).toMatchObject({
      product_id: '00000000-0000-0000-0000-000000000000',
      ...{ name: '', price: '0.00', quantity: 0, attributes: null },
    })
    expect(contractViolations(platform, store)).toMatchObject({
      ...{ 'orders.email missing': 1, 'orders.status missing': 1, 'orders.total missing': 1 },
      ...{ 'order_items.product_id missing': 1, 'order_items.quantity missing': 1 },
    })
  })

  test('[R21] if a required field of a product or variant is null, the response has "", "0.00", 0, false, [], or {}', async () => {
    await insertRow(store, 'products', {
      ...PRODUCT,
      ...{ name: null, slug: null, description: null, price: null, images: null, videos: null, metafields: null },
      ...{ has_variants: null, status: null },
    })
    await insertRow(store, 'product_variants', {
      id: idAt(2),
      product_id: idAt(1),
      sku: null,
      name: null,
      inventory: null,
      attributes: null,
    })
    const { rows } = await list('products')
    expect(rows[0]).toMatchObject({
      ...{ name: '', slug: '', description: '', price: '0.00', images: [], videos: [], metafields: [] },
      ...{
        has_variants: false,
        status: '',
        variants: [{ sku: '', name: '', inventory: 0, attributes: {}, price: null }],
      },
    })
  })

  test('[R21] if a required field of a customer, address, group, location, or category is null, the response has "", false, 0, or []', async () => {
    await insertRow(store, 'customers', { id: idAt(1), email: null })
    await insertRow(store, 'customer_addresses', {
      id: idAt(2),
      customer_id: idAt(1),
      first_name: null,
      country: null,
      is_default_billing: null,
    })
    await insertRow(store, 'customer_groups', {
      id: idAt(3),
      name: null,
      is_active: null,
      sort_order: null,
      updated_at: null,
    })
    await insertRow(store, 'locations', {
      id: idAt(4),
      name: null,
      opening_hours: null,
      pickup_enabled: null,
      sort_order: null,
    })
    await insertRow(store, 'categories', { id: idAt(5), name: null, slug: null, order: null })
    expect((await list('customers')).rows[0].email).toBe('')
    const address = (await list(`customers/${idAt(1)}/addresses`)).rows[0]
    expect(address).toMatchObject({ first_name: '', country: '', is_default_billing: false, label: null })
    expect((await list('customer-groups')).rows[0]).toMatchObject({ name: '', is_active: false, sort_order: 0 })
    expect((await list('locations')).rows[0]).toMatchObject({
      name: '',
      opening_hours: [],
      pickup_enabled: false,
      sort_order: 0,
    })
    expect((await list('categories')).rows[0]).toMatchObject({ name: '', slug: '', order: 0, parent_id: null })
  })
})

describe('stored JSON', () => {
  test('[R32] if stored JSON has twenty-digit numbers or a key __proto__, the response has the JSON unchanged', async () => {
    const metafields =
      '[{"key": "__proto__", "n": 12345678901234567890, "value": {"__proto__": {"x": 0.1000}}, "label": "\\u2028"}]'
    await insertRow(store, 'products', { ...PRODUCT, metafields, translations: '{"__proto__": {"name": "x"}}' })
    const { text } = await list('products')
    const [row] =
      await store.sql`select metafields::text as metafields, translations::text as translations from products`
    expect(text).toContain(`"metafields":${row?.metafields}`)
    expect(text).toContain(`"translations":${row?.translations}`)
    expect(text).toContain('12345678901234567890')
    expect(text).toContain('0.1000')
  })

  test.each(['{}', '"text"', '1', 'null', 'true'])(
    '[R32] if %s is stored where the API returns an array, a required field is [], and a nullable field is null',
    async (stored) => {
      await insertRow(store, 'products', { ...PRODUCT, metafields: stored })
      await insertRow(store, 'orders', { ...ORDER, tax_breakdown: stored, metafields: stored })
      expect((await list('products')).rows[0].metafields).toEqual([])
      expect((await list('orders')).rows[0]).toMatchObject({ tax_breakdown: null, metafields: null })
      expect(contractViolations(platform, store)).toMatchObject({
        'products.metafields of the wrong shape': 1,
        'orders.tax_breakdown of the wrong shape': 1,
      })
    },
  )

  test.each(['[]', '"text"', '1', 'null', '[{"firstName": "a"}]'])(
    '[R32] if %s is stored where the API returns an object, a required field is {}, and a nullable field is null',
    async (stored) => {
      await insertRow(store, 'orders', { ...ORDER, shipping_address: stored })
      await insertRow(store, 'order_items', {
        id: idAt(2),
        order_id: ORDER.id,
        product_id: idAt(3),
        name: 'n',
        price: '1',
        attributes: stored,
      })
      await insertRow(store, 'products', { ...PRODUCT, translations: stored })
      await insertRow(store, 'product_variants', {
        id: idAt(2),
        product_id: idAt(1),
        sku: 's',
        name: 'n',
        attributes: stored,
      })
      expect((await list('orders')).rows[0]).toMatchObject({ shipping_address: null, items: [{ attributes: null }] })
      expect((await list('products')).rows[0]).toMatchObject({ translations: null, variants: [{ attributes: {} }] })
      expect(contractViolations(platform, store)).toMatchObject({ 'product_variants.attributes of the wrong shape': 1 })
    },
  )

  const NINE = ['firstName', 'lastName', 'line1', 'line2', 'city', 'state', 'postalCode', 'country', 'phone']

  test.each([
    ['{}', {}],
    ['{"firstName": "A", "password": "x", "id": 1}', { firstName: 'A' }],
    ['{"first\\u004eame": "\\"}{,:", "line1\\"": "no", "phone": "\\\\"}', { firstName: '"}{,:', phone: '\\' }],
    ['{"city": "first", "city": "last"}', { city: 'last' }],
    [
      '{"state": {"firstName": "no", "city": ["]}"]}, "line1": [1, {"phone": 2}]}',
      { state: { firstName: 'no', city: [']}'] }, line1: [1, { phone: 2 }] },
    ],
    ['{"FirstName": "no", "firstname": "no", "first": "no", " firstName": "no", "": "no", "\\u2028": "no"}', {}],
    [
      '{"phone": 12345678901234567890, "country": null, "zip": {"country": "no"}}',
      { phone: Number('12345678901234567890') },
    ],
  ])(
    '[R32, FMT-1] if the stored address is %s, the response has exactly the nine specified keys, with null for absent keys',
    async (stored, expected) => {
      await insertRow(store, 'orders', { ...ORDER, shipping_address: stored, billing_address: stored })
      const [row] = (await list('orders')).rows
      expect(row.shipping_address).toEqual({ ...Object.fromEntries(NINE.map((name) => [name, null])), ...expected })
      expect(Object.keys(row.billing_address)).toEqual(NINE)
      expect(row.billing_address).toEqual(row.shipping_address)
    },
  )
})

describe('stored values of enums', () => {
  test('[R33] if an order or product has an undocumented status, the response returns the status unchanged, and a contract violation is counted', async () => {
    await insertRow(store, 'orders', { ...ORDER, status: 'on_hold' })
    await insertRow(store, 'products', { ...PRODUCT, status: 'Active' })
    expect((await list('orders')).rows[0].status).toBe('on_hold')
    expect((await list('products')).rows[0].status).toBe('Active')
    expect(contractViolations(platform, store)).toEqual({
      'orders.status outside the list': 1,
      'products.status outside the list': 1,
    })
  })

  test.each([
    ['manual', 'manual', null],
    [null, null, 'pi_1'],
    ['processor', 'processor', 'pi_1'],
    ['acmepay', 'processor', 'pi_1'],
    ['Manual', 'processor', 'pi_1'],
    ['', 'processor', 'pi_1'],
  ])(
    '[R34, RES-ORDER-MANUAL] if the stored payment provider is %j, the response has the provider %j and the payment intent %j',
    async (stored, served, intent) => {
      const processor = { processor_payment_intent_id: 'pi_1', processor_charge_id: 'ch_1' }
      await insertRow(store, 'orders', { ...ORDER, payment_provider: stored, ...processor })
      const expected = {
        payment_provider: served,
        processor_payment_intent_id: intent,
        processor_charge_id: intent === null ? null : 'ch_1',
      }
      expect((await list('orders')).rows[0]).toMatchObject(expected)
      expect((await list(`orders/${ORDER.id}`)).json.data).toMatchObject(expected)
      expect(contractViolations(platform, store)).toEqual({})
    },
  )

  test.each([
    ['de', '{en,fr}', ['de', 'en', 'fr']],
    ['de', '{en,de}', ['en', 'de']],
    ['de', '{}', ['de']],
    ['de', '{NULL}', ['de']],
    ['de', null, null],
    [null, '{en,NULL}', ['en']],
    ['de', '{{en,fr},{it,es}}', ['en', 'fr', 'it', 'es']],
  ])(
    '[R35] if default_locale is %j and the stored enabled_locales are %j, the response has enabled_locales %j',
    async (first, enabled, served) => {
      await store.sql.unsafe(
        'update store set default_locale = $1, enabled_locales = $2::text::text[], weight_unit = $3',
        [...[first, enabled], 'stone'],
      )
      const { json } = await list('store')
      expect(json.data).toMatchObject({ default_locale: first, enabled_locales: served, weight_unit: 'stone' })
    },
  )
})

describe('removed addresses', () => {
  test('[R23, RES-ADDRESS] if deleted_at of an address is set, the address is not returned', async () => {
    await insertRow(store, 'customers', { id: idAt(1), email: 'a@example.com' })
    const address = {
      customer_id: idAt(1),
      first_name: 'a',
      last_name: 'b',
      line1: 'c',
      city: 'd',
      postal_code: 'e',
      country: 'DE',
    }
    const removed = [null, 'now', '-infinity', 'infinity', '3000-01-01Z']
    for (const [index, deleted_at] of removed.entries())
      await insertRow(store, 'customer_addresses', { ...address, id: idAt(10 + index), deleted_at })
    for (const path of [`customers/${idAt(1)}/addresses`, 'customer-addresses']) {
      const { rows, text } = await list(path)
      expect(rows.map(({ id }: { id: string }) => id)).toEqual([idAt(10)])
      expect(text).not.toContain('deleted_at')
    }
  })
})

describe('counts of the store', () => {
  test('[RES-STORE] if created_at of rows is null or infinite, the counts of the store include these rows', async () => {
    const fresh = await platform.provision()
    await dropNotNull(fresh)
    await insertRow(fresh, 'orders', { ...ORDER, created_at: null })
    await insertRow(fresh, 'orders', { id: idAt(2), email: 'b', created_at: 'infinity' })
    await insertRow(fresh, 'orders', { id: idAt(3), email: 'c', created_at: '-infinity' })
    await insertRow(fresh, 'customers', { id: idAt(1), email: 'a' })
    const { json } = await platform.get('/api/v1/store', fresh.key)
    expect(json.data.counts).toEqual({ products: 0, categories: 0, customers: 1, orders: 3 })
  })
})
