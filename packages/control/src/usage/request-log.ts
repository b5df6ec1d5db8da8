// Writes the request log of each key, so that a merchant can find out why a sync stopped. Requests in the same minute
// with the same endpoint, status, code, and reason share one line, so 120 equal requests are one line. A line has no
// personal data: no row IDs, values of parameters, or client addresses. But a client can choose the ID of a request.

import { type Pool, sql } from '@store-export/postgres'
import { MergingBuffer } from './merging-buffer.ts'
import type { RecordedRequest } from './recorded-request.ts'
import type { Execute } from './write-batches.ts'

/** Requests of a key in one minute with the same endpoint, status, code, and reason. */
export interface RequestLogEntry {
  readonly keyId: string
  /** Start of the minute, in milliseconds since 1970. */
  readonly minute: number
  /** The endpoint's path as the contract writes it, or `unknown` for any other path. */
  readonly endpoint: string
  readonly status: number
  /** Error code; empty if there was no error. */
  readonly code: string
  /** What the client has to change; empty if it has to change nothing. */
  readonly reason: string
  requests: number
  rows: number
  /** Duration of the slowest request, in milliseconds. */
  durationMs: number
  /** Time of the last request, in milliseconds since 1970. */
  lastAt: number
  lastRequestId: string
}

/** The database of the request log, and its limits in memory and in the database. */
export interface RequestLogOptions {
  readonly pool: Pool
  /** Maximum number of lines in memory. */
  readonly entriesMax: number
  /** Lines of a key that stay in the database. */
  readonly linesPerKey: number
  /** The current time, in milliseconds since 1970. */
  readonly now: () => number
}

/** Maximum length of a reason. It is in the primary key, and PostgreSQL limits the size of index entries. */
const REASON_CHARACTERS_MAX = 300
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** Returns the line for one request, with at most 300 characters of its reason. `at` is in milliseconds since 1970. */
export function requestLine(request: RecordedRequest, at: number): RequestLogEntry {
  const { keyId, endpoint, status, code, reason, requestId, rows, durationMs } = request
  const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS
  const measured = { requests: 1, rows, durationMs: Math.round(durationMs), lastAt: at, lastRequestId: requestId }
  return {
    keyId,
    minute,
    endpoint,
    status,
    code: code ?? '',
    reason: (reason ?? '').slice(0, REASON_CHARACTERS_MAX),
    ...measured,
  }
}

/**
 * Returns a buffer that writes lines to the request log. Before the first write of a key in each hour, it deletes the
 * oldest lines of the key.
 */
export function requestLogBuffer(options: RequestLogOptions): MergingBuffer<RequestLogEntry> {
  const { pool, entriesMax, linesPerKey, now } = options
  /**
   * Keys whose oldest lines this process has deleted in the current hour. Between two deletions, a key exceeds
   * `linesPerKey` by at most the lines of an hour and of a batch.
   */
  let pruned = { hour: 0, keyIds: new Set<string>() }
  const write = async (batch: readonly RequestLogEntry[], execute: Execute) => {
    const hour = Math.floor(now() / HOUR_MS)
    if (hour !== pruned.hour) pruned = { hour, keyIds: new Set() }
    const due = [...new Set(batch.map(({ keyId }) => keyId))].filter((keyId) => !pruned.keyIds.has(keyId))
    // If a batch fails, it is written again. So the deletion comes first, and no line is counted twice.
    if (due.length > 0) await prune(execute, due, linesPerKey)
    for (const keyId of due) pruned.keyIds.add(keyId)
    await upsert(batch, execute)
  }
  const idOf = ({ keyId, minute, endpoint, status, code, reason }: RequestLogEntry) =>
    `${keyId} ${minute} ${endpoint} ${status} ${code} ${reason}`
  return new MergingBuffer({ pool, entriesMax, idOf, merge, write })
}

function merge(into: RequestLogEntry, from: RequestLogEntry): void {
  into.requests += from.requests
  into.rows += from.rows
  into.durationMs = Math.max(into.durationMs, from.durationMs)
  if (from.lastAt >= into.lastAt) into.lastRequestId = from.lastRequestId
  into.lastAt = Math.max(into.lastAt, from.lastAt)
}

/** Writes lines in the order of their primary key, so that two nodes cannot deadlock. Skips removed stores. */
async function upsert(batch: readonly RequestLogEntry[], execute: Execute): Promise<void> {
  await execute(sql`
    insert into request_log as l (
      key_id, minute, endpoint, status, code, reason, requests, rows, duration_ms, last_at, last_request_id)
    select n."keyId", to_timestamp(n.minute / 1000), n.endpoint, n.status, n.code, n.reason, n.requests, n.rows,
      n."durationMs", to_timestamp(n."lastAt" / 1000), n."lastRequestId"
    from jsonb_to_recordset(${JSON.stringify(batch)}::jsonb)
      as n ("keyId" uuid, minute double precision, endpoint text, status smallint, code text, reason text,
        requests integer, rows bigint, "durationMs" integer, "lastAt" double precision, "lastRequestId" text)
    join api_keys k on k.id = n."keyId" join stores s on s.id = k.store_id and s.removed_at is null
    order by 1, 2, 3, 4, 5, 6
    on conflict (key_id, minute, endpoint, status, code, reason) do update set
      requests = l.requests + excluded.requests,
      rows = l.rows + excluded.rows,
      duration_ms = greatest(l.duration_ms, excluded.duration_ms),
      last_request_id = case when excluded.last_at >= l.last_at then excluded.last_request_id else l.last_request_id end,
      last_at = greatest(l.last_at, excluded.last_at)`)
}

/**
 * Leaves the newest `linesPerKey` lines of each key, and the other lines of the oldest minute among them. Deletes the
 * rest.
 */
async function prune(execute: Execute, keyIds: readonly string[], linesPerKey: number): Promise<void> {
  await execute(sql`
    delete from request_log l using (
      select key_id, minute, row_number() over (partition by key_id order by minute desc) as line
      from request_log where key_id = any (${keyIds}::uuid[])
    ) last
    where last.line = ${linesPerKey}::int and l.key_id = last.key_id and l.minute < last.minute
      and l.key_id = any (${keyIds}::uuid[])`)
}
