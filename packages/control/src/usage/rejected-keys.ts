// Collects requests that were rejected with 401, and turns them into lines of the request log. Only requests with a key
// that exists get a line. Such a key is revoked, turned off, or ended, or the client's address is not in its allow
// list.

import { type Pool, sql } from '@store-export/postgres'
import type { HashedKey } from '../access/api-key.ts'
import type { RequestLogEntry } from './request-log.ts'

/** A request with a well-formed key that was rejected with 401. */
export interface RejectedRequest {
  readonly keyHash: HashedKey
  /** The endpoint's path as the contract writes it, or `unknown` for any other path. */
  readonly endpoint: string
  readonly requestId: string
  readonly durationMs: number
}

/**
 * Maximum number of entries in memory, each for a key, a minute, and an endpoint. Any client can send well-formed keys
 * that don't exist, so memory needs a limit.
 */
const ENTRIES_MAX = 2000
const MINUTE_MS = 60_000

type Entry = Omit<RequestLogEntry, 'keyId' | 'reason'> & { readonly keyHash: string }

/** Buffers rejected requests until `take` looks up their keys. */
export class RejectedKeys {
  #entries = new Map<string, Entry>()
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /**
   * Adds a request. Drops it if it needs a new entry and there are `ENTRIES_MAX` entries. `at` is in milliseconds since
   * 1970.
   */
  add({ keyHash, endpoint, requestId, durationMs }: RejectedRequest, at: number): void {
    const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS
    const hash = keyHash.bytes.toString('hex')
    const id = `${hash} ${minute} ${endpoint}`
    const known = this.#entries.get(id)
    if (known === undefined && this.#entries.size >= ENTRIES_MAX) return
    this.#entries.set(id, {
      ...{ keyHash: hash, minute, endpoint, status: 401, code: 'INVALID_API_KEY', rows: 0 },
      requests: (known?.requests ?? 0) + 1,
      durationMs: Math.max(known?.durationMs ?? 0, Math.round(durationMs)),
      lastAt: at,
      lastRequestId: requestId,
    })
  }

  /**
   * Removes the requests, and returns the lines for those with a key that exists. The reason of a line follows from the
   * present state of the key, which can have changed since the request. Rejects like `Pool.query`; the removed requests
   * are then lost.
   */
  async take(): Promise<RequestLogEntry[]> {
    const entries = [...this.#entries.values()]
    this.#entries = new Map()
    if (entries.length === 0) return []
    const hashes = [...new Set(entries.map(({ keyHash }) => keyHash))]
    // An ended key is later marked as revoked, with the time of its end. The reason is still that it has ended.
    const keys = await this.#pool.query<{ hash: string; id: string; reason: string }>(sql`
      select h.hash, k.id, case
          when least(k.expires_at, k.retires_at) <= least(k.revoked_at, clock_timestamp()) then 'this key has ended'
          when k.revoked_at is not null then 'this key is revoked'
          when k.turned_off_at is not null then 'this key is turned off'
          else 'this key does not work from this network address'
        end as reason
      from unnest(${hashes}::text[]) as h (hash) join api_keys k on k.key_hash = decode(h.hash, 'hex')`)
    return entries.flatMap(({ keyHash, ...entry }) =>
      keys.filter(({ hash }) => hash === keyHash).map(({ id, reason }) => ({ keyId: id, reason, ...entry })),
    )
  }
}
