// A passkey in software (WebAuthn level 2, ES256), which can also do what no browser does: skip the verification of the
// user, name another origin, or sign with another key.

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** How a response differs from the response of an honest browser. */
export interface Deviation {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  /** Whether the user is verified, for example by a fingerprint. The default is true. */
  readonly isVerified?: boolean
  readonly counter?: number
  /** `webauthn.create` or `webauthn.get`. */
  readonly type?: string
}

interface Options {
  readonly challenge: string
}

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const HAS_CREDENTIAL = 0x40

/** A passkey for one origin. */
export class SoftPasskey {
  /** The ID, in base64url. */
  id: string = randomBytes(32).toString('base64url')
  readonly #origin: string
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })

  constructor(origin: string) {
    this.#origin = origin
  }

  /** Returns the JSON of a new passkey. */
  create(options: Options, deviation: Deviation = {}): string {
    const id = Buffer.from(this.id, 'base64url')
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const credential = Buffer.concat([Buffer.alloc(16), length, id, coseKey(this.#keys.publicKey)])
    const authData = Buffer.concat([this.#authenticatorData(deviation, HAS_CREDENTIAL), credential])
    const attestation = [
      Buffer.from([0xa3]),
      text('fmt'),
      text('none'),
      text('attStmt'),
      Buffer.from([0xa0]),
      text('authData'),
      Buffer.from([0x58, authData.length]),
      authData,
    ]
    return this.#json({
      clientDataJSON: this.#clientData(options, { type: 'webauthn.create', ...deviation }),
      attestationObject: Buffer.concat(attestation).toString('base64url'),
      transports: ['internal'],
    })
  }

  /** Returns the JSON of the response to a challenge. */
  get(options: Options, deviation: Deviation = {}): string {
    const clientDataJSON = this.#clientData(options, { type: 'webauthn.get', ...deviation })
    const authData = this.#authenticatorData(deviation, 0)
    const signed = Buffer.concat([authData, sha256(Buffer.from(clientDataJSON, 'base64url'))])
    return this.#json({
      clientDataJSON,
      authenticatorData: authData.toString('base64url'),
      signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
    })
  }

  #json(response: object): string {
    return JSON.stringify({ id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response })
  }

  #clientData({ challenge }: Options, deviation: Deviation): string {
    const { type, origin = this.#origin } = deviation
    const data = { type, challenge: deviation.challenge ?? challenge, origin, crossOrigin: false }
    return Buffer.from(JSON.stringify(data)).toString('base64url')
  }

  #authenticatorData(deviation: Deviation, flags: number): Buffer {
    const { rpId = new URL(this.#origin).hostname, isVerified = true, counter = 0 } = deviation
    const head = Buffer.alloc(5)
    head.writeUInt8(USER_PRESENT | (isVerified ? USER_VERIFIED : 0) | flags)
    head.writeUInt32BE(counter, 1)
    return Buffer.concat([sha256(Buffer.from(rpId)), head])
  }
}

/** Returns the CBOR of a public key in the format of COSE (RFC 9053): kty EC2, alg ES256, curve P-256. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const coordinate = (label: number, value: string) => [
    Buffer.from([label, 0x58, 0x20]),
    Buffer.from(value, 'base64url'),
  ]
  const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01])
  return Buffer.concat([head, ...coordinate(0x21, x), ...coordinate(0x22, y)])
}

/** Returns the CBOR of a text of less than 24 bytes. */
function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
}

function sha256(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}
