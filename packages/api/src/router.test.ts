import { ApiError, ENDPOINTS } from '@store-export/contract'
import { describe, expect, test } from 'vitest'
import { type Route, Router, readId, requireRoute } from './router.ts'

const router = new Router()
const routeOf = (method: string, path: string): Route => requireRoute(router.find(path), { method, path })
const ID = '3f0d2c1a-8b5e-4c7d-9e6f-0a1b2c3d4e5f'
const errorOf = (run: () => unknown): ApiError => {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('nothing was rejected')
}

test('if a GET or HEAD request has the path of an endpoint, the router finds that endpoint', () => {
  for (const endpoint of ENDPOINTS)
    for (const method of ['GET', 'HEAD'])
      expect(routeOf(method, endpoint.path.replace('{id}', ID))).toEqual({
        endpoint,
        rawId: endpoint.path.includes('{id}') ? ID : '',
      })
})

describe('[R2] paths without an endpoint', () => {
  test.each([
    ...[
      '',
      '/',
      '/api',
      '/api/v1',
      '/api/v1/',
      '/api/v2/orders',
      '/api/v1/Orders',
      '/api/v1/orders/',
      '//api/v1/orders',
    ],
    ...[`/api/v1/orders/${ID}/`, `/api/v1/orders/${ID}/items`, '/api/v1/customers//addresses', '/api/v1/%6frders'],
    ...[
      '/api/v1/../v1/orders',
      '/api/v1/orders;a=1',
      '/api/v1/store/1',
      '/api/v1/__proto__',
      '/api/v1/order_items',
      '*',
    ],
  ])('if no endpoint has the path %j, requireRoute throws NOT_FOUND with status 404', (path) => {
    expect(errorOf(() => routeOf('GET', path))).toMatchObject({ code: 'NOT_FOUND', status: 404 })
  })
})

test('[R3] if the method is not GET or HEAD, requireRoute throws a 405 with Allow for an endpoint, and a 404 for an unknown path', () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'get', 'PROPFIND', 'QUERY'])
    expect(errorOf(() => routeOf(method, '/api/v1/orders'))).toMatchObject({
      code: 'NOT_FOUND',
      status: 405,
      message: 'read-only: use GET',
      headers: { allow: 'GET, HEAD' },
    })
  expect(errorOf(() => routeOf('POST', '/api/v1/nowhere')).status).toBe(404)
})

describe('[R24, EP-ID-INVALID] the ID in a path', () => {
  const { endpoint } = routeOf('GET', `/api/v1/orders/${ID}`)

  test('if the ID in a path is a UUID of any version in upper or lower case, readId returns the UUID in lower case', () => {
    expect(readId(endpoint, ID)).toBe(ID)
    expect(readId(endpoint, ID.toUpperCase())).toBe(ID)
    for (const id of ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'])
      expect(readId(endpoint, id)).toBe(id)
  })

  test.each([
    ...[
      '1',
      'null',
      `{${ID}}`,
      `%7B${ID}%7D`,
      ID.replaceAll('-', ''),
      `urn:uuid:${ID}`,
      `${ID}0`,
      ID.slice(1),
      `${ID}%00`,
    ],
    ...[
      `${ID}\n`,
      ` ${ID}`,
      ID.replace('3', 'g'),
      ID.replace('3', '３'),
      "' or 1=1 --",
      '%',
      '%zz',
      '%ff',
      'constructor',
    ],
  ])('if the ID in a path is the invalid value %j, readId throws INVALID_PARAM with status 400', (rawId) => {
    const error = errorOf(() => readId(endpoint, rawId))
    expect(error).toMatchObject({ code: 'INVALID_PARAM', status: 400 })
    expect(error.message).toMatch(/^id: must be a UUID like/)
  })

  test('if the path of an endpoint has no ID, readId returns the empty string', () => {
    expect(readId(routeOf('GET', '/api/v1/orders').endpoint, '')).toBe('')
  })
})

test('if an endpoint is added to the contract, the router finds the endpoint by its path', () => {
  const [first] = ENDPOINTS
  if (first === undefined) throw new Error('no endpoints')
  const added = { ...first, id: 'getShop', path: '/api/v1/shops/{id}/house' }
  expect(new Router([...ENDPOINTS, added]).find(`/api/v1/shops/${ID}/house`)).toEqual({
    endpoint: added,
    rawId: ID,
  })
})
