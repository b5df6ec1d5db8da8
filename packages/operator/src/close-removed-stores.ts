// Closes the connections to removed stores, so that their databases can be dropped. Each node looks for removed stores
// every 5 s, because another node or a command can have removed a store.

import { type ControlDatabase, registeredAmong } from '@store-export/control'
import type { StorePools } from '@store-export/engine'
import type { EventHandler } from './events.ts'

/** The pools to close, and the registry of stores. */
export interface CloseRemovedStoresOptions {
  readonly pools: StorePools
  readonly database: ControlDatabase
  readonly emit: EventHandler
}

const INTERVAL_MS = 5000
/** Time that running requests of a removed store get. */
const GRACE_SECONDS = 5

/**
 * Closes the pools of removed stores every 5 s, until `pools` is closed. The timer doesn't stop the process from
 * exiting.
 */
export function closeRemovedStores(options: CloseRemovedStoresOptions): void {
  let isRunning = false
  const timer = setInterval(() => {
    if (options.pools.isClosed) clearInterval(timer)
    else if (!isRunning) {
      isRunning = true
      void closeRemovedOnce(options).finally(() => {
        isRunning = false
      })
    }
  }, INTERVAL_MS).unref()
}

/**
 * Closes the pools of stores that are no longer registered. Their running requests get 5 s to finish. Never rejects: if
 * the control database fails, all pools stay open, and `emit` gets the error.
 */
export async function closeRemovedOnce({ pools, database, emit }: CloseRemovedStoresOptions): Promise<void> {
  const ids = pools.storeIds()
  if (ids.length === 0) return
  try {
    const registered = await registeredAmong(database, ids)
    for (const id of ids) if (!registered.has(id)) pools.discard(id, 'store removed', { graceSeconds: GRACE_SECONDS })
  } catch (cause) {
    if (!pools.isClosed) emit({ event: 'control.query_failed', requestId: null, cause })
  }
}
