import { expect, test } from 'vitest'
import { parseCredential } from './parse-credential.ts'

const NAMES = ['clientDataJSON', 'signature'] as const
const GOOD = { id: 'aa_-', rawId: 'aa_-', type: 'public-key', response: { clientDataJSON: 'e30', signature: 'AA' } }

const parsed = (value: unknown) => parseCredential(JSON.stringify(value), NAMES)

test('if a passkey credential has unexpected fields or unknown transports, parseCredential leaves them out', () => {
  const response = { ...GOOD.response, publicKey: 'AA', transports: ['internal', 'pigeon', 7] }
  expect(parsed({ ...GOOD, authenticatorAttachment: 'platform', response })).toEqual({
    ...GOOD,
    clientExtensionResults: {},
    response: { ...GOOD.response, transports: ['internal'] },
  })
})

test.each([
  ['is not JSON', 'x'],
  ['is empty', ''],
  ['is null in JSON', 'null'],
  ['is a number', '1'],
  ['is an array', '[]'],
  ['has no ID', JSON.stringify({ ...GOOD, id: undefined })],
  ['has an object as the ID', JSON.stringify({ ...GOOD, id: { $ne: '' } })],
  ['has a type other than public-key', JSON.stringify({ ...GOOD, type: 'password' })],
  ['has no response', JSON.stringify({ ...GOOD, response: null })],
  ['has a response without a signature', JSON.stringify({ ...GOOD, response: { clientDataJSON: 'e30' } })],
  [
    'has a signature that is not base64url',
    JSON.stringify({ ...GOOD, response: { ...GOOD.response, signature: 'a b' } }),
  ],
])('if a passkey credential %s, parseCredential returns null', (_name, text) => {
  expect(parseCredential(text, NAMES)).toBeNull()
})
