// The connection URLs of stores. The registry stores a URL without its password, and the password sealed.

import { splitPassword, withPassword } from '@store-export/postgres'
import { openPassword, type SealedPassword, type SealingContext, type SealingKeys, sealPassword } from './sealing.ts'
import { Secret } from './secret.ts'

/** A store's connection URL as the registry has it. */
interface SealedAddress {
  readonly storeId: string
  readonly databaseUrl: string
  readonly sealedPassword: SealedPassword | null
}

/**
 * The connection URL with its password. Pass it only to the PostgreSQL client. Throws `SealingProblem` if no key opens
 * the password.
 */
export function connectionUrlOf(keys: SealingKeys, { storeId, databaseUrl, sealedPassword }: SealedAddress): string {
  return withPassword(databaseUrl, sealedPassword === null ? null : openPassword(keys, storeId, sealedPassword))
}

/** The same as a secret; null for a store without a database. */
export function openStoreUrl(
  keys: SealingKeys,
  store: Pick<SealedAddress, 'sealedPassword'> & { readonly id: string; readonly databaseUrl: string | null },
): Secret | null {
  const { id: storeId, databaseUrl, sealedPassword } = store
  if (databaseUrl === null) return null
  return new Secret(connectionUrlOf(keys, { storeId, databaseUrl, sealedPassword }), '[connection URL]')
}

/** The URL as the registry stores it. Null stays null. Throws `ConnectionUrlProblem`. */
export function sealUrl(
  { keys, random }: SealingContext,
  storeId: string,
  databaseUrl: string | null,
): { url: string | null; sealed: SealedPassword | null } {
  if (databaseUrl === null) return { url: null, sealed: null }
  const { url, password } = splitPassword(databaseUrl)
  return { url, sealed: password === null ? null : sealPassword({ keys, storeId, password, random }) }
}
