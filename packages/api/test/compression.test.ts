import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { filledStore } from './support/filled-store.ts'
import { sendRequest } from './support/http.ts'

let platform: TestPlatform
let store: TestStore
/** A page after a cursor, because the watermark of a first page differs with each request. */
let page: string
beforeAll(async () => {
  platform = await startPlatform()
  store = await filledStore(platform)
  const { json } = await platform.get('/api/v1/orders?limit=10', store.key)
  page = `/api/v1/orders?limit=250&cursor=${json.meta.next_cursor}`
})
afterAll(() => platform.close())

const sendWithKey = (acceptEncoding: string | null, path = page) =>
  sendRequest(platform.service.url, {
    path,
    headers: { 'x-api-key': store.key, ...(acceptEncoding === null ? {} : { 'accept-encoding': acceptEncoding }) },
  })

function decode(body: Buffer, encoding: string | undefined): Buffer {
  if (encoding === 'zstd') return zstdDecompressSync(body)
  if (encoding === 'br') return brotliDecompressSync(body)
  return encoding === 'gzip' ? gunzipSync(body) : body
}

describe('the encoding of a page', () => {
  test.each([
    [null, undefined],
    ['', undefined],
    ['identity', undefined],
    ['deflate', undefined],
    ['compress', undefined],
    ['zstd, compress', 'zstd'],
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['br;q=0, gzip;q=0.1', 'gzip'],
    ['gzip;q=0', undefined],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['identity;q=1, br;q=0.2', undefined],
    ['GZip', 'gzip'],
    ['x'.repeat(2000), undefined],
    [';;;,,,q=', undefined],
  ])(
    'if the client sends accept-encoding %j, content-encoding is %s, and the decoded page is unchanged',
    async (acceptEncoding, encoding) => {
      const plain = await sendWithKey(null)
      const response = await sendWithKey(acceptEncoding)
      expect(response.headers['content-encoding']).toBe(encoding)
      expect(response.headers['content-length']).toBe(String(response.body.length))
      expect(response.headers.vary).toContain('accept-encoding')
      const { body } = response
      const decoded = decode(body, encoding)
      expect(decoded.equals(plain.body)).toBe(true)
      if (encoding !== undefined) expect(body.length).toBeLessThan(plain.body.length / 3)
    },
  )
})

test('[R27] if a page is compressed, content-length is its compressed length, and the response is not chunked', async () => {
  for (const encoding of ['zstd', 'br', 'gzip']) {
    const { headers, body } = await sendWithKey(encoding)
    expect([headers['transfer-encoding'], headers['content-length']]).toEqual([undefined, String(body.length)])
  }
})

test('the service does not compress responses that are shorter than 1,024 bytes, such as errors', async () => {
  for (const path of ['/api/v1/store', '/api/v1/orders?limit=0', '/api/v1/nowhere'])
    expect((await sendWithKey('zstd, br, gzip', path)).headers['content-encoding']).toBeUndefined()
})
