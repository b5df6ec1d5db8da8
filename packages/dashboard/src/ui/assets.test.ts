import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { assets } from './assets.ts'

const FIRST_PAGE_BYTES_MAX = 60_000

test('each asset has a hash in its path, and its gzip and Brotli versions decompress to the original bytes', () => {
  for (const asset of Object.values(assets())) {
    expect(asset.path).toMatch(/^\/assets\/[a-z]+\.[\w-]{12}\.(css|js|svg)$/)
    expect(gunzipSync(asset.gzip).equals(asset.body)).toBe(true)
    expect(brotliDecompressSync(asset.brotli).equals(asset.body)).toBe(true)
  }
})

test('all assets together, compressed with gzip, are smaller than 30 kB, half of the limit for the first page', () => {
  const bytes = Object.values(assets()).reduce((sum, { gzip }) => sum + gzip.length, 0)
  expect(bytes).toBeLessThan(FIRST_PAGE_BYTES_MAX / 2)
})

test("the dashboard's style sheet loads no files: it has no url() and no @import", () => {
  expect(assets().style.body.toString()).not.toMatch(/url\(|@import/)
})
