// Computes the SCRAM verifier of a password (RFC 5803), so that SQL statements contain no plain password.

import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'

/** Number of iterations that PostgreSQL uses by default. */
const ITERATIONS = 4096

/**
 * Returns the SCRAM-SHA-256 verifier of an ASCII password. Other characters would first need the normalization
 * SASLprep. PostgreSQL accepts the verifier as a password. `salt` is 16 random bytes.
 */
export function scramVerifier(password: string, salt: Uint8Array): string {
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256')
  const clientKey = createHmac('sha256', salted).update('Client Key').digest()
  const storedKey = createHash('sha256').update(clientKey).digest('base64')
  const serverKey = createHmac('sha256', salted).update('Server Key').digest('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${Buffer.from(salt).toString('base64')}$${storedKey}:${serverKey}`
}
