import { parseConnectionUrl } from '@store-export/postgres'
import { expect, inject, test } from 'vitest'
import { ConnectionBudget } from './connection-budget.ts'
import { ReconnectPause } from './reconnect-pause.ts'
import { StorePool } from './store-pool.ts'

const bounds = {
  storePoolSize: 2,
  storeQueueMax: 10,
  storeQueueWaitMs: 1000,
  storeIdleSeconds: 60,
  storeTimeoutMs: 5000,
  storeSessionSettings: true,
}

test('[ERR-3] if a connection opens after its slot was removed, the pool counts no connection as being opened', async () => {
  const pool = new StorePool({ storeId: 'a', databaseUrl: '', schemaName: 'public', sealedPassword: null }, 0, {
    bounds,
    target: parseConnectionUrl(inject('postgresUrl')),
    server: new ConnectionBudget(4),
    pause: new ReconnectPause(),
    progressElsewhere: () => 0,
  })
  const slot = pool.newSlot()
  const opening = pool.open(slot, () => undefined)
  pool.remove(slot)
  const connection = await opening
  expect([pool.connecting, pool.size]).toEqual([0, 0])
  await connection.close()
})
