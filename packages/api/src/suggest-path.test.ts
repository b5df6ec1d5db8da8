import { ENDPOINTS } from '@store-export/contract'
import { expect, test } from 'vitest'
import { suggestPath } from './suggest-path.ts'

const ID = '3f0d2c1a-8b5e-4c7d-9e6f-0a1b2c3d4e5f'

test.each([
  ['/orders/', '/api/v1/orders'],
  ['/api/v1/orders/', '/api/v1/orders'],
  ['//api/v1/orders', '/api/v1/orders'],
  ['/v1/Orders', '/api/v1/orders'],
  ['/api/v2/order', '/api/v1/orders'],
  ['/customer_groups', '/api/v1/customer-groups'],
  ['/api/v1/category', '/api/v1/categories'],
  ['/stores', '/api/v1/store'],
  ['/api/v1/ids/customer_groups', '/api/v1/ids/customer-groups'],
  [`/orders/${ID}`, `/api/v1/orders/${ID}`],
  ['/orders/42', '/api/v1/orders/{id}'],
  [`/api/v1/customers/${ID}/address`, `/api/v1/customers/${ID}/addresses`],
])('[R2] if a request has the unknown path %s, the error suggests %s', (path, suggested) => {
  expect(suggestPath(path)).toBe(suggested)
})

test.each([
  '/',
  '',
  '/api/v1',
  '/favicon.ico',
  '/api/v1/nowhere',
  '/api/v1/__proto__',
  `/api/v1/orders/${ID}/items`,
  '*',
])('[R2] if no endpoint is similar to the requested path %j, the error suggests no path', (path) => {
  expect(suggestPath(path)).toBeNull()
})

test('[R2] if the path of an endpoint has a trailing slash, or is in upper case without /api/v1, the error suggests the exact path', () => {
  for (const { path } of ENDPOINTS) {
    expect(suggestPath(`${path}/`)).toBe(path)
    expect(suggestPath(path.replace('/api/v1', '').toUpperCase().replace('{ID}', ID))).toBe(path.replace('{id}', ID))
  }
})
