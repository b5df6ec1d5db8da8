import { createSecretKey, randomBytes } from 'node:crypto'
import { ApiError, customer, idListOf, order } from '@store-export/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CursorScope, openCursor, sealCursor } from './cursor.ts'

const bytes = randomBytes(32)
const secret = createSecretKey(bytes)
const scope: CursorScope = { storeId: '3f0d2c1a-8b5e-4c7d-9e6f-0a1b2c3d4e5f', resource: order, secret }
const content = {
  position: { createdAt: 837_000_000_123_456n, id: '0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9' },
  watermark: 837_000_001_234_567n,
  bounds: {},
}
const sealed = sealCursor(content, scope)
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

const expectRejected = (text: string, otherScope: CursorScope = scope): void => {
  try {
    openCursor(text, otherScope)
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ code: 'INVALID_CURSOR', status: 400 })
    return
  }
  throw new Error(`accepted: ${JSON.stringify(text)}`)
}

test('[R15] openCursor returns the position, watermark, and end times that sealCursor received, exact to the microsecond', () => {
  const microseconds = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  const position = fc.record({ createdAt: fc.option(microseconds), id: fc.uuid() })
  const bounds = fc.record({ updated_at: microseconds, created_at: microseconds }, { requiredKeys: [] })
  fc.assert(
    fc.property(fc.record({ position, watermark: microseconds, bounds }), (each) => {
      const text = sealCursor(each, scope)
      expect(text).toMatch(/^[A-Za-z0-9_-]+$/)
      expect(encodeURIComponent(text)).toBe(text)
      expect(openCursor(text, scope)).toEqual(each)
    }),
    { numRuns: 300 },
  )
})

test('[R15] if any single character of a cursor is changed, the cursor is rejected with INVALID_CURSOR', () => {
  for (let index = 0; index < sealed.length; index += 1)
    for (const character of ALPHABET)
      if (character !== sealed[index]) expectRejected(sealed.slice(0, index) + character + sealed.slice(index + 1))
})

describe('[Q-CURSOR, R15] invalid cursors', () => {
  test('if characters are cut from the end of a cursor or added at either end, the cursor is rejected with INVALID_CURSOR', () => {
    for (let length = 0; length < sealed.length; length += 1) expectRejected(sealed.slice(0, length))
    for (const tail of ['A', '=', '==', ' ', '\n', '\0', '.', sealed]) expectRejected(sealed + tail)
    for (const head of ['A', ' ', '\n']) expectRejected(head + sealed)
  })

  test('if a cursor is in hex, Latin-1, or standard base64 instead of base64url, the cursor is rejected with INVALID_CURSOR', () => {
    const bytes = Buffer.from(sealed, 'base64url')
    expectRejected(bytes.toString('hex'))
    expectRejected(bytes.toString('latin1'))
    expectRejected(encodeURIComponent(`${sealed}=`))
    for (let seen = false, n = 1n; !seen; n += 1n) {
      const text = sealCursor({ ...content, position: { ...content.position, createdAt: n } }, scope)
      seen = /[-_]/.test(text)
      if (seen) expectRejected(text.replaceAll('-', '+').replaceAll('_', '/'))
    }
  })

  test('if a cursor is opened for another list or store, or with another secret, the cursor is rejected with INVALID_CURSOR', () => {
    expectRejected(sealed, { ...scope, resource: customer })
    expectRejected(sealed, { ...scope, resource: idListOf(order) })
    expectRejected(sealCursor(content, { ...scope, resource: idListOf(order) }))
    expectRejected(sealed, { ...scope, storeId: '3f0d2c1a-8b5e-4c7d-9e6f-0a1b2c3d4e50' })
    expectRejected(sealed, { ...scope, secret: createSecretKey(randomBytes(32)) })
  })

  test('if a cursor is empty or consists of JSON or random bytes, the cursor is rejected with INVALID_CURSOR', () => {
    expectRejected('')
    expectRejected('null')
    expectRejected('A'.repeat(68))
    const guess = JSON.stringify({ createdAt: '2026-07-08T00:00:00.000Z', id: content.position.id })
    expectRejected(guess)
    expectRejected(Buffer.from(guess).toString('base64url'))
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 51, maxLength: 51 }), (bytes) =>
        expectRejected(Buffer.from(bytes).toString('base64url')),
      ),
      { numRuns: 300 },
    )
  })
})

test('[R15] a cursor for list "ordersa" of store "b" is rejected for list "orders" of store "ab" (both concatenate to "ordersab")', () => {
  const left = sealCursor(content, { ...scope, resource: { ...order, list: 'ordersa' }, storeId: 'b' })
  expectRejected(left, { ...scope, resource: { ...order, list: 'orders' }, storeId: 'ab' })
})

test('if the same cursor content is sealed twice with the same secret, the two cursors are equal', () => {
  expect(sealCursor({ ...content }, { ...scope, secret: createSecretKey(bytes) })).toBe(sealed)
})
