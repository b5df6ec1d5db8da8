import { expect, test } from 'vitest'
import { parseCredential } from './parse-credential.ts'

const NAMES = ['clientDataJSON', 'signature'] as const
const GOOD = { id: 'aa_-', rawId: 'aa_-', type: 'public-key', response: { clientDataJSON: 'e30', signature: 'AA' } }

const parsed = (value: unknown) => parseCredential(JSON.stringify(value), NAMES)

test('if the JSON is a passkey credential, parseCredential returns its listed members and known transports, and nothing else', () => {
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
  ['is null', 'null'],
  ['is a number', '1'],
  ['is a list', '[]'],
  ['has no ID', JSON.stringify({ ...GOOD, id: undefined })],
  ['has an object as the ID', JSON.stringify({ ...GOOD, id: { $ne: '' } })],
  ['has another type', JSON.stringify({ ...GOOD, type: 'password' })],
  ['has no response', JSON.stringify({ ...GOOD, response: null })],
  ['lacks a member of the response', JSON.stringify({ ...GOOD, response: { clientDataJSON: 'e30' } })],
  ['has a value that is not base64url', JSON.stringify({ ...GOOD, response: { ...GOOD.response, signature: 'a b' } })],
])('if the text of a credential %s, parseCredential returns null', (_name, text) => {
  expect(parseCredential(text, NAMES)).toBeNull()
})
