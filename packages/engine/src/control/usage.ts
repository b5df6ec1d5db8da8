// Counts what each key does, for the merchant's chart. In memory while requests run, written in batches; a database
// that is away costs statistics after a while, never a request. The limit per minute is access/admission.ts.

import type { Sql } from '../connection.ts'
import type { Observe } from '../observe.ts'
import type { ControlDatabase } from './database.ts'

/** How a request ended: with data (or a client's error), by a limit or a refusal, or by a fault. */
export type UsageOutcome = 'answered' | 'refused' | 'failed'

/** Counts requests and writes them from time to time. */
export interface UsageRecorder {
  /** Counts one request. Returns at once and never throws. */
  record(keyId: string, outcome: UsageOutcome): void
  /** Writes what was counted; resolves when done, also after a failure, which is observed. */
  flush(): Promise<void>
  /** Stops writing by itself and writes what is left. */
  close(): Promise<void>
}

/** What a recorder needs. */
export interface UsageRecorderOptions {
  readonly database: ControlDatabase
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly observe: Observe
  readonly flushMs: number
  /** Pairs of key and hour kept in memory; what comes when it is full is dropped and observed. */
  readonly entriesMax?: number
}

const ENTRIES_MAX = 50_000
const BATCH_SIZE = 5000
const HOUR_MS = 3_600_000

interface Entry {
  readonly keyId: string
  readonly hour: number
  answered: number
  refused: number
  failed: number
  lastUsed: number
}

type Entries = Map<string, Entry>

/** A recorder that writes every `flushMs`; its timer keeps no process alive. */
export function createUsageRecorder(options: UsageRecorderOptions): UsageRecorder {
  const entriesMax = options.entriesMax ?? ENTRIES_MAX
  const entries: Entries = new Map()
  let dropped = 0
  let underWay: Promise<void> = Promise.resolve()

  const record = (keyId: string, outcome: UsageOutcome) => {
    const used = options.now()
    const entry = entryOf(entries, { keyId, hour: Math.floor(used / HOUR_MS) * HOUR_MS, entriesMax })
    if (entry === null) {
      dropped += 1
      return
    }
    entry[outcome] += 1
    entry.lastUsed = Math.max(entry.lastUsed, used)
  }
  const writeAll = async () => {
    const lost = dropped
    dropped = 0
    try {
      while (entries.size > 0) {
        await writeBatch(options.database.sql, entries)
      }
      if (lost > 0) {
        const cause = new Error('more pairs of key and hour than fit in memory')
        options.observe({ event: 'usage flush failed', cause, kept: 0, dropped: lost })
      }
    } catch (cause) {
      options.observe({ event: 'usage flush failed', cause, kept: entries.size, dropped: lost })
    }
  }
  const flush = () => {
    underWay = underWay.then(writeAll)
    return underWay
  }
  const timer = setInterval(() => void flush(), options.flushMs)
  timer.unref()
  const close = () => {
    clearInterval(timer)
    return flush()
  }
  return { record, flush, close }
}

/** Deletes usage older than so many months, counted back from `now` in UTC; returns how many rows. */
export async function deleteOldUsage(options: {
  readonly database: ControlDatabase
  readonly months: number
  readonly now: Date
}): Promise<number> {
  const deleted = await options.database.sql`
    delete from usage_hours
    where hour < (${options.now.toISOString()}::text::timestamptz at time zone 'UTC'
      - make_interval(months => ${options.months}::int)) at time zone 'UTC'`
  return deleted.count
}

function entryOf(
  entries: Entries,
  wanted: { readonly keyId: string; readonly hour: number; readonly entriesMax: number },
): Entry | null {
  const { keyId, hour } = wanted
  const id = `${keyId} ${hour}`
  const known = entries.get(id)
  if (known !== undefined) {
    return known
  }
  if (entries.size >= wanted.entriesMax) {
    return null
  }
  const entry = { keyId, hour, answered: 0, refused: 0, failed: 0, lastUsed: 0 }
  entries.set(id, entry)
  return entry
}

/** Takes a batch out while it is written, so that new requests count apart, and puts it back when that fails. */
async function writeBatch(sql: Sql, entries: Entries): Promise<void> {
  const batch = [...entries].slice(0, BATCH_SIZE)
  for (const [id] of batch) {
    entries.delete(id)
  }
  try {
    await upsert(
      sql,
      batch.map(([, entry]) => entry),
    )
  } catch (error) {
    for (const [id, entry] of batch) {
      putBack(entries, id, entry)
    }
    throw error
  }
}

function putBack(entries: Entries, id: string, entry: Entry): void {
  const newer = entries.get(id)
  if (newer === undefined) {
    entries.set(id, entry)
    return
  }
  newer.answered += entry.answered
  newer.refused += entry.refused
  newer.failed += entry.failed
  newer.lastUsed = Math.max(newer.lastUsed, entry.lastUsed)
}

/** One statement. Rows are locked in the order of their keys, so that two nodes never wait for each other. */
async function upsert(sql: Sql, batch: readonly Entry[]): Promise<void> {
  await sql`
    with used as materialized (
      select u."keyId" as key_id, to_timestamp(u.hour / 1000) as hour, u.answered, u.refused, u.failed,
        to_timestamp(u."lastUsed" / 1000) as last_used
      from jsonb_to_recordset(${JSON.stringify(batch)}::text::jsonb)
        as u ("keyId" uuid, hour double precision, answered bigint, refused bigint, failed bigint,
          "lastUsed" double precision)
    ), locked as materialized (
      select id from api_keys where id in (select key_id from used) order by id for no key update
    ), latest as (
      select key_id, max(last_used) as last_used from used group by key_id
    ), moved as (
      update api_keys k set last_used_at = greatest(k.last_used_at, latest.last_used)
      from latest, locked where k.id = latest.key_id and locked.id = k.id
    )
    insert into usage_hours as h (key_id, hour, answered, refused, failed)
    select key_id, hour, answered, refused, failed from used order by key_id, hour
    on conflict (key_id, hour) do update set
      answered = h.answered + excluded.answered,
      refused = h.refused + excluded.refused,
      failed = h.failed + excluded.failed`
}
