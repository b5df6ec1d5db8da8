// Makes the tokens in the links of invitations. Only the email contains the token. The control database stores its
// hash.

import { createHash } from 'node:crypto'
import type { RandomBytes } from '@store-export/control'

const TOKEN_BYTES = 32

/** Returns a new token in base64url, and its hash. */
export function makeInvitationToken(random: RandomBytes): { readonly token: string; readonly hash: Buffer } {
  const token = random(TOKEN_BYTES).toString('base64url')
  return { token, hash: hashInvitationToken(token) }
}

/** Returns the SHA-256 of a token. A token has 32 random bytes, so the hash needs no salt. */
export function hashInvitationToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
