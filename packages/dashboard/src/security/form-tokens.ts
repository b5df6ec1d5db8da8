// The single-use token in each form: it shows that the page was the dashboard's and of this session. Whether a token came
// before is asked of the control database, which keeps a hash of it: the token itself is in the browser alone.

import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { RandomBytes } from '@store-export/control'

/** What tokens are made with. */
export interface FormTokensOptions {
  readonly secret: string
  readonly random: RandomBytes
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/*
 * Layout: random bytes (16), seconds since 1970 (4), seal (16); 48 characters. The session is in the seal alone.
 */
const RANDOM_BYTES = 16
const PAYLOAD_BYTES = 20
const SEAL_BYTES = 16
const SHAPE = /^[A-Za-z0-9_-]{48}$/

/** How long a form may lie open. */
export const FORM_HOURS = 12

/** Makes and checks the tokens. */
export class FormTokens {
  readonly #options: FormTokensOptions

  constructor(options: FormTokensOptions) {
    this.#options = options
  }

  /** A token for one form of this session. */
  make(sessionId: string): string {
    const payload = Buffer.concat([this.#options.random(RANDOM_BYTES), Buffer.alloc(PAYLOAD_BYTES - RANDOM_BYTES)])
    payload.writeUInt32BE(Math.floor(this.#options.now() / 1000), RANDOM_BYTES)
    return Buffer.concat([payload, this.#seal(payload, sessionId)]).toString('base64url')
  }

  /** The token's hash, for `isFirstSending`; null if it is not of this session, or too old. */
  check(text: string, sessionId: string): Buffer | null {
    if (!SHAPE.test(text)) return null
    const payload = payloadOf(text)
    if (!timingSafeEqual(Buffer.from(text, 'base64url').subarray(PAYLOAD_BYTES), this.#seal(payload, sessionId)))
      return null
    const ageSeconds = this.#options.now() / 1000 - payload.readUInt32BE(RANDOM_BYTES)
    return ageSeconds > FORM_HOURS * 3600 ? null : createHash('sha256').update('sent form\0').update(payload).digest()
  }

  /**
   * Bytes that the token alone decides, for one purpose: the same ones for the same number of bytes. They need the
   * secret and the token, so neither the database nor the holder of a token can compute them alone.
   */
  bytesOf(text: string, purpose: string): RandomBytes {
    const secret = Buffer.concat([Buffer.from(this.#options.secret), payloadOf(text)])
    return (size) => Buffer.from(hkdfSync('sha256', secret, '', `${purpose}\0${size}`, size))
  }

  #seal(payload: Buffer, sessionId: string): Buffer {
    const hmac = createHmac('sha256', this.#options.secret).update(`form\0${sessionId}\0`).update(payload)
    return hmac.digest().subarray(0, SEAL_BYTES)
  }
}

function payloadOf(text: string): Buffer {
  return Buffer.from(text, 'base64url').subarray(0, PAYLOAD_BYTES)
}
