import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { decryptPassword, encryptPassword } from '../../control/src/password-encryption.ts'
import { readConfig } from './config.ts'
import { loadSecrets } from './load-secrets.ts'

const GOOD = Buffer.alloc(32, 7).toString('base64')

function load(env: Record<string, string>, file?: string) {
  return loadSecrets(readConfig(env).config, () => {
    if (file === undefined) {
      throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
    }
    return file
  })
}

describe('the encryption secret', () => {
  test('if the encryption secret moves from a setting to a file, the service still decrypts passwords that were encrypted before the move', () => {
    const sealed = encryptPassword({
      keys: load({ STORE_EXPORT_SECRET: GOOD }),
      storeId: 'A',
      password: 'pä$$',
      random: randomBytes,
    })
    const keys = load({ STORE_EXPORT_SECRET_FILE: '/run/secret' }, `${GOOD}\n`)
    expect(decryptPassword(keys, 'a', sealed)).toBe('pä$$')
    expect(() => decryptPassword(keys, 'b', sealed)).toThrow('another secret')
  })

  test('if any byte of an encrypted password changes, decrypting the password fails', () => {
    const keys = load({ STORE_EXPORT_SECRET: GOOD })
    const sealed = Buffer.from(encryptPassword({ keys, storeId: 'a', password: 'p', random: randomBytes }), 'base64')
    for (let at = 0; at < sealed.length; at += 1) {
      const edited = Buffer.from(sealed)
      edited.writeUInt8(edited.readUInt8(at) ^ 1, at)
      expect(() => decryptPassword(keys, 'a', edited.toString('base64'))).toThrow()
    }
    expect(inspect(keys, { showHidden: true, depth: 9 })).not.toContain('07 07 07')
  })

  test.each([
    [{}, undefined, 'STORE_EXPORT_SECRET: not set'],
    [{ STORE_EXPORT_SECRET: 'c2hvcnQ=' }, undefined, 'must be 32 bytes in base64; got 5 bytes'],
    [{ STORE_EXPORT_SECRET: '*s3cret*' }, undefined, 'got a string that is not base64'],
    [{ STORE_EXPORT_SECRET: GOOD, STORE_EXPORT_SECRET_FILE: '/x' }, GOOD, 'set together with STORE_EXPORT_SECRET_FILE'],
    [{ STORE_EXPORT_SECRET_FILE: '/x' }, undefined, 'cannot read "/x" (ENOENT)'],
    [{ STORE_EXPORT_SECRET_FILE: '/x' }, '', 'got 0 bytes'],
    [
      { STORE_EXPORT_SECRET: GOOD, STORE_EXPORT_SECRET_PREVIOUS: 'c2hvcnQ=' },
      undefined,
      'STORE_EXPORT_SECRET_PREVIOUS',
    ],
  ])(
    'if the settings are %j and the content of the secret file is %j, the error says what is wrong without the secret',
    (env, file, message) => {
      expect(() => load(env, file)).toThrow(message)
      expect(() => load(env, file)).not.toThrow('s3cret')
    },
  )
})
