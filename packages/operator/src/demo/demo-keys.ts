// Creates the keys that the demo prints: one for each store, the same at each start. A new key replaces a revoked key.

import {
  type ControlDatabase,
  createKey,
  KeyLimitReached,
  listKeys,
  type RandomBytes,
  revokeKey,
} from '@store-export/control'
import { type DemoKey, type DemoKeys, readKeys, storeKeys } from './data-folder.ts'

/** The stores that need a key, and the places where keys are stored. */
export interface DemoKeysOptions {
  readonly database: ControlDatabase
  readonly random: RandomBytes
  /** First characters of new keys. */
  readonly keyPrefix: string
  readonly dataFolder: string
  readonly storeIds: readonly string[]
}

/** `created_by` of the demo's keys, which distinguishes them from other keys. */
const CREATOR = 'store-export demo'
const NAME = 'Demo'

/**
 * Reuses or creates an active key for each store, and returns the keys. Saves them in the data folder in plain text,
 * because each start prints them. Leaves out a store that already has the maximum number of active keys, if none of
 * them is an unused demo key.
 */
export async function ensureDemoKeys(options: DemoKeysOptions): Promise<DemoKeys> {
  const stored = await readKeys(options.dataFolder)
  const keys = new Map<string, DemoKey>()
  for (const storeId of options.storeIds) {
    const known = stored.get(storeId)
    const key =
      known !== undefined && (await isActive(options, storeId, known)) ? known : await create(options, storeId)
    if (key !== null) keys.set(storeId, key)
  }
  await storeKeys(options.dataFolder, keys)
  return keys
}

async function isActive({ database }: DemoKeysOptions, storeId: string, { id }: DemoKey): Promise<boolean> {
  return (await listKeys({ database, storeId, activeOnly: true })).some((key) => key.id === id)
}

async function create(options: DemoKeysOptions, storeId: string): Promise<DemoKey | null> {
  const { database, random, keyPrefix } = options
  try {
    const { id, key } = await createKey({ database, storeId, name: NAME, createdBy: CREATOR, random, keyPrefix })
    return { id, key: key.reveal() }
  } catch (error) {
    if (!(error instanceof KeyLimitReached)) throw error
    // The revocation makes room, so the repetition ends unless another program creates keys at the same time.
    return (await revokeOrphan(options, storeId)) ? create(options, storeId) : null
  }
}

/**
 * Revokes an active demo key that was never used, and returns whether there was one. Such a key was lost, for example
 * because a start was killed before it stored the key in the data folder.
 */
async function revokeOrphan({ database }: DemoKeysOptions, storeId: string): Promise<boolean> {
  const active = await listKeys({ database, storeId, activeOnly: true })
  const orphan = active.find(({ createdBy, lastUsedAt }) => createdBy === CREATOR && lastUsedAt === null)
  if (orphan === undefined) return false
  await revokeKey({ database, keyId: orphan.id })
  return true
}
