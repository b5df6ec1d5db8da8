// The hidden number in each form: it shows that the page was ours and this session's, and it counts once. Whether it
// came before is asked of the control database.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { RandomBytes } from '@store-export/engine'

/** What numbers are made with. */
export interface FormNumbersOptions {
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

/** Makes and checks the numbers. */
export class FormNumbers {
  readonly #options: FormNumbersOptions

  constructor(options: FormNumbersOptions) {
    this.#options = options
  }

  /** A number for one form of this session. */
  make(sessionId: string): string {
    const payload = Buffer.concat([this.#options.random(RANDOM_BYTES), Buffer.alloc(PAYLOAD_BYTES - RANDOM_BYTES)])
    payload.writeUInt32BE(Math.floor(this.#options.now() / 1000), RANDOM_BYTES)
    return Buffer.concat([payload, this.#seal(payload, sessionId)]).toString('base64url')
  }

  /** The number's own bytes, for `isFirstSending`; null where it is not of this session, or too old. */
  check(text: string, sessionId: string): Buffer | null {
    if (!SHAPE.test(text)) return null
    const bytes = Buffer.from(text, 'base64url')
    const payload = bytes.subarray(0, PAYLOAD_BYTES)
    if (!timingSafeEqual(bytes.subarray(PAYLOAD_BYTES), this.#seal(payload, sessionId))) return null
    const ageSeconds = this.#options.now() / 1000 - payload.readUInt32BE(RANDOM_BYTES)
    return ageSeconds > FORM_HOURS * 3600 ? null : payload
  }

  #seal(payload: Buffer, sessionId: string): Buffer {
    const hmac = createHmac('sha256', this.#options.secret).update(`form\0${sessionId}\0`).update(payload)
    return hmac.digest().subarray(0, SEAL_BYTES)
  }
}
