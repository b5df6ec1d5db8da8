// Registers imported stores, and stores that are still being generated.

import { randomBytes } from 'node:crypto'
import { addStore } from '@store-export/control'
import type { TestPlatform } from '../../../../test/support/platform.ts'

/** Registers a store without a database, and creates a key for it. */
export async function storeWithoutDatabase(
  platform: TestPlatform,
  kind: 'imported' | 'generating',
): Promise<{ id: string; key: string }> {
  const { id } = await addStore(
    {
      database: platform.service.control,
      keys: { current: platform.encryptionKey, previous: null },
      random: randomBytes,
    },
    {
      name: kind,
      origin: kind === 'imported' ? 'imported' : 'generated',
      state: kind === 'imported' ? 'ready' : 'generating',
      databaseUrl: null,
    },
  )
  return { id, key: (await platform.newKey(id)).key }
}
