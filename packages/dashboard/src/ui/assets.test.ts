import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { assets } from './assets.ts'

const FIRST_PAGE_BYTES_MAX = 60_000

test('each asset has a hash in its path, and its gzip and Brotli forms decompress to the original bytes', () => {
  for (const asset of Object.values(assets())) {
    expect(asset.path).toMatch(/^\/assets\/[a-z]+\.[\w-]{12}\.(css|js|svg)$/)
    expect(gunzipSync(asset.gzip).equals(asset.body)).toBe(true)
    expect(brotliDecompressSync(asset.brotli).equals(asset.body)).toBe(true)
  }
})

test('if all assets are compressed with gzip, their total is less than half of the 60 kB allowed for a first page', () => {
  const bytes = Object.values(assets()).reduce((sum, { gzip }) => sum + gzip.length, 0)
  expect(bytes).toBeLessThan(FIRST_PAGE_BYTES_MAX / 2)
})

test('the style sheet of the dashboard loads no other file', () => {
  expect(assets().style.body.toString()).not.toMatch(/url\(|@import/)
})
