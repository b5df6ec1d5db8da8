// Makes the codes of a merchant's app (TOTP, RFC 6238) from the secret that the dashboard shows.

import { createHmac } from 'node:crypto'

/**
 * Returns the code of an app (RFC 6238) in the period that is `periods` after the current one. The dashboard also
 * accepts the code of the next period, so that a test that crosses periods gets the same result.
 */
export function appCode(secret: string, periods = 0): string {
  const bits = [...secret].map((each) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(each).toString(2).padStart(5, '0'))
  const bytes = (bits.join('').match(/.{8}/g) ?? []).map((each) => Number.parseInt(each, 2))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + periods))
  const hmac = createHmac('sha1', Buffer.from(bytes)).update(counter).digest()
  const offset = hmac.readUInt8(19) & 0xf
  return String((hmac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}
