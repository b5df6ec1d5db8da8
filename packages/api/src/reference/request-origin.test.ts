import { expect, test } from 'vitest'
import { requestOrigin } from './request-origin.ts'

test.each([
  ['export.example.com', 'http://export.example.com'],
  ['Export.Example.com:8443', 'http://export.example.com:8443'],
  ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['[::1]:8080', 'http://[::1]:8080'],
  ['localhost', 'http://localhost'],
])('a request for the host %s asked %s', (host, origin) => {
  expect(requestOrigin({ host })).toBe(origin)
})

test('a proxy that ends TLS says so', () => {
  expect(requestOrigin({ host: 'a.example', 'x-forwarded-proto': 'https' })).toBe('https://a.example')
  expect(requestOrigin({ host: 'a.example', 'x-forwarded-proto': 'javascript' })).toBe('http://a.example')
})

test.each([
  ...[undefined, '', 'a b', 'a.example/path', 'user@a.example', 'a.example"', 'a..example', '-a.example', '<script>'],
  ...['a.example:port', `${'a'.repeat(256)}`, '[::1', 'a.example\\', 'ä.example'],
])('%j is no host', (host) => {
  expect(requestOrigin(host === undefined ? {} : { host })).toBeNull()
})
