// The request log of each key, so that a merchant can find out later why a sync stopped. Requests of one
// minute with the same endpoint, status and code are one line: a key at the limit writes a line a minute, not 120. It
// holds no personal data: no IDs, parameters, or addresses.

import { type Pool, sql } from '@store-export/postgres'
import { MergingBuffer } from './merging-buffer.ts'

/** The requests of one key in one minute that had the same endpoint, status and code. */
export interface RequestLogEntry {
  readonly keyId: string
  /** Start of the minute, milliseconds since 1970. */
  readonly minute: number
  /** The endpoint's path as the contract writes it; 'unknown' for any other path. */
  readonly endpoint: string
  readonly status: number
  /** Error code; empty without one. */
  readonly code: string
  requests: number
  rows: number
  /** Duration of the slowest request. */
  durationMs: number
  /** Time of the last request, milliseconds since 1970. */
  lastAt: number
}

/** Options of the log. */
export interface RequestLogOptions {
  readonly pool: Pool
  /** Maximum lines in memory. */
  readonly entriesMax: number
  /** Maximum lines per key. */
  readonly linesPerKey: number
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** Lines that wait to be written. */
export class RequestLog {
  readonly #buffer: MergingBuffer<RequestLogEntry>
  readonly #options: RequestLogOptions
  /** Keys whose oldest lines this process has deleted in the current hour. */
  #pruned = { hour: 0, keyIds: new Set<string>() }

  constructor(options: RequestLogOptions) {
    this.#options = options
    const write = (batch: readonly RequestLogEntry[]) => this.#write(batch)
    this.#buffer = new MergingBuffer({ entriesMax: options.entriesMax, merge, write })
  }

  /** Adds one request; drops it if there is no room for another line. */
  add(request: Omit<RequestLogEntry, 'minute' | 'requests' | 'lastAt'> & { readonly at: number }): void {
    const { at, ...line } = request
    const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS
    const id = `${line.keyId} ${minute} ${line.endpoint} ${line.status} ${line.code}`
    this.#buffer.add(id, { ...line, minute, requests: 1, lastAt: at })
  }

  /** Writes all lines. */
  flush(): Promise<void> {
    return this.#buffer.flush()
  }

  async #write(batch: readonly RequestLogEntry[]): Promise<void> {
    const { pool, linesPerKey } = this.#options
    await upsert(pool, batch)
    const keyIds = this.#dueForPruning(batch)
    if (keyIds.length > 0) await prune(pool, keyIds, linesPerKey)
  }

  /** Keys of the batch whose lines were not counted in this hour: once an hour is enough, because an hour adds few lines. */
  #dueForPruning(batch: readonly RequestLogEntry[]): string[] {
    const hour = Math.floor(this.#options.now() / HOUR_MS)
    if (hour !== this.#pruned.hour) this.#pruned = { hour, keyIds: new Set() }
    const { keyIds } = this.#pruned
    const due = new Set(batch.map(({ keyId }) => keyId).filter((keyId) => !keyIds.has(keyId)))
    for (const keyId of due) keyIds.add(keyId)
    return [...due]
  }
}

function merge(into: RequestLogEntry, from: RequestLogEntry): void {
  into.requests += from.requests
  into.rows += from.rows
  into.durationMs = Math.max(into.durationMs, from.durationMs)
  into.lastAt = Math.max(into.lastAt, from.lastAt)
}

/** Lines are written in the order of their key, so that two nodes never wait for each other. */
async function upsert(pool: Pool, batch: readonly RequestLogEntry[]): Promise<void> {
  await pool.execute(sql`
    insert into request_log as l (key_id, minute, endpoint, status, code, requests, rows, duration_ms, last_at)
    select n."keyId", to_timestamp(n.minute / 1000), n.endpoint, n.status, n.code, n.requests, n.rows, n."durationMs",
      to_timestamp(n."lastAt" / 1000)
    from jsonb_to_recordset(${JSON.stringify(batch)}::jsonb)
      as n ("keyId" uuid, minute double precision, endpoint text, status smallint, code text, requests integer,
        rows bigint, "durationMs" integer, "lastAt" double precision)
    join api_keys k on k.id = n."keyId" join stores s on s.id = k.store_id and s.removed_at is null
    order by 1, 2, 3, 4, 5
    on conflict (key_id, minute, endpoint, status, code) do update set
      requests = l.requests + excluded.requests,
      rows = l.rows + excluded.rows,
      duration_ms = greatest(l.duration_ms, excluded.duration_ms),
      last_at = greatest(l.last_at, excluded.last_at)`)
}

/** Deletes the oldest lines beyond `linesPerKey`; skips lines that another node deletes at the same time. */
async function prune(pool: Pool, keyIds: readonly string[], linesPerKey: number): Promise<void> {
  await pool.execute(sql`
    delete from request_log where ctid = any (array(
      select l.ctid from request_log l where l.ctid = any (array(
        select r.ctid from unnest(${keyIds}::uuid[]) as k, lateral (
          select ctid from request_log where key_id = k order by minute desc offset ${linesPerKey}::int
        ) r))
      for update skip locked))`)
}
