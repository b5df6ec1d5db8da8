// Creates and checks the tokens of forms. A token proves that the form is from the dashboard and belongs to this
// session. The form that changes the theme has none. The control database stores only a hash of each used token.

import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { RandomBytes } from '@store-export/control'

/** The secret that signs tokens, and sources of random bytes and of the time. */
export interface FormTokensOptions {
  readonly secret: string
  readonly random: RandomBytes
  /** Returns ms since 1970. */
  readonly now: () => number
}

/*
 * Layout in bytes: random (16), seconds since 1970 (4), signature (16). Together 48 characters of base64url. The
 * signature covers the session ID, which is not part of the token.
 */
const RANDOM_BYTES = 16
const PAYLOAD_BYTES = 20
const SIGNATURE_BYTES = 16
const SHAPE = /^[A-Za-z0-9_-]{48}$/

/** Hours for which a token is valid. */
export const FORM_HOURS = 12

/** Creates and checks the tokens of all sessions. */
export class FormTokens {
  readonly #options: FormTokensOptions

  constructor(options: FormTokensOptions) {
    this.#options = options
  }

  /** Returns a new token. `sessionId` is the ID of the session, or that of the visitor before the sign-in. */
  make(sessionId: string): string {
    const payload = Buffer.concat([this.#options.random(RANDOM_BYTES), Buffer.alloc(PAYLOAD_BYTES - RANDOM_BYTES)])
    payload.writeUInt32BE(Math.floor(this.#options.now() / 1000), RANDOM_BYTES)
    return Buffer.concat([payload, this.#sign(payload, sessionId)]).toString('base64url')
  }

  /**
   * Returns the token's hash for `consumeFormToken`, which makes it single-use; null for a token that is malformed,
   * forged, expired, or of another session. A token from a node whose clock is ahead is valid.
   */
  check(text: string, sessionId: string): Buffer | null {
    if (!SHAPE.test(text)) return null
    const payload = payloadOf(text)
    if (!timingSafeEqual(Buffer.from(text, 'base64url').subarray(PAYLOAD_BYTES), this.#sign(payload, sessionId)))
      return null
    const ageSeconds = this.#options.now() / 1000 - payload.readUInt32BE(RANDOM_BYTES)
    return ageSeconds > FORM_HOURS * 3600 ? null : createHash('sha256').update('sent form\0').update(payload).digest()
  }

  /**
   * Returns bytes that are derived from the secret, the token and a purpose. A form that is sent twice thus creates the
   * same API key or directory token. Doesn't check the token. The bytes can't be computed from the control database or
   * from the token alone, because this needs both the token and the secret.
   */
  bytesOf(text: string, purpose: string): RandomBytes {
    const secret = Buffer.concat([Buffer.from(this.#options.secret), payloadOf(text)])
    // With the size in HKDF's info, a short result is no prefix of a longer one.
    return (size) => Buffer.from(hkdfSync('sha256', secret, '', `${purpose}\0${size}`, size))
  }

  #sign(payload: Buffer, sessionId: string): Buffer {
    const hmac = createHmac('sha256', this.#options.secret).update(`form\0${sessionId}\0`).update(payload)
    return hmac.digest().subarray(0, SIGNATURE_BYTES)
  }
}

function payloadOf(text: string): Buffer {
  return Buffer.from(text, 'base64url').subarray(0, PAYLOAD_BYTES)
}
