// Signs the link in an email that stops the emails about a key. Anyone with the link can stop them for its merchant,
// without a sign-in, but can do nothing else.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { isUuid } from '@store-export/control'

/** The merchant and the key of the emails that a link stops. */
export interface Mute {
  readonly merchantId: string
  readonly keyId: string
}

/** Length of a signature: the first half of an HMAC-SHA-256, which makes the link shorter. */
const SIGNATURE_BYTES = 16

/** Makes and reads the tokens of links. They do not expire. */
export class MuteTokens {
  readonly #secret: string

  /** `secret` is the dashboard's secret, which all nodes share. */
  constructor(secret: string) {
    this.#secret = secret
  }

  /** Returns a token in base64url. */
  make({ merchantId, keyId }: Mute): string {
    const payload = Buffer.from(`${keyId} ${merchantId}`)
    return Buffer.concat([this.#sign(payload), payload]).toString('base64url')
  }

  /** Returns what the token stops; null for a malformed or forged token. */
  read(token: string): Mute | null {
    const bytes = Buffer.from(token, 'base64url')
    const payload = bytes.subarray(SIGNATURE_BYTES)
    const signature = bytes.subarray(0, SIGNATURE_BYTES)
    if (signature.length !== SIGNATURE_BYTES || !timingSafeEqual(signature, this.#sign(payload))) return null
    const [keyId = '', merchantId = ''] = payload.toString().split(' ')
    return isUuid(keyId) ? { keyId, merchantId } : null
  }

  /** Signs with the prefix `mute`, so that no other signature made with the same secret is valid here. */
  #sign(payload: Buffer): Buffer {
    return createHmac('sha256', this.#secret).update('mute\0').update(payload).digest().subarray(0, SIGNATURE_BYTES)
  }
}
