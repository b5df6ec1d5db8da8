// Reads a store of the test platform as the Data pages do.

import { connectionUrlOf, getStore } from '@store-export/control'
import {
  type StoreAddress,
  StoreColumns,
  StoreCounts,
  StorePools,
  StoreReader,
  TransactionWait,
} from '@store-export/engine'
import type { TestPlatform, TestStore } from '../../../../test/support/platform.ts'
import { readConfig } from '../../../operator/src/config.ts'
import type { ServiceEvent } from '../../../operator/src/events.ts'
import type { DataStore } from '../../src/data/data-page.ts'
import { addressOf, type StoreSource, storeStatus } from '../../src/data/store-rows.ts'
import { TimeSlicer } from '../../src/data/time-slicer.ts'
import { localizationIn } from '../../src/texts/languages.ts'

/** A store reader. The test closes it. */
export interface TestReader {
  readonly reader: StoreReader
  readonly events: ServiceEvent[]
  close(): Promise<void>
}

/** Creates a reader for the platform's stores, which reads the catalog again for each request. */
export function openReader(platform: TestPlatform): TestReader {
  const events: ServiceEvent[] = []
  const emit = (event: ServiceEvent) => events.push(event)
  const now = () => performance.now()
  const { config } = readConfig({})
  const keys = { current: platform.encryptionKey, previous: null }
  const connectionUrl = (address: StoreAddress) => connectionUrlOf(keys, address)
  const pools = new StorePools({ bounds: config, connectionUrl, emit })
  const reader = new StoreReader({
    pools,
    columns: new StoreColumns({ refreshSeconds: 0, emit, now }),
    counts: new StoreCounts({ maxAgeMs: 0, now }),
    transactionWait: new TransactionWait({ bounds: config, emit }),
    emit,
    timeoutMs: config.storeTimeoutMs,
    pageBytesMax: config.pageBytesMax,
    scanBatchRows: config.scanBatchRows,
    preparedStatements: true,
  })
  return { reader, events, close: () => pools.close() }
}

/** Returns the registered store as the Data pages need it. */
export async function dataStore(platform: TestPlatform, { reader }: Pick<TestReader, 'reader'>, store: TestStore) {
  const registered = await getStore(platform.service.control, store.id)
  if (registered === null) throw new Error('the store is not registered')
  const address = addressOf(registered)
  if (address === null) throw new Error('the store is not ready')
  const source: StoreSource = {
    reader,
    address,
    timeSlicer: new TimeSlicer(),
    requestId: null,
    startedAt: performance.now(),
  }
  const { texts } = localizationIn('en')
  return { id: store.id, status: storeStatus(registered), source, texts } satisfies DataStore
}
