// The time zone of each store, which its pages write dates in. It is in the store's own row: read once a minute, beside
// the page where one is known already. A store that is down or slow takes no page with it: its dates are in UTC then.

import type { StoreAddress } from '@store-export/engine'
import { within } from '@store-export/postgres'
import { readStoreOverview, type StoreSource } from './store-rows.ts'
import type { TimeSlicer } from './time-slicer.ts'

const CACHE_MS = 60_000
/** How long a page waits for a zone that is not known yet. */
const WAIT_MS = 300
const STORES_MAX = 10_000
/** Used until the store says another one. */
const DEFAULT_ZONE = 'UTC'

/** What is known of one store. */
interface KnownZone {
  readonly askedAt: number
  /** null until it was read once. */
  zone: string | null
  reading: Promise<string>
}

/** Time zones by store. */
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

  /** IANA name; never rejects, and never waits long. */
  async of(address: StoreAddress): Promise<string> {
    const known = this.#zones.get(address.storeId)
    const isFresh = known !== undefined && this.#now() - known.askedAt < CACHE_MS
    const asked = isFresh ? known : this.#ask(address, known?.zone ?? null)
    return asked.zone ?? (await within(WAIT_MS, asked.reading, () => undefined).catch(() => DEFAULT_ZONE))
  }

  #ask(address: StoreAddress, before: string | null): KnownZone {
    const asked: KnownZone = { askedAt: this.#now(), zone: before, reading: Promise.resolve(DEFAULT_ZONE) }
    asked.reading = this.#read(address)
      .then((zone) => {
        asked.zone = zone
        return zone
      })
      .catch(() => before ?? DEFAULT_ZONE)
    this.#zones.delete(address.storeId)
    this.#zones.set(address.storeId, asked)
    const [oldest] = this.#zones.keys()
    if (this.#zones.size > STORES_MAX && oldest !== undefined) this.#zones.delete(oldest)
    return asked
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
