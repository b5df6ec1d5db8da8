// The keys that the demo shows: one for each store, kept from start to start, replaced when somebody revoked it.

import {
  type ControlDatabase,
  createKey,
  KeyLimitReached,
  listKeys,
  type RandomBytes,
  revokeKey,
} from '@store-export/control'
import { type DemoKey, type DemoKeys, readKeys, storeKeys } from './data-folder.ts'

/** Where the keys are, and for whom. */
export interface DemoKeysOptions {
  readonly database: ControlDatabase
  readonly random: RandomBytes
  readonly dataFolder: string
  readonly storeIds: readonly string[]
}

/** Who made a key, in lists: tells the demo's own keys from those that people make. */
const CREATOR = 'store-export demo'
const NAME = 'Demo'

/** An active key for each store; none for a store that has five others. */
export async function ensureDemoKeys(options: DemoKeysOptions): Promise<DemoKeys> {
  const kept = await readKeys(options.dataFolder)
  const keys = new Map<string, DemoKey>()
  for (const storeId of options.storeIds) {
    const known = kept.get(storeId)
    const key = known !== undefined && (await isActive(options, storeId, known)) ? known : await make(options, storeId)
    if (key !== null) keys.set(storeId, key)
  }
  await storeKeys(options.dataFolder, keys)
  return keys
}

async function isActive({ database }: DemoKeysOptions, storeId: string, { id }: DemoKey): Promise<boolean> {
  return (await listKeys({ database, storeId, activeOnly: true })).some((key) => key.id === id)
}

async function make(options: DemoKeysOptions, storeId: string): Promise<DemoKey | null> {
  const { database, random } = options
  try {
    const { id, key } = await createKey({ database, storeId, name: NAME, createdBy: CREATOR, random })
    return { id, key: key.reveal() }
  } catch (error) {
    if (!(error instanceof KeyLimitReached)) throw error
    return (await revokeOrphan(options, storeId)) ? make(options, storeId) : null
  }
}

/** Starts that were killed between making a key and keeping it leave keys that nobody has. */
async function revokeOrphan({ database }: DemoKeysOptions, storeId: string): Promise<boolean> {
  const active = await listKeys({ database, storeId, activeOnly: true })
  const orphan = active.find(({ createdBy, lastUsedAt }) => createdBy === CREATOR && lastUsedAt === null)
  if (orphan === undefined) return false
  await revokeKey({ database, keyId: orphan.id })
  return true
}
