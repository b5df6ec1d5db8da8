// Stores that are registered and nothing more: imported ones, and ones still being generated.

import { randomBytes } from 'node:crypto'
import { addStore } from '@store-export/control'
import type { TestPlatform } from '../../../../test/support/platform.ts'

/** A store without a database, and a key of it. */
export async function bareStore(
  platform: TestPlatform,
  kind: 'imported' | 'generating',
): Promise<{ id: string; key: string }> {
  const { id } = await addStore(
    { database: platform.service.control, keys: { current: platform.sealingKey, previous: null }, random: randomBytes },
    {
      name: kind,
      origin: kind === 'imported' ? 'imported' : 'generated',
      state: kind === 'imported' ? 'ready' : 'generating',
      databaseUrl: null,
    },
  )
  return { id, key: (await platform.newKey(id)).key }
}
