import postgres from 'postgres'
import { expect, test } from 'vitest'
import { createDatabase } from './databases.ts'

test('a new test database is empty, and dropping it succeeds while a client is connected', async () => {
  const [first, second] = await Promise.all([createDatabase(), createDatabase()])
  const sql = postgres(first.url, { max: 1, onclose: () => undefined })
  const rows = await sql`select count(*)::int as tables from information_schema.tables where table_schema = 'public'`
  expect(rows).toEqual([{ tables: 0 }])
  expect(first.url).not.toBe(second.url)
  await Promise.all([first.drop(), second.drop()])
  await expect(sql`select 1`).rejects.toThrow()
  await sql.end()
})
