import { createHash, randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { KEY_PREFIX_PATTERN } from '@store-export/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashApiKey, makeApiKey, parseApiKey, visibleParts } from './api-key.ts'

const fixed = makeApiKey((size) => Buffer.alloc(size, 0xab))
const text = fixed.reveal()

describe('API keys', () => {
  test('[AUTH-2] a new key has the prefix sdx_, 43 base62 characters, and a checksum of six characters', () => {
    expect(text).toMatch(/^sdx_[0-9A-Za-z]{49}$/)
    expect(makeApiKey((size) => Buffer.alloc(size, 0)).reveal()).toMatch(/^sdx_0{43}[0-9A-Za-z]{6}$/)
    expect(makeApiKey((size) => Buffer.alloc(size, 0xff)).reveal()).toHaveLength(53)
  })

  test('[AUTH-2] 1,000 new keys are all different', () => {
    const keys = new Set(Array.from({ length: 1000 }, () => makeApiKey(randomBytes).reveal()))
    expect(keys.size).toBe(1000)
  })

  test('[AUTH-2] parseApiKey accepts the text of a new key and returns the same key', () => {
    for (let round = 0; round < 200; round += 1) {
      const key = makeApiKey(randomBytes)
      expect(parseApiKey(key.reveal())?.reveal()).toBe(key.reveal())
    }
  })

  const prefixes = fc.stringMatching(new RegExp(`^${KEY_PREFIX_PATTERN}$`))

  test('[AUTH-2] for every accepted prefix, parseApiKey accepts a new key, and key lists show the prefix and the next eight characters', () => {
    fc.assert(
      fc.property(prefixes, (prefix) => {
        const key = makeApiKey(randomBytes, prefix)
        expect(parseApiKey(key.reveal())?.reveal()).toBe(key.reveal())
        expect(visibleParts(key).prefix).toBe(key.reveal().slice(0, prefix.length + 8))
      }),
    )
  })

  test('[AUTH-6] if the prefix of a key is replaced by another accepted prefix, parseApiKey returns null', () => {
    fc.assert(
      fc.property(prefixes, prefixes, (prefix, other) => {
        fc.pre(prefix !== other)
        const rest = makeApiKey(randomBytes, prefix).reveal().slice(prefix.length)
        expect(parseApiKey(other + rest)).toBeNull()
      }),
    )
  })

  test('[AUTH-6] parseApiKey returns null for random strings, including strings that have the format of a key but no valid checksum', () => {
    const strings = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[a-z]{1,3}_[0-9A-Za-z]{49}$/))
    fc.assert(fc.property(strings, (string) => parseApiKey(string) === null))
  })

  test.each(['', '_', 'a', '1_', 'A_', 'sdx', 'sdx-', 'sdx_ ', `${'a'.repeat(16)}_`])(
    '[AUTH-6] if a key has the invalid prefix %j and a correct checksum, parseApiKey returns null',
    (prefix) => {
      expect(parseApiKey(makeApiKey(randomBytes, prefix).reveal())).toBeNull()
    },
  )

  test('[AUTH-6] if any one character of a key is replaced, parseApiKey returns null', () => {
    for (let at = 0; at < text.length; at += 1) {
      const other = text.charAt(at) === 'x' ? 'y' : 'x'
      expect(parseApiKey(text.slice(0, at) + other + text.slice(at + 1))).toBeNull()
    }
  })

  test.each([
    ['an empty string', ''],
    ['the prefix alone', 'sdx_'],
    ['a key without its last character', text.slice(0, -1)],
    ['a key with one more character', `${text}0`],
    ['a key and a line end', `${text}\n`],
    ['a space and the start of a key', ` ${text.slice(0, -1)}`],
    ['a key with another prefix', `sdy_${text.slice(4)}`],
    ['a key with its prefix in upper case', `SDX_${text.slice(4)}`],
    ['a key with a hyphen', `${text.slice(0, 20)}-${text.slice(21)}`],
    ['a key with a Cyrillic letter', `${text.slice(0, 20)}а${text.slice(21)}`],
  ])('[AUTH-6] parseApiKey returns null for %s', (_, wrong) => {
    expect(parseApiKey(wrong)).toBeNull()
  })

  test('[AUTH-3] the stored hash of a key is the SHA-256 of the whole key', () => {
    expect(hashApiKey(fixed).bytes.equals(createHash('sha256').update(text).digest())).toBe(true)
  })

  test('[AUTH-3] lists of keys show only the prefix, the next eight characters, and the last four characters', () => {
    expect(visibleParts(fixed)).toEqual({ prefix: text.slice(0, 12), lastFour: text.slice(-4) })
  })

  test('[AUTH-3] in template strings, JSON, and console output, [key] appears instead of the text of a key', () => {
    const holder = { fixed }
    for (const printed of [`${fixed}`, JSON.stringify(holder), inspect(holder, { showHidden: true, depth: 9 })]) {
      expect(printed).toContain('[key]')
      expect(printed).not.toContain(text.slice(4, 20))
    }
  })
})
