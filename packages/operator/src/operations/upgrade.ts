// Upgrades the database of a registered store to a newer schema version, for the command line and the admin API.

import { isDeepStrictEqual } from 'node:util'
import type { RevisionId } from '@store-export/contract'
import type { RegisteredStore } from '@store-export/control'
import { parseConnectionUrl } from '@store-export/postgres'
import { type ControlTarget, connectOnce } from '../command-context.ts'
import { type UpgradeResult, upgradeStore } from '../store-schema/provision-store.ts'
import { quoteName } from '../store-schema/sql-text.ts'
import { urlForDatabase } from '../store-schema/store-url.ts'
import { UserError } from '../user-error.ts'

/** The schema version to reach, and the URL for the upgrade. */
export interface UpgradeRequest {
  readonly to: RevisionId
  /** URL of the owner; null to use the role of the control database, on whose server the store then must be. */
  readonly databaseUrl: string | null
  /** If it is aborted, the running migration is rolled back. */
  readonly signal?: AbortSignal
}

/**
 * Upgrades a store to a newer schema version. Rejects like `upgradeStore`, and with `UserError` if its schema is not
 * public, or if `databaseUrl` names another database. Without `databaseUrl`, also rejects if the store has no URL or its
 * database is on another server.
 */
export async function upgrade(
  { controlUrl }: Pick<ControlTarget, 'controlUrl'>,
  store: RegisteredStore,
  { to, databaseUrl, signal }: UpgradeRequest,
): Promise<UpgradeResult> {
  if (store.schemaName !== 'public') {
    throw new UserError(
      `this store is in the schema ${quoteName(store.schemaName)}, and "stores upgrade" only changes the schema public; migrate ` +
        'the store yourself, then run "store-export stores grants --schema" for the grants',
    )
  }
  if (databaseUrl !== null) requireSameDatabase(store, databaseUrl)
  const readerRole = store.databaseUrl === null ? null : (parseConnectionUrl(store.databaseUrl).user ?? null)
  const ownerOrAdminUrl = databaseUrl ?? adminUrlOf(store, controlUrl)
  return upgradeStore({ ownerOrAdminUrl, to, readerRole, connect: connectOnce, signal })
}

/**
 * Throws `UserError` if the owner's URL names another database than the store's URL. Their hosts can differ, because a
 * server can have several names.
 */
function requireSameDatabase({ databaseUrl }: RegisteredStore, ownerUrl: string): void {
  if (databaseUrl === null) return
  const [registered, given] = [databaseUrl, ownerUrl].map((url) => {
    const { database, user } = parseConnectionUrl(url)
    return database ?? user
  })
  if (registered === given) return
  throw new UserError(
    `the owner's URL names the database ${quoteName(given ?? '')}, but this store's database is ` +
      `${quoteName(registered ?? '')}; give the URL of that database`,
  )
}

/**
 * Returns the URL of the store's database for the role of the control database. Throws `UserError` if the store has no
 * database, or if the database is on another server.
 */
function adminUrlOf({ databaseUrl }: RegisteredStore, controlUrl: string): string {
  const database = databaseUrl === null ? null : parseConnectionUrl(databaseUrl).database
  if (databaseUrl === null || database === null) {
    throw new UserError('this store has no database URL; add --database-url with the URL of its owner')
  }
  if (!isOnServerOf(controlUrl, databaseUrl)) {
    throw new UserError(
      "this store's database is not on the server of the control database; add --database-url with the URL of its owner",
    )
  }
  return urlForDatabase(controlUrl, database)
}

/** Whether the URL of a store names the same hosts as the URL of the control database. */
export function isOnServerOf(controlUrl: string, databaseUrl: string): boolean {
  return isDeepStrictEqual(parseConnectionUrl(databaseUrl).hosts, parseConnectionUrl(controlUrl).hosts)
}
