import { randomBytes } from 'node:crypto'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { ApiError } from '@store-export/contract'
import { makeApiKey } from '@store-export/control'
import { describe, expect, test } from 'vitest'
import { hasBody, malformedRequest, readKey, readRequest } from './api-request.ts'

/** Returns a message like those of Node's parser. */
function message(url: string, headers: readonly (readonly [string, string])[], version = '1.1'): IncomingMessage {
  const made = new IncomingMessage(new Socket())
  made.method = 'GET'
  made.url = url
  made.httpVersion = version
  made.rawHeaders = headers.flat()
  for (const [name, value] of headers) made.headers[name.toLowerCase()] = value
  return made
}

const HOST = ['Host', 'api.example.com'] as const
const read = (url: string, ...headers: (readonly [string, string])[]) =>
  readRequest(message(url, [HOST, ...headers]), 'r1', 0)
const errorOf = (run: () => unknown): ApiError => {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('nothing was rejected')
}

describe('the path and the query of a request', () => {
  test.each([
    ['/api/v1/orders', '/api/v1/orders', ''],
    ['/api/v1/orders?limit=2&x=%26', '/api/v1/orders', 'limit=2&x=%26'],
    ['/api/v1/orders?', '/api/v1/orders', ''],
    ['/api/v1/orders?a=b?c=d', '/api/v1/orders', 'a=b%3Fc%3Dd'],
    ['/api/v1/orders#f?limit=2', '/api/v1/orders', ''],
    ['/api/v1/orders?limit=2#f', '/api/v1/orders', 'limit=2'],
    ['http://elsewhere.example/api/v1/orders?limit=2', '/api/v1/orders', 'limit=2'],
    ['HTTPS://user@elsewhere.example:81/api', '/api', ''],
    ['http://elsewhere.example', '/', ''],
    ['http://elsewhere.example?limit=2', '/', 'limit=2'],
    ['*', '*', ''],
    ['//evil.example/api', '//evil.example/api', ''],
  ])('if the request target is %s, the parsed path is %s and the query is %j', (url, path, query) => {
    const request = read(url)
    expect([request.path, request.query.toString()]).toEqual([path, query])
  })
})

describe('[R36] malformed requests', () => {
  test('if the host, content-length, or transfer-encoding header is repeated, the request is rejected with a 400 and Connection: close', () => {
    for (const name of ['Host', 'Content-Length', 'Transfer-Encoding']) {
      const error = errorOf(() => read('/', [name, '1'], [name.toLowerCase(), '1']))
      expect(error).toMatchObject({ code: 'INVALID_PARAM', status: 400, headers: { connection: 'close' } })
      expect(error.message).toContain('repeated')
    }
  })

  test('if Transfer-Encoding has any value but "chunked" (case-insensitive), the request is rejected with a 400', () => {
    for (const value of ['xchunked', 'gzip, chunked', 'identity', 'chunked, chunked', ''])
      expect(errorOf(() => read('/', ['Transfer-Encoding', value])).status).toBe(400)
    expect(read('/', ['Transfer-Encoding', 'Chunked']).path).toBe('/')
  })

  test('if the Host header is missing, HTTP/1.1 is rejected and HTTP/1.0 accepted; HTTP/0.9 is rejected even with a Host header', () => {
    expect(errorOf(() => readRequest(message('/', []), 'r1', 0)).message).toContain('host')
    expect(readRequest(message('/', [], '1.0'), 'r1', 0).path).toBe('/')
    expect(errorOf(() => readRequest(message('/', [HOST], '0.9'), 'r1', 0)).status).toBe(400)
  })

  test('malformedRequest("x", 431) returns an error with status 431 and the message "not a well-formed HTTP request: x"', () => {
    expect(malformedRequest('x', 431)).toMatchObject({ status: 431, message: 'not a well-formed HTTP request: x' })
  })
})

test('hasBody returns true only if Content-Length is greater than 0 or Transfer-Encoding is set', () => {
  expect(hasBody(message('/', [['Content-Length', '0']]))).toBe(false)
  expect(hasBody(message('/', [['Content-Length', '1']]))).toBe(true)
  expect(hasBody(message('/', [['Transfer-Encoding', 'chunked']]))).toBe(true)
  expect(hasBody(message('/', []))).toBe(false)
})

describe('[AUTH-1, AUTH-2, AUTH-6] the key of a request', () => {
  const key = makeApiKey(randomBytes).reveal()
  const readKeys = (...headers: (readonly [string, string])[]) => readKey(read('/', ...headers))

  test('readKey reads the API key only from the header x-api-key, and not from Authorization or the query string', () => {
    const found = readKeys(['X-Api-Key', key])
    expect(typeof found === 'string' ? found : found.reveal()).toBe(key)
    expect(readKeys(['Authorization', `Bearer ${key}`])).toBe('missing')
    expect(readKeys(['x-apikey', key])).toBe('missing')
    expect(readKey(read(`/?x-api-key=${key}&api_key=${key}`))).toBe('missing')
  })

  test('[R25] readKey returns "repeated" for two x-api-key headers, even with the same key, and "malformed" for two keys in one header', () => {
    expect(readKeys(['x-api-key', key], ['X-API-KEY', key])).toBe('repeated')
    expect(readKeys(['x-api-key', key], ['x-api-key', ''])).toBe('repeated')
    expect(readKeys(['x-api-key', `${key}, ${key}`])).toBe('malformed')
  })

  test('if an API key has a wrong prefix, length, case, or checksum, readKey returns "malformed"', () => {
    const swapped = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')
    for (const text of ['', 'sdx_', key.slice(4), key.toUpperCase(), `${key}x`, key.slice(0, -1), swapped, `"${key}"`])
      expect(readKeys(['x-api-key', text]), text).toBe('malformed')
  })
})
