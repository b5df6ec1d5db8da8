import { describe, expect, test } from 'vitest'
import { requestOrigin } from './request-origin.ts'

describe('the origin of a request', () => {
  test.each([
    ['export.example.com', 'http://export.example.com'],
    ['Export.Example.com:8443', 'http://export.example.com:8443'],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['[::1]:8080', 'http://[::1]:8080'],
    ['localhost', 'http://localhost'],
  ])('if the Host header is %s, the origin of the request is %s', (host, origin) => {
    expect(requestOrigin({ host })).toBe(origin)
  })

  test('if X-Forwarded-Proto is "https", the origin of the request has the scheme https; otherwise, it has http', () => {
    expect(requestOrigin({ host: 'a.example', 'x-forwarded-proto': 'https' })).toBe('https://a.example')
    expect(requestOrigin({ host: 'a.example', 'x-forwarded-proto': 'javascript' })).toBe('http://a.example')
  })

  test.each([
    ...[undefined, '', 'a b', 'a.example/path', 'user@a.example', 'a.example"', 'a..example', '-a.example', '<script>'],
    ...['a.example:port', `${'a'.repeat(256)}`, '[::1', 'a.example\\', 'ä.example'],
  ])('if the Host header is the invalid value %j, the origin of the request is null', (host) => {
    expect(requestOrigin(host === undefined ? {} : { host })).toBeNull()
  })
})
