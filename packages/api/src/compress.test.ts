import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { compress, negotiateEncoding } from './compress.ts'

describe('the encoding of a response', () => {
  test.each([
    ['', null],
    ['identity', null],
    ['deflate', null],
    ['deflate, zstd', 'zstd'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, br, zstd;q=0.9', 'br'],
    ['zstd;q=0, gzip', 'gzip'],
    ['zstd;q=0, *', 'br'],
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'br'],
    ['GZIP', 'gzip'],
    [' br ; q=1 ', 'br'],
    ['gzip;q=1.0, br;q=0.9', 'gzip'],
    ['gzip;q=0.5, br;q=0.5', 'br'],
    ['gzip;q=0', null],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['*;q=0', null],
    ['br;q=0, *', 'gzip'],
    ['gzip;q=0, br;q=0, *', null],
    ['gzip;q=nonsense', null],
    ['brotli', null],
    [',,;q=1,', null],
    ['__proto__', null],
    ['identity;q=1, gzip;q=0.5', null],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0, gzip;q=0.1', 'gzip'],
  ])('for accept-encoding %j and a body of 100,000 bytes, negotiateEncoding returns %s', (header, expected) => {
    expect(negotiateEncoding(header, 100_000)).toBe(expected)
  })

  test('if a client accepts compression, a body of 1,023 bytes is not compressed, and a body of 1,024 bytes is compressed', () => {
    expect(negotiateEncoding('br, gzip', 1023)).toBeNull()
    expect(negotiateEncoding('br, gzip', 1024)).toBe('br')
  })
})

test('if a response body is compressed with zstd, br, or gzip, decompressing the body returns the original bytes', async () => {
  const body = Buffer.from(JSON.stringify(Array.from({ length: 500 }, (_, index) => ({ index, text: 'é😀' }))))
  expect(zstdDecompressSync(await compress(body, 'zstd'))).toEqual(body)
  expect(brotliDecompressSync(await compress(body, 'br'))).toEqual(body)
  expect(gunzipSync(await compress(body, 'gzip'))).toEqual(body)
})
