import type { Position } from '@store-export/engine'
import { expect, test } from 'vitest'
import { decodePosition, encodePosition } from './encode-position.ts'

const ID = '3f2b8c1e-5a4d-4e6f-9b7a-1c2d3e4f5a6b'

test.each<[string, bigint | null]>([
  ['to the microsecond', 847_123_456_789_012n],
  ['before 2000', -1n],
  ['without a creation time', null],
  ['at infinity', 2n ** 63n - 1n],
  ['at minus infinity', -(2n ** 63n)],
  ['at the first timestamp of PostgreSQL', -211_813_488_000_000_000n],
  ['at the last timestamp of PostgreSQL', 9_223_371_331_199_999_999n],
])('if a page position %s is encoded and decoded, it is unchanged', (_title, createdAt) => {
  const position: Position = { createdAt, id: ID }
  const text = encodePosition(position)
  expect(text).toMatch(/^[A-Za-z0-9_-]{34}$/)
  expect(decodePosition(text)).toEqual(position)
})

const good = encodePosition({ createdAt: 1n, id: ID })
const bytesWith = (change: (bytes: Buffer) => void) => {
  const bytes = Buffer.from(good, 'base64url')
  change(bytes)
  return bytes.toString('base64url')
}

test.each([
  ['an empty string', ''],
  ['a string without its last character', good.slice(0, -1)],
  ['a string with another character at the end', `${good}A`],
  ['a string with padding', `${good.slice(0, -1)}=`],
  ['a string with a character that is not base64url', `${good.slice(0, -1)}+`],
  ['a string with extra bits at the end', `${good.slice(0, -1)}${String.fromCharCode(good.charCodeAt(33) + 1)}`],
  ['a position with an unknown first byte', bytesWith((bytes) => bytes.writeUInt8(2, 0))],
  ['a position with a time and the mark for no time', bytesWith((bytes) => bytes.writeUInt8(1, 0))],
  ['a position before the first timestamp of PostgreSQL', bytesWith((bytes) => bytes.writeBigInt64BE(-(2n ** 62n), 1))],
  ['a position after the last timestamp of PostgreSQL', bytesWith((bytes) => bytes.writeBigInt64BE(2n ** 63n - 2n, 1))],
])('if %s is decoded as a page position, the result is null', (_title, text) => {
  expect(decodePosition(text)).toBeNull()
})
