import { createSecretKey, randomBytes } from 'node:crypto'
import { ApiError, customer, idListOf, order } from '@store-export/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CursorScope, openCursor, sealCursor } from './cursor.ts'

const bytes = randomBytes(32)
const secret = createSecretKey(bytes)
const scope: CursorScope = { storeId: '3f0d2c1a-8b5e-4c7d-9e6f-0a1b2c3d4e5f', resource: order, secret }
const place = {
  position: { createdAt: 837_000_000_123_456n, id: '0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9' },
  watermark: 837_000_001_234_567n,
}
const sealed = sealCursor(place, scope)
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

const refused = (text: string, of: CursorScope = scope): void => {
  try {
    openCursor(text, of)
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ code: 'INVALID_CURSOR', status: 400 })
    return
  }
  throw new Error(`taken: ${JSON.stringify(text)}`)
}

test('[R15] what was sealed opens again, at full microsecond precision, for every position', () => {
  const microseconds = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  const position = fc.record({ createdAt: fc.option(microseconds), id: fc.uuid() })
  fc.assert(
    fc.property(fc.record({ position, watermark: microseconds }), (each) => {
      const text = sealCursor(each, scope)
      expect(text).toMatch(/^[A-Za-z0-9_-]+$/)
      expect(encodeURIComponent(text)).toBe(text)
      expect(openCursor(text, scope)).toEqual(each)
    }),
    { numRuns: 300 },
  )
})

test('[R15] every change of every character is refused', () => {
  for (let index = 0; index < sealed.length; index += 1)
    for (const character of ALPHABET)
      if (character !== sealed[index]) refused(sealed.slice(0, index) + character + sealed.slice(index + 1))
})

describe('[Q-CURSOR, R15] what was not sealed for this list is refused', () => {
  test('cut anywhere, or extended', () => {
    for (let length = 0; length < sealed.length; length += 1) refused(sealed.slice(0, length))
    for (const tail of ['A', '=', '==', ' ', '\n', '\0', '.', sealed]) refused(sealed + tail)
    for (const head of ['A', ' ', '\n']) refused(head + sealed)
  })

  test('the same bytes written otherwise', () => {
    const bytes = Buffer.from(sealed, 'base64url')
    refused(bytes.toString('hex'))
    refused(bytes.toString('latin1'))
    refused(encodeURIComponent(`${sealed}=`))
    for (let seen = false, n = 1n; !seen; n += 1n) {
      const text = sealCursor({ ...place, position: { ...place.position, createdAt: n } }, scope)
      seen = /[-_]/.test(text)
      if (seen) refused(text.replaceAll('-', '+').replaceAll('_', '/'))
    }
  })

  test('of another resource, store or secret', () => {
    refused(sealed, { ...scope, resource: customer })
    refused(sealed, { ...scope, resource: idListOf(order) })
    refused(sealCursor(place, { ...scope, resource: idListOf(order) }))
    refused(sealed, { ...scope, storeId: '3f0d2c1a-8b5e-4c7d-9e6f-0a1b2c3d4e50' })
    refused(sealed, { ...scope, secret: createSecretKey(randomBytes(32)) })
  })

  test('guesses', () => {
    refused('')
    refused('null')
    refused('A'.repeat(68))
    const guess = JSON.stringify({ createdAt: '2026-07-08T00:00:00.000Z', id: place.position.id })
    refused(guess)
    refused(Buffer.from(guess).toString('base64url'))
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 51, maxLength: 51 }), (bytes) =>
        refused(Buffer.from(bytes).toString('base64url')),
      ),
      { numRuns: 300 },
    )
  })
})

test('[R15] scopes cannot be confused: list and store id are parted in the seal', () => {
  const left = sealCursor(place, { ...scope, resource: { ...order, list: 'orders\0a' }, storeId: 'b' })
  refused(left, { ...scope, resource: { ...order, list: 'orders' }, storeId: 'b' })
})

test('the same place gives the same cursor, so that a page asked for again is the same page', () => {
  expect(sealCursor({ ...place }, { ...scope, secret: createSecretKey(bytes) })).toBe(sealed)
})
