// Records the walks of each key. A walk is the reading of one list page by page, from its first page. The record says
// how many pages the key got, and whether it got the last one. A cursor identifies a position, not a walk, so a page
// counts for its key's latest walk of the same list and filters.
//
// Consecutive pages wait as one segment. It is written:
// - At the next flush, if this node recorded the first page of the walk.
// - Otherwise 10 s later, because another node may be about to write the first page. If the list has no open walk then,
//   the segment is dropped.
// - At the last flush, in any case.

import { type Pool, sql } from '@store-export/postgres'
import type { RecordedRequest } from './recorded-request.ts'
import { type Execute, writeBatches } from './write-batches.ts'

/** Consecutive pages of one walk that wait to be written. */
interface Segment {
  readonly keyId: string
  readonly endpoint: string
  readonly filters: string
  readonly hasFirst: boolean
  /** Whether the next flush writes the segment, because this node recorded the first page of its walk. */
  readonly isReady: boolean
  readonly begunAt: number
  lastAt: number
  requests: number
  pages: number
  rows: number
  ended: boolean
}

/** The database, the clock, and the limit of a buffer for walks. */
export interface WalksBufferOptions {
  readonly pool: Pool
  /** Maximum number of waiting segments. Further ones are dropped. */
  readonly segmentsMax: number
  /** The current time, in milliseconds since 1970, like `at` of `add`. */
  readonly now: () => number
}

/** Time in ms for which pages without a first page wait, because another node may be about to write that first page. */
const HOLD_MS = 10_000
/** Maximum number of segments in one statement. */
const BATCH_SIZE = 1000
const OK = 200
/** Maximum number of stored walks for each key. */
export const WALKS_PER_KEY_MAX = 50

/** The pages of walks that wait to be written. */
export class WalksBuffer {
  #segments: Segment[] = []
  /** The segment to which the next page of a list is added. */
  readonly #latest = new Map<string, Segment>()
  /** Up to `segmentsMax` lists whose latest walk has not ended, and whose first page this node recorded. */
  readonly #begunHere = new Set<string>()
  readonly #options: WalksBufferOptions

  constructor(options: WalksBufferOptions) {
    this.#options = options
  }

