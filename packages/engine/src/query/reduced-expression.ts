// Writes the SQL for what a key without personal data gets in place of personal values (R40 in docs/spec/readings.md).
// PostgreSQL calculates what remains of a value, so the value itself never reaches the service.

import { createHmac, type KeyObject } from 'node:crypto'
import type { PersonalRemainder } from '@store-export/contract'

/** Secret of a store's pseudonyms: equal values of the store get equal pseudonyms. */
export type PseudonymSecret = Buffer

/** Members of an address that remain. */
const REGION = ['country', 'state']
/** Block size of SHA-256, to which HMAC pads its key. */
const BLOCK_BYTES = 64
const INNER_PAD = 0x36
const OUTER_PAD = 0x5c
/** 128 bits of the HMAC. */
const PSEUDONYM_BYTES = 16
/** Makes a pseudonym an email address. No mail reaches a domain below `invalid` (RFC 2606). */
const DOMAIN = '@personal.invalid'

/**
 * Returns the expression for what remains of `column`, an expression itself. `type` is the type of its column in the
 * store. Null stays null. The SQL of a pseudonym contains the secret, so it must not be logged. `column` is inserted as
 * it is, so it must not come from a request.
 */
export function reducedExpression(
  remainder: PersonalRemainder,
  { column, type, secret }: { readonly column: string; readonly type: string; readonly secret: PseudonymSecret },
): string {
  switch (remainder) {
    case 'null':
      return 'null'
    case 'region':
      // A value of type json can contain text that jsonb rejects, so reading one of its members could fail the page.
      return type === 'jsonb' ? region(column) : 'null'
    case 'pseudonym':
      return pseudonymExpression(column, secret)
  }
}

function region(column: string): string {
  // Only a string remains: a member of another type can contain the rest of the address.
  const textOf = (member: string) => `case when jsonb_typeof(${member}) = 'string' then ${member} end`
  const members = REGION.map((name) => `'${name}', ${textOf(`${column} -> '${name}'`)}`).join(', ')
  // A value of another shape becomes null, as for other keys (R32).
  return `case when jsonb_typeof(${column}) = 'object' then jsonb_build_object(${members}) end`
}

/**
 * Returns the SQL of a pseudonym: the first 128 bits of an HMAC-SHA-256 in hexadecimal, as an email address. The SQL
 * uses two hashes, because PostgreSQL has no HMAC without an extension.
 */
function pseudonymExpression(column: string, secret: PseudonymSecret): string {
  const key = (pad: number) => {
    const padded = Buffer.alloc(BLOCK_BYTES)
    secret.copy(padded)
    return `decode('${Buffer.from(padded.map((byte) => byte ^ pad)).toString('hex')}', 'hex')`
  }
  const inner = `sha256(${key(INNER_PAD)} || convert_to(${column}, 'UTF8'))`
  const hmac = `sha256(${key(OUTER_PAD)} || ${inner})`
  return `encode(substring(${hmac} for ${PSEUDONYM_BYTES}), 'hex') || '${DOMAIN}'`
}

/** Returns the secret of a store's pseudonyms. `secret` is the installation's. */
export function pseudonymSecret(secret: KeyObject, storeId: string): PseudonymSecret {
  return createHmac('sha256', secret).update(`pseudonyms ${storeId}`).digest()
}
