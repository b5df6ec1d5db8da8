// Finds where the pages of a list start, both as the service's cursors and as positions for COPY.

import { LIMITS, type Resource } from '@store-export/contract'
import type { Sql } from 'postgres'
import { type ApiClient, pagePath } from './api-client.ts'
import { FIRST_KEY, type RowKey } from './copy-statements.ts'

/** Start of a page of 250 rows. The cursor is null for the first page. */
export interface PageStart {
  readonly cursor: string | null
  readonly key: RowKey
}

/** Reads a whole list, and returns the starts of all pages. The rows must not change meanwhile. */
export async function walkList(list: string, { table }: Resource, { client, sql }: { client: ApiClient; sql: Sql }) {
  const size = LIMITS.pageRowsMax
  const keys: readonly RowKey[] = await sql.unsafe<RowKey[]>(
    `select created_at::text as "createdAt", id::text as id
     from (select created_at, id, row_number() over (order by created_at, id) as n from ${table}) numbered
     where n % ${size} = 0 order by n`,
  )
  const starts: PageStart[] = [{ cursor: null, key: FIRST_KEY }]
  for (const key of keys) {
    const { nextCursor } = await client.get(pagePath(list, size, starts.at(-1)?.cursor ?? null))
    if (nextCursor === null) break
    starts.push({ cursor: nextCursor, key })
  }
  return starts
}

/**
 * Returns `count` starts that are spread evenly over the list. Each round shifts them by a fraction of the distance
 * between two of them. In a short list, this is less than a page, so several rounds have the same starts. With fewer
 * than `count` starts, some occur several times.
 */
export function spread<Start>(starts: readonly Start[], count: number, round: { index: number; count: number }) {
  const step = starts.length / count
  const first = (round.index / round.count) * step
  return Array.from({ length: count }, (_, i) => starts[Math.floor(first + i * step)]).filter(
    (start) => start !== undefined,
  )
}
