// Caches the time zone of each store, in which its pages show dates. After a minute, the next page refreshes the cached
// zone in the background. While a store is down or slow, its pages use the last known zone, or UTC.

import type { StoreAddress } from '@store-export/engine'
import { within } from '@store-export/postgres'
import { readStoreOverview, type StoreSource } from './store-rows.ts'
import type { TimeSlicer } from './time-slicer.ts'

/** Time in ms after which the next page starts to read a cached zone again. */
const CACHE_MS = 60_000
/** Longest wait of a page, in ms, for a zone that is not cached. */
const WAIT_MS = 300
const STORES_MAX = 10_000
/** Zone of the pages until the zone of the store is known. */
const DEFAULT_ZONE = 'UTC'

interface KnownZone {
  /** Start of the latest read, on the clock of `performance.now()`. */
  readonly requestedAt: number
  /** IANA name; null before the first successful read. */
  zone: string | null
  /** The latest read. If it fails, it resolves with the last known zone, or UTC. */
  reading: Promise<string>
}

/** Caches the time zones of up to 10,000 stores. */
export class StoreTimeZones {
  readonly #reader: StoreSource['reader']
  readonly #timeSlicer: TimeSlicer
  readonly #now: () => number
  readonly #zones = new Map<string, KnownZone>()

  /** `now` is on the clock of `performance.now()`. */
  constructor({
    reader,
    timeSlicer,
    now,
  }: Pick<StoreSource, 'reader' | 'timeSlicer'> & { readonly now: () => number }) {
    this.#reader = reader
    this.#timeSlicer = timeSlicer
    this.#now = now
  }

  /**
   * Returns an IANA name after 300 ms at most: the last known zone, or UTC if none is known by then. Also returns UTC
   * for a store without a zone, and for a zone that Node.js doesn't know. Does not reject.
   */
  async of(address: StoreAddress): Promise<string> {
    const known = this.#zones.get(address.storeId)
    const isFresh = known !== undefined && this.#now() - known.requestedAt < CACHE_MS
    const cached = isFresh ? known : this.#refresh(address, known?.zone ?? null)
    return cached.zone ?? (await within(WAIT_MS, cached.reading, () => undefined).catch(() => DEFAULT_ZONE))
  }

  #refresh(address: StoreAddress, before: string | null): KnownZone {
    const refreshed: KnownZone = { requestedAt: this.#now(), zone: before, reading: Promise.resolve(DEFAULT_ZONE) }
    refreshed.reading = this.#read(address)
      .then((zone) => {
        refreshed.zone = zone
        return zone
      })
      .catch(() => before ?? DEFAULT_ZONE)
    // Moves the store to the end of the map. A full map loses its first store.
    this.#zones.delete(address.storeId)
    this.#zones.set(address.storeId, refreshed)
    const [oldest] = this.#zones.keys()
    if (this.#zones.size > STORES_MAX && oldest !== undefined) this.#zones.delete(oldest)
    return refreshed
  }

  async #read(address: StoreAddress): Promise<string> {
    const [reader, timeSlicer] = [this.#reader, this.#timeSlicer]
    const head = await readStoreOverview({ reader, timeSlicer, address, requestId: null, startedAt: this.#now() })
    const zone = head?.timeZone ?? DEFAULT_ZONE
    return isZone(zone) ? zone : DEFAULT_ZONE
  }
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
