import type { Position } from '@store-export/engine'
import { expect, test } from 'vitest'
import { decodePosition, encodePosition } from './encode-position.ts'

const ID = '3f2b8c1e-5a4d-4e6f-9b7a-1c2d3e4f5a6b'

test.each<[string, bigint | null]>([
  ['with a creation time in microseconds', 847_123_456_789_012n],
  ['with a creation time before 2000', -1n],
  ['without a creation time', null],
  ['with the creation time infinity', 2n ** 63n - 1n],
  ['with the creation time minus infinity', -(2n ** 63n)],
  ['with the earliest timestamp of PostgreSQL', -211_813_488_000_000_000n],
  ['with the latest timestamp of PostgreSQL', 9_223_371_331_199_999_999n],
])(
  'if a row position %s is encoded as a cursor, decoding the cursor returns the same position',
  (_title, createdAt) => {
    const position: Position = { createdAt, id: ID }
    const text = encodePosition(position)
    expect(text).toMatch(/^[A-Za-z0-9_-]{34}$/)
    expect(decodePosition(text)).toEqual(position)
  },
)

const good = encodePosition({ createdAt: 1n, id: ID })
const bytesWith = (change: (bytes: Buffer) => void) => {
  const bytes = Buffer.from(good, 'base64url')
  change(bytes)
  return bytes.toString('base64url')
}

test.each([
  ['an empty string', ''],
  ['a string without its last character', good.slice(0, -1)],
  ['a string with an additional character at the end', `${good}A`],
  ['a string with padding', `${good.slice(0, -1)}=`],
  ['a string with a character that is not base64url', `${good.slice(0, -1)}+`],
  [
    'a string with extra bits in its last character',
    `${good.slice(0, -1)}${String.fromCharCode(good.charCodeAt(33) + 1)}`,
  ],
  ['a position with the invalid first byte 2', bytesWith((bytes) => bytes.writeUInt8(2, 0))],
  ['a position that has a creation time, but the first byte for none', bytesWith((bytes) => bytes.writeUInt8(1, 0))],
  [
    'a position before the earliest timestamp of PostgreSQL',
    bytesWith((bytes) => bytes.writeBigInt64BE(-(2n ** 62n), 1)),
  ],
  [
    'a position after the latest timestamp of PostgreSQL',
    bytesWith((bytes) => bytes.writeBigInt64BE(2n ** 63n - 2n, 1)),
  ],
])('if the cursor of a Data page is %s, decodePosition returns null', (_title, text) => {
  expect(decodePosition(text)).toBeNull()
})
