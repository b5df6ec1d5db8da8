// Creates a store with its keys, for one request and for each line of a batch. A repetition for the same external ID
// creates only what is missing.

import {
  ALL_PERMISSIONS,
  addStore,
  checkKeyName,
  createKey,
  KeyNameTaken,
  type KeyPermissions,
  listKeys,
  type RegistryContext,
  storeJson,
} from '@store-export/control'
import type * as z from 'zod'
import type { RequestContext } from './route.ts'
import type { createdStore, newKey, newStore } from './schemas.ts'
import type { AdminServices, ProvisionedStore } from './services.ts'

type NewStore = z.output<typeof newStore>
type NewKey = z.output<typeof newKey>
type CreatedStore = z.input<typeof createdStore>

/**
 * Creates a store with its keys. The status is 200 for a store that existed. Rejects like `addStore`, `createKey` (for
 * example with `KeyLimitReached`), and `AdminOperations.provision`. If a key can't be created, the store and the
 * earlier keys stay. A repetition with the same external ID then creates the missing keys.
 */
export async function createStore(
  services: AdminServices,
  context: RequestContext,
  request: NewStore,
): Promise<{ readonly status: 200 | 201; readonly body: CreatedStore }> {
  const { store, created, revision, databaseUrl, readerUrl } = await registerStore(services, context, request)
  const known = created ? [] : await listKeys({ database: context.database, storeId: store.id })
  const keys: CreatedStore['keys'] = []
  for (const wanted of request.keys) {
    const name = checkKeyName(wanted.name)
    // A key that a merchant revoked stays revoked, so every key with the name counts.
    const existing = known.find((key) => key.name === name)
    if (existing !== undefined) keys.push({ id: existing.id, name, key: null, created: false })
    else keys.push(await createNamedKey(services, context, { ...wanted, name, storeId: store.id }))
  }
  // With the reader's URL of an existing store, a token's holder could read the database even after the token's
  // revocation. A key's limits would not apply.
  const database = { revision, owner_url: databaseUrl, reader_url: created ? readerUrl : null }
  return { status: created ? 201 : 200, body: { ...storeJson(store), created, ...database, keys } }
}

/** Creates a key, unless a concurrent request has created a key with its name. */
async function createNamedKey(
  { keyPrefix }: Pick<AdminServices, 'keyPrefix'>,
  { database, random, actor }: RegistryContext,
  { storeId, name, ...wanted }: NewKey & { readonly storeId: string },
): Promise<CreatedStore['keys'][number]> {
  try {
    const made = await createKey({
      // `createdBy` is null, because only the dashboard knows the person. The audit log has the token.
      ...{ database, random, storeId, name, createdBy: null, unlessNamed: true },
      ...{ permissions: permissionsOf(wanted), keyPrefix },
      ...(actor === undefined ? {} : { actor }),
    })
    return { id: made.id, name, key: made.key.reveal(), created: true }
  } catch (error) {
    if (error instanceof KeyNameTaken) return { id: error.keyId, name, key: null, created: false }
    throw error
  }
}

async function registerStore(
  { operations, limiter }: AdminServices,
  context: RequestContext,
  request: NewStore,
): Promise<ProvisionedStore> {
  const { name, external_id: externalId, provision } = request
  if (provision !== null) {
    const { revision } = provision
    return limiter.run(() => operations.provision(context, { name, externalId, revision }))
  }
  const { origin, state, database_url: databaseUrl, schema: schemaName } = request
  if (databaseUrl !== null) await context.requireSecret()
  const store = await addStore(context, { name, externalId, origin, state, databaseUrl, schemaName })
  return { store, created: store.isNew, revision: null, databaseUrl: null, readerUrl: null }
}

/** Returns the permissions of a new key. */
export function permissionsOf(key: Omit<NewKey, 'name'>): KeyPermissions {
  return {
    ...ALL_PERMISSIONS,
    scopes: key.scopes,
    withoutPersonalData: key.without_personal_data,
    expiresAt: key.expires_at === null ? null : new Date(key.expires_at),
    allowedAddresses: key.allowed_addresses,
  }
}
