// Reads what keys did, for the dashboard. Sums come by hour; which day an hour belongs to is decided where the store's
// time zone is known.

import type { ControlDatabase } from '../database.ts'
import { LINES_PER_KEY_MAX, type RequestLineEntry } from './request-lines.ts'
import { WALKS_PER_KEY_MAX } from './walks.ts'

/** Requests of one key in one hour. */
export interface UsageHour {
  readonly keyId: string
  readonly hour: Date
  readonly answered: number
  /** Requests with an error that the client has to fix. */
  readonly clientErrors: number
  readonly refused: number
  readonly failed: number
  /** Requests in the fullest minute of the hour. */
  readonly peakMinute: number
}

/** One request of a key. */
export type RequestLine = Omit<RequestLineEntry, 'keyId' | 'at'> & { readonly at: Date }

/** A walk of one list. */
export interface Walk {
  readonly endpoint: string
  /** Filters of the list as in a query, `updated_since=2026-07-01T00:00:00Z`; empty without any. */
  readonly filters: string
  readonly begunAt: Date
  readonly lastAt: Date
  readonly pages: number
  readonly rows: number
  /** Whether the last page was answered. */
  readonly ended: boolean
}

/** Hours of all keys of a store since an instant, oldest first. */
export async function readUsageHours(options: {
  readonly database: ControlDatabase
  readonly storeId: string
  readonly since: Date
}): Promise<UsageHour[]> {
  return options.database.sql<UsageHour[]>`
    select h.key_id as "keyId", h.hour, h.answered::float8 as answered,
      h.client_errors::float8 as "clientErrors", h.refused::float8 as refused,
      h.failed::float8 as failed, h.peak_minute as "peakMinute"
    from usage_hours h join api_keys k on k.id = h.key_id
    where k.store_id = ${options.storeId} and h.hour >= ${options.since.toISOString()}::text::timestamptz
    order by h.hour, h.key_id`
}

/** The last requests of a key, newest first, at most 100. */
export async function readRequestLines(database: ControlDatabase, keyId: string): Promise<RequestLine[]> {
  return database.sql<RequestLine[]>`
    select at, endpoint, status, code, rows, duration_ms as "durationMs" from request_lines
    where key_id = ${keyId} order by at desc limit ${LINES_PER_KEY_MAX}`
}

/**
 * The walks of a key, newest first, at most 50. Those of which a second page was asked for: a first page alone may be all
 * that a tool wants.
 */
export async function readWalks(database: ControlDatabase, keyId: string): Promise<Walk[]> {
  return database.sql<Walk[]>`
    select endpoint, filters, begun_at as "begunAt", last_at as "lastAt", pages, rows::float8 as rows, ended from walks
    where key_id = ${keyId} and requests > 1 order by last_at desc limit ${WALKS_PER_KEY_MAX}`
}
