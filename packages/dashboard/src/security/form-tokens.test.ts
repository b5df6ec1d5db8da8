import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { FORM_HOURS, FormTokens } from './form-tokens.ts'

const secret = randomBytes(32).toString('base64')
const NOON = Date.parse('2026-03-01T12:00:00Z')
const tokensAt = (now: number) => new FormTokens({ secret, random: randomBytes, now: () => now })
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

test('two form tokens for one session differ, and a form token is valid only with the session and the secret that created it', () => {
  const tokens = tokensAt(NOON)
  const [one, two] = [tokens.make('session'), tokens.make('session')]
  expect(one).not.toBe(two)
  expect(tokens.check(one, 'session')).toHaveLength(32)
  expect(tokens.check(one, 'session')).not.toEqual(tokens.check(two, 'session'))
  expect(tokens.check(one, 'another')).toBeNull()
  expect(new FormTokens({ secret: 'x', random: randomBytes, now: () => NOON }).check(one, 'session')).toBeNull()
})

test('if one character of a form token is changed, added, or removed, the token is rejected', () => {
  const tokens = tokensAt(NOON)
  const token = tokens.make('session')
  for (let index = 0; index < token.length; index += 1) {
    for (const character of ALPHABET) {
      if (character === token[index]) continue
      const changed = token.slice(0, index) + character + token.slice(index + 1)
      expect(tokens.check(changed, 'session')).toBeNull()
    }
  }
  for (const text of ['', token.slice(1), `${token}A`, ` ${token}`]) expect(tokens.check(text, 'session')).toBeNull()
})

test('if a form token is older than 12 hours, the token is rejected', () => {
  const token = tokensAt(NOON).make('session')
  expect(tokensAt(NOON + FORM_HOURS * 3_600_000 - 1000).check(token, 'session')).not.toBeNull()
  expect(tokensAt(NOON + FORM_HOURS * 3_600_000 + 1000).check(token, 'session')).toBeNull()
})

test('the bytes derived from a form token depend on the secret, the token, the purpose, and the length, but not on the time', () => {
  const tokens = tokensAt(NOON)
  const [token, another] = [tokens.make('session'), tokens.make('session')]
  const bytes = tokens.bytesOf(token, 'key of a')(32)
  expect(tokensAt(NOON + 60_000).bytesOf(token, 'key of a')(32)).toEqual(bytes)
  const others = [
    tokens.bytesOf(another, 'key of a')(32),
    tokens.bytesOf(token, 'key of b')(32),
    new FormTokens({ secret: 'x', random: randomBytes, now: () => NOON }).bytesOf(token, 'key of a')(32),
    tokens.bytesOf(token, 'key of a')(16),
  ]
  for (const other of others) expect(other.equals(bytes.subarray(0, other.length))).toBe(false)
})
