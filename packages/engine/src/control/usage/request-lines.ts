// The last requests of each key, so that "the sync stopped at three" has somewhere to look. No personal data: neither
// ids nor parameters nor addresses.

import type { Sql } from '../../connection.ts'
import { MergingBuffer } from './merging-buffer.ts'

/** How many requests of a key are kept. */
export const LINES_PER_KEY_MAX = 100

/** One request. */
export interface RequestLineEntry {
  readonly keyId: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** As the contract writes it; 'unknown' for any other path. */
  readonly endpoint: string
  readonly status: number
  /** Error code; null where there is none. */
  readonly code: string | null
  readonly rows: number
  readonly durationMs: number
}

/** The last lines of one key that wait to be written, oldest first. */
export interface KeyLines {
  readonly lines: RequestLineEntry[]
}

const KEYS_PER_BATCH = 100

/** A buffer of such lines, by key: no more of one key wait than would be kept. */
export function linesBuffer(sql: Sql, keysMax: number): MergingBuffer<KeyLines> {
  const write = (batch: readonly KeyLines[]) =>
    insert(
      sql,
      batch.flatMap(({ lines }) => lines),
    )
  return new MergingBuffer({ entriesMax: keysMax, batchSize: KEYS_PER_BATCH, merge, write })
}

function merge(into: KeyLines, from: KeyLines): void {
  const last = into.lines.at(-1)?.at ?? 0
  const isNext = from.lines.every(({ at }) => at >= last)
  into.lines.push(...from.lines)
  // what could not be written comes back behind what came after it
  if (!isNext) into.lines.sort((one, other) => one.at - other.at)
  if (into.lines.length > LINES_PER_KEY_MAX) into.lines.splice(0, into.lines.length - LINES_PER_KEY_MAX)
}

/** Inserts, and deletes those older ones that are too many; what another node deletes just now is left to it. */
async function insert(sql: Sql, lines: readonly RequestLineEntry[]): Promise<void> {
  await sql`
    with lines as materialized (
      select l."keyId" as key_id, to_timestamp(l.at / 1000) as at, l.endpoint, l.status, l.code, l.rows,
        l."durationMs" as duration_ms
      from jsonb_to_recordset(${JSON.stringify(lines)}::text::jsonb)
        as l ("keyId" uuid, at double precision, endpoint text, status smallint, code text, rows integer,
          "durationMs" integer)
      join api_keys k on k.id = l."keyId" join stores s on s.id = k.store_id and s.removed_at is null
    ), inserted as (
      insert into request_lines (key_id, at, endpoint, status, code, rows, duration_ms) select * from lines
    )
    delete from request_lines where ctid = any (array(
      select r.ctid from (select distinct key_id from lines) k, lateral (
        select ctid from request_lines where key_id = k.key_id order by at desc offset ${LINES_PER_KEY_MAX}::int
      ) r))`
}
