// Closes the connections to stores that were removed on whatever node: here nobody asks for them any more.

import { type ControlDatabase, registeredAmong } from '@store-export/control'
import type { StorePools } from '@store-export/engine'
import type { EventHandler } from './events.ts'

/** What to look at, and where the registry is. */
export interface CloseRemovedStoresOptions {
  readonly pools: StorePools
  readonly database: ControlDatabase
  readonly emit: EventHandler
}

const INTERVAL_MS = 5000
const GRACE_SECONDS = 5

/** Forgets removed stores every few seconds until the pools are closed; keeps no process alive. */
export function closeRemovedStores(options: CloseRemovedStoresOptions): void {
  let isAsking = false
  const timer = setInterval(() => {
    if (options.pools.isClosed) clearInterval(timer)
    else if (!isAsking) {
      isAsking = true
      void closeRemovedOnce(options).finally(() => {
        isAsking = false
      })
    }
  }, INTERVAL_MS).unref()
}

/** Asks once which of the stores in use are gone, and closes their pools. Never rejects. */
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
