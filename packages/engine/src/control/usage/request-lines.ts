// The last requests of each key, so that "the sync stopped at three" has somewhere to look. No personal data: neither
// ids nor parameters nor addresses.

import type { Sql } from '../../connection.ts'

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

/** Lines that wait to be written: of each key the last ones, since no others would be kept. */
export class LinesBuffer {
  readonly #lines = new Map<string, RequestLineEntry[]>()
  readonly #sql: Sql
  readonly #keysMax: number

  constructor(sql: Sql, keysMax: number) {
    this.#sql = sql
    this.#keysMax = keysMax
  }

  /** Adds a line; false where lines of too many keys wait. */
  add(line: RequestLineEntry): boolean {
    const known = this.#lines.get(line.keyId)
    if (known === undefined && this.#lines.size >= this.#keysMax) {
      return false
    }
    if (known === undefined) {
      this.#lines.set(line.keyId, [line])
      return true
    }
    known.push(line)
    if (known.length > LINES_PER_KEY_MAX) {
      known.shift()
    }
    return true
  }

  /** Writes the lines of `KEYS_PER_BATCH` keys at a time; those that could not be written wait on. */
  async flush(): Promise<void> {
    while (this.#lines.size > 0) {
      const batch = [...this.#lines].slice(0, KEYS_PER_BATCH)
      for (const [keyId] of batch) {
        this.#lines.delete(keyId)
      }
      try {
        await insert(
          this.#sql,
          batch.flatMap(([, lines]) => lines),
        )
      } catch (error) {
        for (const [keyId, lines] of batch) {
          const newer = this.#lines.get(keyId) ?? []
          this.#lines.set(keyId, [...lines, ...newer].slice(-LINES_PER_KEY_MAX))
        }
        throw error
      }
    }
  }
}

const KEYS_PER_BATCH = 100

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
