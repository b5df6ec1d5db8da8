// Simulates platforms whose stores lack the recommended indexes.

import type { Sql } from 'postgres'

/** Drops the indexes of the table, except unique indexes and those whose first column is `created_at`. */
export async function dropFilterIndexes(sql: Sql, table: string): Promise<void> {
  const found = await sql.unsafe<{ name: string }[]>(`select indexrelid::regclass::text as name from pg_index
    where indrelid = 'public.${table}'::regclass and not indisunique
      and pg_get_indexdef(indexrelid, 1, true) <> 'created_at'`)
  for (const { name } of found) await sql.unsafe(`drop index ${name}`)
}
