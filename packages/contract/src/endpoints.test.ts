import { expect, test } from 'vitest'
import { allOf, columnsByTable, ENDPOINTS, ids, one, only, page, RESOURCES } from './endpoints.ts'
import { customer } from './resources/customer.ts'
import { customerAddress } from './resources/customer-address.ts'
import { order, orderItem } from './resources/order.ts'
import { variant } from './resources/product.ts'

test('[VER-1, GEN-2] the contract has exactly the paths and parameters of the specification and of the documented additions', () => {
  expect(ENDPOINTS.map(({ path, parameters }) => [path, ...parameters].join(' '))).toEqual([
    '/api/v1/store',
    '/api/v1/orders limit cursor updated_since updated_until created_since created_until status',
    '/api/v1/orders/{id}',
    '/api/v1/customers limit cursor created_since created_until updated_since updated_until',
    '/api/v1/customers/{id}',
    '/api/v1/customers/{id}/addresses',
    '/api/v1/customer-addresses limit cursor updated_since updated_until created_since created_until',
    '/api/v1/customer-groups limit cursor',
    '/api/v1/locations limit cursor',
    '/api/v1/products limit cursor updated_since updated_until created_since created_until status',
    '/api/v1/products/{id}',
    '/api/v1/categories limit cursor',
    '/api/v1/ids/orders cursor',
    '/api/v1/ids/customers cursor',
    '/api/v1/ids/customer-groups cursor',
    '/api/v1/ids/locations cursor',
    '/api/v1/ids/products cursor',
    '/api/v1/ids/categories cursor',
  ])
})

test('[R31] the contract marks the ID lists and /customer-addresses as additions to the specification, and no other endpoint', () => {
  expect(ENDPOINTS.filter(({ addition }) => addition).map(({ path }) => path)).toEqual([
    '/api/v1/customer-addresses',
    ...['orders', 'customers', 'customer-groups', 'locations', 'products', 'categories'].map(
      (name) => `/api/v1/ids/${name}`,
    ),
  ])
})

test('no two endpoints of the contract have the same ID or path', () => {
  expect(new Set(ENDPOINTS.map(({ id }) => id)).size).toBe(ENDPOINTS.length)
  expect(new Set(ENDPOINTS.map(({ path }) => path)).size).toBe(ENDPOINTS.length)
})

test('the contract has each resource once, and the resources together read all ten tables of a store', () => {
  expect(RESOURCES.map(({ table }) => table)).toEqual([
    ...['store', 'orders', 'customers', 'customer_addresses', 'customer_groups', 'locations', 'products', 'categories'],
  ])
  expect([...columnsByTable().keys()].sort()).toEqual(
    [
      ...['store', 'orders', 'order_items', 'customers', 'customer_addresses', 'customer_groups', 'locations'],
      ...['products', 'product_variants', 'categories'],
    ].sort(),
  )
})

test('[GEN-3] no endpoint reads a column whose name contains pass, hash, or secret', () => {
  for (const columns of columnsByTable().values())
    for (const column of columns) expect(column).not.toMatch(/pass|hash|secret/)
})

test('only(), one(), page(), allOf(), and ids() add the response kind, and defaults of note, parameters, and schema version, to the declaration of an endpoint', () => {
  expect(only({ id: 'a', path: '/a', resource: order })).toMatchObject({
    path: '/api/v1/a',
    response: { kind: 'only' },
  })
  expect(one({ id: 'b', path: '/b/{id}', resource: order }).note).toBe('Returns one order by ID.')
  expect(page({ id: 'c', path: '/c', resource: order }).parameters).toEqual(['limit', 'cursor'])
  expect(
    allOf({ id: 'd', path: '/d/{id}/e', resource: customerAddress, parent: customer, column: 'customer_id' }),
  ).toMatchObject({ response: { kind: 'allOf', column: 'customer_id' }, since: 'v1.1', parameters: [] })
  expect(ids({ id: 'f', path: '/f', resource: customerAddress })).toMatchObject({
    response: { kind: 'ids' },
    since: 'v1.1',
    parameters: ['cursor'],
    addition: true,
  })
})

test('the contract marks exactly the personal fields of orders, order items, customers, and addresses as personal data', () => {
  const all = [...RESOURCES, orderItem, variant]
  const personal = all.map(({ table, fields }) => [
    table,
    ...Object.entries(fields).flatMap(([name, { personal: remainder }]) =>
      remainder === undefined ? [] : [remainder === 'null' ? name : `${name} ${remainder}`],
    ),
  ])
  expect(personal.filter(([, ...names]) => names.length > 0).map((names) => names.join(', '))).toEqual([
    'orders, email pseudonym, return_reason, shipping_address region, billing_address region, ' +
      'processor_payment_intent_id, processor_charge_id, receipt_url, tracking_number, tracking_url, metafields',
    'customers, email pseudonym, name, phone, processor_customer_id',
    'customer_addresses, label, first_name, last_name, company, line1, line2, city, postal_code, phone',
    'order_items, attributes',
  ])
})
