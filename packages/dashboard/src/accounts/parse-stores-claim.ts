// Reads the claim in which the operator's OpenID Connect provider names the stores of a merchant.

import { type ClaimedStore, findMemberRole } from '@store-export/control'
import { objectOf } from './discovery-document.ts'

/** Maximum number of stores of a claim. The dashboard ignores the rest. */
const STORES_MAX = 1000

/**
 * Returns the stores of a claim: an array whose elements are IDs or external IDs, such as `"shop-42"`, or objects, such
 * as `{"store": "shop-42", "role": "viewer"}`. Without a role, the merchant is an admin. Ignores other elements and
 * elements with an unknown role. Returns no stores for another value, so that an unexpected claim gives no access.
 */
export function parseStoresClaim(claim: unknown): ClaimedStore[] {
  if (!Array.isArray(claim)) return []
  return claim.slice(0, STORES_MAX).flatMap((element: unknown) => {
    if (typeof element === 'string') return [{ reference: element, role: 'admin' }]
    const { store, role = 'admin' } = objectOf(element) ?? {}
    const known = typeof role === 'string' ? findMemberRole(role) : null
    return typeof store === 'string' && known !== null ? [{ reference: store, role: known }] : []
  })
}
