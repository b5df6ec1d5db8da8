import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KEY_PREFIX_PATTERN, maskKeys } from './key-format.ts'

const PREFIX = fc.stringMatching(new RegExp(`^${KEY_PREFIX_PATTERN}$`))
const REST = fc.stringMatching(/^[0-9A-Za-z]{49}$/)

test('[AUTH-2] if a string contains a key with any accepted prefix, maskKeys leaves at most 11 consecutive characters of the secret', () => {
  fc.assert(
    fc.property(PREFIX, REST, fc.string(), fc.string(), (prefix, rest, before, after) => {
      const masked = maskKeys(`${before} ${prefix}${rest} ${after}`)
      expect(masked).toContain(' ')
      for (let at = 0; at + 12 <= rest.length; at += 1) expect(masked).not.toContain(rest.slice(at, at + 12))
    }),
  )
})

test.each([
  ['a truncated key with the prefix sdx_', 'sdx_x', 'sdx_…'],
  ['a truncated key with another prefix', `acme_live_${'a'.repeat(33)}`, 'acme_live_…'],
  ['a key inside of a word', `idsdx_${'a'.repeat(49)}`, 'idsdx_…'],
  ['two keys', `a_${'0'.repeat(49)},b_${'1'.repeat(49)}`, 'a_…,b_…'],
])('if a string has %s, maskKeys replaces everything after each prefix with an ellipsis', (_, text, masked) => {
  expect(maskKeys(text)).toBe(masked)
})

test.each(['updated_since', 'processor_payment_intent_id', `req_${'0123456789abcdef'.repeat(2)}`])(
  'if a string contains no key, such as %s, maskKeys returns the string unchanged',
  (text) => {
    expect(maskKeys(text)).toBe(text)
  },
)
