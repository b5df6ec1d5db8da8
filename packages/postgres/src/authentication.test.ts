// Tests the client with servers that break the rules of authentication. test/authentication.test.ts uses a real server.

import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { Authentication, type AuthenticationOptions } from './authentication.ts'

const OPTIONS: AuthenticationOptions = {
  user: 'reader',
  password: 'correct horse',
  isPrivate: true,
  certificateHash: Buffer.alloc(32, 7),
  channelBinding: 'prefer',
}
const [OK, CLEARTEXT, MD5, SASL, CONTINUE, FINAL] = [0, 3, 5, 10, 11, 12]
const BOTH = 'SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0'
const SALT = Buffer.from('0123456789abcdef')

function request(kind: number, data = ''): Buffer {
  const head = Buffer.alloc(4)
  head.writeInt32BE(kind)
  return Buffer.concat([head, Buffer.from(data)])
}

/** Begins SCRAM. Returns the client's first message, its nonce, and the mechanism. */
function begin(authentication: Authentication, methods = BOTH) {
  const response = authentication.respond(request(SASL, methods)) as Buffer
  const message = response.toString().replace(/^[^\0]*\0.{4}/s, '')
  const [, bare = '', nonce = ''] = /,,(n=,r=(.*))$/.exec(message) ?? []
  return { message, bare, nonce, mechanism: response.toString().split('\0')[0] }
}