  /**
   * Adds a request of a walk. Only status 200 counts as a page. Ignores a request that is not part of a walk, and a new
   * segment if `segmentsMax` segments wait. `at` is the time of the request, in milliseconds since 1970.
   */
  add({ keyId, endpoint, status, rows, walk }: RecordedRequest, at: number): void {
    if (walk === null) return
    const { filters, begins, ends } = walk
    const pages = status === OK ? 1 : 0
    const list = listOf({ keyId, endpoint, filters })
    const isReady = begins || this.#begunHere.has(list)
    if (ends) this.#begunHere.delete(list)
    else if (begins && this.#begunHere.size < this.#options.segmentsMax) this.#begunHere.add(list)
    const latest = this.#latest.get(list)
    if (latest !== undefined && !begins && !latest.ended) {
      latest.lastAt = Math.max(latest.lastAt, at)
      latest.requests += 1
      latest.pages += pages
      latest.rows += rows
      latest.ended = ends
      return
    }
    if (this.#segments.length >= this.#options.segmentsMax) return
    const begun = { keyId, endpoint, filters, hasFirst: begins, isReady, begunAt: at }
    const segment = { ...begun, lastAt: at, requests: 1, pages, rows, ended: ends }
    this.#segments.push(segment)
    this.#latest.set(list, segment)
  }

  /**
   * Writes the segments that are due, or all of them if `isLast`, like `writeBatches`. If some can't be written,
   * rejects with the first error. Then they wait for the next flush, up to `segmentsMax` segments, or half as many if a
   * distributed control database has lost a server.
   */
  async flush(isLast: boolean): Promise<void> {
    const heldSince = this.#options.now() - HOLD_MS
    const isDue = ({ isReady, begunAt }: Segment) => isLast || isReady || begunAt <= heldSince
    const due = this.#segments.filter(isDue)
    this.#segments = this.#segments.filter((segment) => !isDue(segment))
    // A page that arrives during the write begins another segment, because this one has a fixed content now.
    for (const segment of due) {
      if (this.#latest.get(listOf(segment)) === segment) this.#latest.delete(listOf(segment))
    }
    const { pool, segmentsMax } = this.#options
    const unwritten = await writeBatches(due, { pool, batchSize: BATCH_SIZE, write })
    const waiting = new Set(unwritten?.entries)
    const waitingMax = unwritten?.hasLostWorker === true ? Math.ceil(segmentsMax / 2) : segmentsMax
    this.#segments = [...[...waiting].slice(0, waitingMax), ...this.#segments].slice(0, segmentsMax)
    // A failed deletion changes no written segment, so it comes last. The next walk of the key repeats it.
    const written = due.filter((segment) => !waiting.has(segment))
    for (let from = 0; from < written.length; from += BATCH_SIZE)
      await prune(pool, written.slice(from, from + BATCH_SIZE))
    if (unwritten !== null) throw unwritten.cause
  }
}

function listOf({ keyId, endpoint, filters }: Pick<Segment, 'keyId' | 'endpoint' | 'filters'>): string {
  return `${keyId} ${endpoint} ${filters}`
}

/**
 * Writes the first pages as new walks; `on conflict` ignores those that an interrupted write has already stored. Adds
 * later pages to the latest earlier walk, if it is still open. For this, the inner query finds the walk of each
 * segment. The outer query sums the segments of a walk, because an update changes a row only once. The list of keys
 * names the shards to Citus, because the statement would otherwise read all servers.
 */
async function write(segments: readonly Segment[], execute: Execute): Promise<void> {
  const written = JSON.stringify(segments)
  const keyIds = keysOf(segments)
  await execute(sql`
    insert into walks (key_id, endpoint, filters, begun_at, last_at, requests, pages, rows, ended)
    select n."keyId", n.endpoint, n.filters, to_timestamp(n."begunAt" / 1000), to_timestamp(n."lastAt" / 1000),
      n.requests, n.pages, n.rows, n.ended
    from jsonb_to_recordset(${written}::jsonb) ${SHAPE}
    join api_keys k on k.id = n."keyId" join stores s on s.id = k.store_id and s.removed_at is null
    where n."hasFirst"
    on conflict do nothing`)
  await execute(sql`
    update walks w set last_at = greatest(w.last_at, to_timestamp(o."lastAt" / 1000)),
      requests = w.requests + o.requests, pages = w.pages + o.pages, rows = w.rows + o.rows, ended = o.ended
    from (
      select key_id, endpoint, filters, begun_at, max("lastAt") as "lastAt", sum(requests) as requests,
        sum(pages) as pages, sum(rows) as rows, bool_or(ended) as ended
      from (
        select l.key_id, l.endpoint, l.filters, max(l.begun_at) as begun_at,
          n."lastAt", n.requests, n.pages, n.rows, n.ended
        from walks l join jsonb_to_recordset(${written}::jsonb) ${SHAPE}
          on l.key_id = n."keyId" and l.endpoint = n.endpoint and l.filters = n.filters
            and l.begun_at <= to_timestamp(n."begunAt" / 1000)
        where not n."hasFirst" and l.key_id = any (${keyIds}::uuid[])
        group by l.key_id, l.endpoint, l.filters, n."begunAt", n."lastAt", n.requests, n.pages, n.rows, n.ended
      ) segments
      group by key_id, endpoint, filters, begun_at
    ) o
    where w.key_id = o.key_id and w.endpoint = o.endpoint and w.filters = o.filters and w.begun_at = o.begun_at
      and not w.ended and w.key_id = any (${keyIds}::uuid[])`)
}

function keysOf(segments: readonly Segment[]): string[] {
  return [...new Set(segments.map(({ keyId }) => keyId))]
}

/**
 * For each key of the segments, deletes all but the `WALKS_PER_KEY_MAX` walks with the latest requests. Also deletes
 * walks of one request if the key has started the same list again. Otherwise, a tool that needs only one page would
 * fill the key's walks.
 */
async function prune(pool: Pool, segments: readonly Segment[]): Promise<void> {
  const keyIds = keysOf(segments)
  await pool.execute(sql`
    delete from walks w using (
      select key_id, endpoint, filters, begun_at,
        row_number() over (partition by key_id order by last_at desc) > ${WALKS_PER_KEY_MAX}::int
          or (requests = 1 and begun_at < max(begun_at) over (partition by key_id, endpoint, filters)) as is_over
      from walks where key_id = any (${keyIds}::uuid[])
    ) o
    where o.is_over and w.key_id = o.key_id and w.endpoint = o.endpoint and w.filters = o.filters
      and w.begun_at = o.begun_at and w.key_id = any (${keyIds}::uuid[])`)
}

const SHAPE = sql`as n ("keyId" uuid, endpoint text, filters text, "hasFirst" boolean, "begunAt" double precision,
  "lastAt" double precision, requests integer, pages integer, rows bigint, ended boolean)`
