// Makes recovery codes. Each replaces a code of the merchant's app once.

import { randomInt } from 'node:crypto'

/** Number of recovery codes that an account gets at once. */
const CODES = 10
/** Letters and digits that can't be confused. A code has 49 bits. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'

/** Returns new codes, such as `k7qwe-m2xza`. */
export function makeRecoveryCodes(): string[] {
  const half = () => Array.from({ length: 5 }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')
  return Array.from({ length: CODES }, () => `${half()}-${half()}`)
}