/** Returns an honest server's first message. */
function challenge(nonce: string, { iterations = '4096', salt = SALT.toString('base64') } = {}): string {
  return `r=${nonce}server,s=${salt},i=${iterations}`
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** Runs a whole honest exchange until the server's proof, which `change` may change. */
async function exchangeUntilProof(change: (proof: string) => string): Promise<Authentication> {
  const authentication = new Authentication(OPTIONS)
  const { bare, nonce } = begin(authentication)
  const first = challenge(nonce)
  const final = String(await authentication.respond(request(CONTINUE, first)))
  const [withoutProof] = final.split(',p=')
  const salted = pbkdf2Sync('correct horse', SALT, 4096, 32, 'sha256')
  const signature = hmac(hmac(salted, 'Server Key'), `${bare},${first},${withoutProof}`)
  authentication.respond(request(FINAL, change(`v=${signature.toString('base64')}`)))
  return authentication
}

describe('SCRAM authentication', () => {
  test("if the server's SCRAM proof shows that the server knows the password, the client accepts the server", async () => {
    const authentication = await exchangeUntilProof((proof) => proof)
    expect(authentication.respond(request(OK))).toBeNull()
    expect(authentication.isAccepted).toBe(true)
  })

  test.each([
    ['a wrong signature', () => `v=${createHash('sha256').update('x').digest('base64')}`],
    ['a signature that is cut off', (proof: string) => proof.slice(0, 20)],
    ['an empty signature', () => 'v='],
    ['empty', () => ''],
    ['an error message', () => 'e=other-error'],
  ])("if the server's SCRAM proof is %s, the client throws an EAUTH error", async (_, change) => {
    await expect(exchangeUntilProof(change)).rejects.toMatchObject({ code: 'EAUTH' })
  })

  test('if the server accepts the client without proving that it knows the password, the client throws an error about the missing SCRAM proof', async () => {
    const atOnce = new Authentication(OPTIONS)
    begin(atOnce)
    expect(() => atOnce.respond(request(OK))).toThrow('did not prove that it knows the password')
    const later = new Authentication(OPTIONS)
    const { nonce } = begin(later)
    await later.respond(request(CONTINUE, challenge(nonce)))
    expect(() => later.respond(request(OK))).toThrow('did not prove that it knows the password')
    expect(later.isAccepted).toBe(false)
  })

  test.each([
    ['another nonce', () => challenge('other')],
    ['only the nonce of the client', (nonce: string) => `r=${nonce},s=AAAA,i=4096`],
    ['no nonce', () => 's=AAAA,i=4096'],
    ['no salt', (nonce: string) => `r=${nonce}x,s=,i=4096`],
    ['zero iterations', (nonce: string) => challenge(nonce, { iterations: '0' })],
    ['negative iterations', (nonce: string) => challenge(nonce, { iterations: '-1' })],
    ['iterations that are not a number', (nonce: string) => challenge(nonce, { iterations: '4096x' })],
    ['an extension that must be understood', (nonce: string) => `m=x,${challenge(nonce)}`],
    ['no attributes', () => ''],
  ])("if the server's SCRAM challenge has %s, the client throws an EPROTO error", async (_, text) => {
    const authentication = new Authentication(OPTIONS)
    const { nonce } = begin(authentication)
    await expect(authentication.respond(request(CONTINUE, text(nonce)))).rejects.toMatchObject({ code: 'EPROTO' })
  })

  test.each(['1000001', '2147483648', '9999999999'])(
    'if the server requests %s SCRAM iterations, the client throws an EAUTH error within 100 ms',
    async (iterations) => {
      const authentication = new Authentication(OPTIONS)
      const { nonce } = begin(authentication)
      const since = performance.now()
      const response = authentication.respond(request(CONTINUE, challenge(nonce, { iterations })))
      await expect(response).rejects.toMatchObject({ code: 'EAUTH' })
      expect(performance.now() - since).toBeLessThan(100)
    },
  )

  test('if the server offers SCRAM-SHA-256-PLUS, the client uses channel binding', () => {
    expect(begin(new Authentication(OPTIONS))).toMatchObject({
      mechanism: 'SCRAM-SHA-256-PLUS',
      message: expect.stringMatching(/^p=tls-server-end-point,,/),
    })
  })

  test("if SCRAM runs without channel binding, the client's first message says whether the client supports channel binding", () => {
    expect(begin(new Authentication(OPTIONS), 'SCRAM-SHA-256\0\0').message).toMatch(/^y,,/)
    expect(begin(new Authentication({ ...OPTIONS, channelBinding: 'disable' })).message).toMatch(/^n,,/)
    expect(begin(new Authentication({ ...OPTIONS, certificateHash: null })).message).toMatch(/^n,,/)
  })

  test('if the server offers only unknown SASL mechanisms, the client throws an error that names the mechanisms', () => {
    const authentication = new Authentication(OPTIONS)
    expect(() => begin(authentication, 'OAUTHBEARER\0\0')).toThrow('OAUTHBEARER')
  })
})

describe('authentication requests that the client rejects', () => {
  const begun = () => {
    const authentication = new Authentication({ ...OPTIONS, channelBinding: 'require' })
    begin(authentication)
    return authentication
  }

  test.each([
    ['a clear-text password', CLEARTEXT],
    ['an MD5 hash', MD5],
    ['SCRAM again', SASL],
  ])('if the server requests %s after SCRAM has started, the client throws an out-of-order error', (_, kind) => {
    expect(() => begun().respond(request(kind, BOTH))).toThrow('an authentication request out of order')
  })

  test('if the server sends the SCRAM challenge twice, the client throws an out-of-order error', async () => {
    const authentication = new Authentication(OPTIONS)
    const { nonce } = begin(authentication)
    const first = authentication.respond(request(CONTINUE, challenge(nonce)))
    expect(() => authentication.respond(request(CONTINUE, challenge(nonce)))).toThrow('out of order')
    await first
  })

  test.each([
    ['server-first-message', CONTINUE],
    ['server-final-message', FINAL],
  ])(
    "if the server's first authentication message is a SCRAM %s, the client throws an out-of-order error",
    (_, kind) => {
      expect(() => new Authentication(OPTIONS).respond(request(kind, challenge('x')))).toThrow('out of order')
    },
  )

  test.each([
    ['the password in clear text', CLEARTEXT],
    ['the MD5 hash of the password', MD5],
    ['no authentication', OK],
    ['SCRAM without channel binding', SASL],
  ])(
    'if channel_binding=require is set and the server requests %s, the client throws an error about channel binding',
    (_, kind) => {
      const authentication = new Authentication({ ...OPTIONS, channelBinding: 'require' })
      expect(() => authentication.respond(request(kind, 'SCRAM-SHA-256\0\0'))).toThrow('no channel binding')
    },
  )

  test('if the server requests a clear-text password on an unencrypted connection, the client throws an error that recommends sslmode=require', () => {
    const authentication = new Authentication({ ...OPTIONS, isPrivate: false, certificateHash: null })
    expect(() => authentication.respond(request(CLEARTEXT))).toThrow('add sslmode=require')
  })

  test.each([1, 2, 4, 6, 7, 8, 9, 13, -1])(
    'if the server requests the unsupported authentication method %i, the client throws an error that says so',
    (kind) => {
      expect(() => new Authentication(OPTIONS).respond(request(kind))).toThrow('which this client does not support')
    },
  )
})

test('if the server requests MD5 authentication, the client sends the MD5 hash of the password, the role, and the salt', () => {
  const md5 = (text: string | Buffer) => createHash('md5').update(text).digest('hex')
  const response = new Authentication(OPTIONS).respond(request(MD5, 'salt'))
  expect(String(response)).toBe(`md5${md5(`${md5('correct horsereader')}salt`)}\0`)
})
