import { ApiError, ENDPOINTS, type Endpoint } from '@store-export/contract'
import { describe, expect, test } from 'vitest'
import { ignoredHeader, ignoredNames, readParameters } from './query-parameters.ts'

const endpointAt = (path: string): Endpoint => {
  const endpoint = ENDPOINTS.find((each) => each.path === `/api/v1${path}`)
  if (endpoint === undefined) throw new Error(`no endpoint at ${path}`)
  return endpoint
}
const orders = endpointAt('/orders')
const read = (query: string, endpoint = orders) => readParameters(endpoint, new URLSearchParams(query))
const ignored = (query: string, endpoint = orders) => ignoredNames(endpoint, new URLSearchParams(query))
const errorOf = (query: string, endpoint = orders): ApiError => {
  try {
    read(query, endpoint)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error(`accepted: ${query}`)
}

test('query parameters are parsed by name, whatever their order in the query', () => {
  const values = read('status=paid&limit=7&updated_since=2000-01-01T00%3A00%3A01%2B00%3A00&cursor=abc')
  expect(Object.fromEntries(values)).toEqual({ limit: 7, cursor: 'abc', updated_since: 1_000_000n, status: 'paid' })
})

test('if the name and value of a query parameter are percent-encoded, the parser decodes the name and the value', () => {
  expect(read('lim%69t=%37').get('limit')).toBe(7)
})

describe('[R10] the value of a parameter', () => {
  test.each(['limit', 'updated_since', 'status'])(
    'if %s is empty or sent twice, the parser throws INVALID_PARAM with a message that names the parameter',
    (name) => {
      expect(errorOf(`${name}=`)).toMatchObject({ code: 'INVALID_PARAM' })
      expect(errorOf(`${name}`).message).toContain(name)
      expect(errorOf(`${name}=1&${name}=1`)).toMatchObject({ code: 'INVALID_PARAM' })
      expect(errorOf(`${name}=1&${name}=1`).message).toMatch(new RegExp(`^${name}: must be given once`))
    },
  )

  test('if the cursor is empty, the parser throws INVALID_CURSOR', () => {
    expect(errorOf('cursor=').code).toBe('INVALID_CURSOR')
  })

  test('if the cursor is sent twice, the parser throws INVALID_PARAM', () => {
    expect(errorOf('cursor=a&cursor=a').code).toBe('INVALID_PARAM')
  })

  test('if a request has a parameter that its endpoint does not accept, the parameter is ignored, even if it is empty and repeated', () => {
    expect(read('status=&status=', endpointAt('/categories')).size).toBe(0)
    expect(ignored('status=&status=', endpointAt('/categories'))).toEqual(['status'])
  })
})

describe('[R9] the names of ignored parameters', () => {
  test('parameters that an endpoint does not accept are listed as ignored once each, in the order of the query', () => {
    expect(ignored('b=1&limit=2&a=2&b=3&status=nonsense', endpointAt('/customers'))).toEqual(['b', 'a', 'status'])
    expect(ignored('limit=ten&cursor=', endpointAt('/orders/{id}'))).toEqual(['limit', 'cursor'])
  })

  test('a parameter name that differs from an accepted one only in case or spaces is listed as ignored', () => {
    expect(ignored('Limit=2&limit%20=2&%20limit=2')).toEqual(['Limit', 'limit ', ' limit'])
  })

  test('a parameter named like a property of every JavaScript object, such as __proto__, is listed as ignored', () => {
    expect(ignored('__proto__=1&constructor=2&toString=3')).toEqual(['__proto__', 'constructor', 'toString'])
  })
})

describe('[R9] the header x-ignored-params', () => {
  test('if no parameter is ignored, ignoredHeader returns null', () => {
    expect(ignoredHeader([])).toBeNull()
  })

  test('if more than ten parameters are ignored, x-ignored-params lists the first ten names, each cut at 64 characters and percent-encoded', () => {
    expect(ignoredHeader(['a', 'b,c', 'd e', 'é', 'x\r\ny', '😀'])).toBe('a,b%2Cc,d%20e,%C3%A9,x%0D%0Ay,%F0%9F%98%80')
    expect(ignoredHeader(Array.from({ length: 12 }, (_, index) => `n${index}`))).toBe('n0,n1,n2,n3,n4,n5,n6,n7,n8,n9')
    expect(ignoredHeader(['x'.repeat(65)])).toBe('x'.repeat(64))
  })

  test('if an ignored parameter name contains or is cut to half of a surrogate pair, x-ignored-params has U+FFFD instead of this half', () => {
    expect(ignoredHeader([`${'x'.repeat(63)}😀`])).toMatch(/^x{63}%EF%BF%BD$/)
    expect(ignoredHeader(['\ud800'])).toBe('%EF%BF%BD')
  })
})
