import { TimeLimitPassed } from '@store-export/postgres'
import { expect, onTestFinished, test } from 'vitest'
import { createDatabase } from '../../../../test/support/databases.ts'
import type { StoreEvent } from '../store-event.ts'
import { Attempts } from './attempts.ts'
import { StoreColumns } from './store-columns.ts'
import { StoreDatabaseError } from './store-database-error.ts'
import { StorePools } from './store-pools.ts'

const TIMEOUT_MS = 2000
const bounds = {
  storePoolSize: 2,
  storeConnectionsMax: 4,
  storeServerConnectionsMax: 4,
  storeQueueMax: 1,
  storeQueueWaitMs: 1000,
  storeIdleSeconds: 60,
  storeTimeoutMs: TIMEOUT_MS,
  storeSessionSettings: true,
}

test("[ERR-3] if a request's time limit passes before its statement is sent, the service sends no statement, and store.query_failed names the limit", async () => {
  const database = await createDatabase()
  onTestFinished(() => database.drop())
  const events: StoreEvent[] = []
  const emit = (event: StoreEvent) => void events.push(event)
  const pools = new StorePools({ bounds, connectionUrl: ({ databaseUrl }) => databaseUrl, emit })
  onTestFinished(() => pools.close())
  const columns = new StoreColumns({ refreshSeconds: 15, emit, now: () => performance.now() })
  const attempts = new Attempts({ pools, columns, emit, timeoutMs: TIMEOUT_MS })
  const address = { storeId: 's', databaseUrl: database.url, schemaName: 'public', encryptedPassword: null }
  let isStarted = false
  const work = async () => {
    isStarted = true
  }
  // The time limit passed 66 ms ago, as it can before a second attempt.
  const startedAt = performance.now() - TIMEOUT_MS - 66
  await expect(attempts.run({ address, requestId: 'r', startedAt }, work)).rejects.toThrow(StoreDatabaseError)
  expect(isStarted).toBe(false)
  const [event] = events.filter(({ event }) => event === 'store.query_failed')
  const cause = new TimeLimitPassed('the time limit of 2000 ms passed before the statement was sent')
  expect(event).toMatchObject({ cause })
})
