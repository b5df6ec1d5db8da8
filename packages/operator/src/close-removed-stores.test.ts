import { removeStore } from '@store-export/control'
import { StorePools } from '@store-export/engine'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createControlDatabase, type TestControl } from '../../control/test/support/control-database.ts'
import { closeRemovedOnce } from './close-removed-stores.ts'
import type { ServiceEvent } from './events.ts'

const BOUNDS = {
  storePoolSize: 2,
  storeConnectionsMax: 40,
  storeServerConnectionsMax: 40,
  storeQueueMax: 1,
  storeQueueWaitMs: 1000,
  storeIdleSeconds: 60,
  storeTimeoutMs: 5000,
  storeSessionSettings: true,
}

/** The test needs no tables, so any database works as a store. */
const connectionUrl = () => control.url

let control: TestControl
beforeAll(async () => {
  control = await createControlDatabase()
})
afterAll(() => control.drop())

describe('connection pools of removed stores', () => {
  test('[AUTH-6] if a store is removed, the node closes only the connection pool of this store', async () => {
    const seen: ServiceEvent[] = []
    const emit = (event: ServiceEvent) => void seen.push(event)
    const pools = new StorePools({ bounds: BOUNDS, connectionUrl, emit })
    const node = { pools, database: control.secondNode(), emit }
    await closeRemovedOnce(node)
    const [registered, removed] = [await control.store('registered'), await control.store('removed')]
    for (const { id, databaseUrl, schemaName, encryptedPassword } of [registered, removed])
      await pools.use(
        { storeId: id, databaseUrl: databaseUrl ?? '', schemaName, encryptedPassword },
        async () => undefined,
      )
    await closeRemovedOnce(node)
    expect(pools.storeIds()).toEqual([registered.id, removed.id])
    await removeStore(control.database, removed.id)
    await closeRemovedOnce(node)
    expect(pools.storeIds()).toEqual([registered.id])
    expect(seen.at(-1)).toEqual({ event: 'store.pool_closed', storeId: removed.id, reason: 'store removed' })
    await pools.close()
  })

  test('[R5] if the control database fails, the node closes no connection pool and emits control.query_failed', async () => {
    const seen: ServiceEvent[] = []
    const emit = (event: ServiceEvent) => void seen.push(event)
    const pools = new StorePools({ bounds: BOUNDS, connectionUrl, emit })
    const { id, databaseUrl, schemaName, encryptedPassword } = await control.store('registered')
    await pools.use(
      { storeId: id, databaseUrl: databaseUrl ?? '', schemaName, encryptedPassword },
      async () => undefined,
    )
    const database = control.secondNode()
    await database.close()
    await closeRemovedOnce({ pools, database, emit })
    expect(pools.storeIds()).toEqual([id])
    expect(seen.at(-1)?.event).toBe('control.query_failed')
    await pools.close()
  })
})
