// Walks of lists: which were begun, how far they came, and whether they reached the end. A cursor names a place and no
// walk; a page therefore counts for the latest walk that this key has begun of
// the same list with the same filters.

import { type Pool, sql } from '@store-export/postgres'

/** How a page is part of a walk. */
export interface WalkStep {
  /** Whether it is the first page. */
  readonly begins: boolean
  /** Whether there is no page after it. */
  readonly ends: boolean
  /** Filters of the list as in a query, with the values that were accepted; empty without any. */
  readonly filters: string
}

/** A page of a walk. */
export interface WalkPage extends WalkStep {
  readonly keyId: string
  readonly endpoint: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** 1, or 0 for a page that could not be answered. */
  readonly pages: number
  readonly rows: number
}

/** Consecutive pages of one walk that wait to be written. */
interface Segment {
  readonly keyId: string
  readonly endpoint: string
  readonly filters: string
  readonly hasFirst: boolean
  /** Whether it may be written at once: its first page is in it, or was taken by this process. */
  readonly isReady: boolean
  readonly begunAt: number
  lastAt: number
  requests: number
  pages: number
  rows: number
  ended: boolean
}

/** What a buffer needs. */
export interface WalksBufferOptions {
  readonly pool: Pool
  /** Segments at most; what comes when it is full is dropped. */
  readonly segmentsMax: number
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** How long later pages wait for the first one, which another node may be about to write. */
const HOLD_MS = 10_000
const BATCH_SIZE = 1000
/** How many walks of a key are kept. */
export const WALKS_PER_KEY_MAX = 50

/** Pages that wait to be written. */
export class WalksBuffer {
  #segments: Segment[] = []
  /** The segment that takes the next page of its list. */
  readonly #latest = new Map<string, Segment>()
  /** Lists of which this process has taken the first page of a walk that has not ended. */
  readonly #begunHere = new Set<string>()
  readonly #options: WalksBufferOptions

  constructor(options: WalksBufferOptions) {
    this.#options = options
  }

  /** Takes a page. */
  add(page: WalkPage): void {
    const { keyId, endpoint, filters, begins, ends, at, pages, rows } = page
    const list = listOf(page)
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
    const place = { keyId, endpoint, filters, hasFirst: begins, isReady, begunAt: at }
    const segment = { ...place, lastAt: at, requests: 1, pages, rows, ended: ends }
    this.#segments.push(segment)
    this.#latest.set(list, segment)
  }

  /** Writes what may be written: all of it where this is the last time. What could not be written waits on. */
  async flush(isLast: boolean): Promise<void> {
    const heldSince = this.#options.now() - HOLD_MS
    const isDue = ({ isReady, begunAt }: Segment) => isLast || isReady || begunAt <= heldSince
    const due = this.#segments.filter(isDue)
    this.#segments = this.#segments.filter((segment) => !isDue(segment))
    for (const segment of due) {
      if (this.#latest.get(listOf(segment)) === segment) this.#latest.delete(listOf(segment))
    }
    try {
      while (due.length > 0) {
        await write(this.#options.pool, due.slice(0, BATCH_SIZE))
        due.splice(0, BATCH_SIZE)
      }
    } catch (error) {
      this.#segments = [...due, ...this.#segments].slice(0, this.#options.segmentsMax)
      throw error
    }
  }
}

function listOf({ keyId, endpoint, filters }: Pick<Segment, 'keyId' | 'endpoint' | 'filters'>): string {
  return `${keyId} ${endpoint} ${filters}`
}

/**
 * First pages make walks; later ones go to the latest walk before them, where it is still open. A tool that asks for the
 * first page again and again walks nothing: its last first page takes the place of the one before.
 */
async function write(pool: Pool, segments: readonly Segment[]): Promise<void> {
  const written = JSON.stringify(segments)
  await pool.execute(sql`
    insert into walks (key_id, endpoint, filters, begun_at, last_at, requests, pages, rows, ended)
    select n."keyId", n.endpoint, n.filters, to_timestamp(n."begunAt" / 1000), to_timestamp(n."lastAt" / 1000),
      n.requests, n.pages, n.rows, n.ended
    from jsonb_to_recordset(${written}::jsonb) ${SHAPE}
    join api_keys k on k.id = n."keyId" join stores s on s.id = k.store_id and s.removed_at is null
    where n."hasFirst"
    on conflict do nothing`)
  await pool.execute(sql`
    update walks w set last_at = greatest(w.last_at, to_timestamp(n."lastAt" / 1000)),
      requests = w.requests + n.requests, pages = w.pages + n.pages, rows = w.rows + n.rows, ended = n.ended
    from jsonb_to_recordset(${written}::jsonb) ${SHAPE}
    where not n."hasFirst" and w.key_id = n."keyId" and w.endpoint = n.endpoint and w.filters = n.filters
      and not w.ended and w.begun_at = (
        select max(l.begun_at) from walks l
        where l.key_id = n."keyId" and l.endpoint = n.endpoint and l.filters = n.filters
          and l.begun_at <= to_timestamp(n."begunAt" / 1000))`)
  const keyIds = [...new Set(segments.map(({ keyId }) => keyId))]
  await pool.execute(sql`
    delete from walks where ctid = any (array(
      select r.ctid from unnest(${keyIds}::uuid[]) as k, lateral (
        select w.ctid, w.last_at,
          row_number() over (order by w.last_at desc) > ${WALKS_PER_KEY_MAX}::int
            or (w.requests = 1 and exists (
              select from walks l where l.key_id = w.key_id and l.endpoint = w.endpoint and l.filters = w.filters
                and l.begun_at > w.begun_at)) as is_over
        from walks w where w.key_id = k
      ) r where r.is_over))`)
}

const SHAPE = sql`as n ("keyId" uuid, endpoint text, filters text, "hasFirst" boolean, "begunAt" double precision,
  "lastAt" double precision, requests integer, pages integer, rows bigint, ended boolean)`
