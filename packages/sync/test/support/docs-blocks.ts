// The SQL of docs/sync/guides: found in the pages, and run as it stands there.

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { DuckDBConnection } from '@duckdb/node-api'
import type postgres from 'postgres'
import type { AnswerRow } from './docs-answers.ts'

/** A fenced block: ```sql sqlite revenue. */
export interface Block {
  readonly page: string
  readonly engine: string
  readonly name: string
  readonly text: string
}

const PAGES = path.join(import.meta.dirname, '../../../../docs/sync/guides')

/** Every block of SQL in the pages; throws for one that has no engine and name, since nothing would run it. */
export function docsBlocks(): Block[] {
  return readdirSync(PAGES).flatMap((file) => {
    const page = path.parse(file).name
    const text = readFileSync(path.join(PAGES, file), 'utf8')
    const blocks = [...text.matchAll(/^( *)```sql(.*)\n([\s\S]*?)^\1```$/gm)]
    return blocks.map(([, , words = '', statement = '']) => {
      const [, engine, name] = /^ (sqlite|postgres|duckdb) ([a-z-]+)$/.exec(words) ?? []
      if (engine === undefined || name === undefined)
        throw new Error(`${file}: no engine and name in \`\`\`sql${words}`)
      return { page, engine, name, text: statement.trim() }
    })
  })
}

/** Runs a block's text; values for its places in their order. */
export type RunText = (text: string, values?: readonly string[]) => Promise<AnswerRow[]>

/** Runs texts in a SQLite file. Columns of cents become amounts, so that one answer holds for all. */
export function inSqlite(database: DatabaseSync): RunText {
  return async (text, values = []) => {
    const isSeveral = /;\s*\S/.test(text)
    if (isSeveral) {
      database.exec(text)
      return []
    }
    const rows = database.prepare(text).all(...(values as SQLInputValue[]))
    return rows.map((row) =>
      Object.entries(row).map(([name, value]) => normal(name.endsWith('_cents') ? Number(value) / 100 : value)),
    )
  }
}

/** Runs texts in a PostgreSQL database. */
export function inPostgres(sql: postgres.Sql): RunText {
  return async (text, values = []) => {
    const rows = await sql.unsafe(text, [...values]).raw()
    return rows.map((row: unknown) => (Array.isArray(row) ? row : []).map(normal))
  }
}

/** Runs texts in DuckDB. */
export function inDuckDb(connection: DuckDBConnection): RunText {
  return async (text) => {
    const answer = await connection.runAndReadAll(text)
    return answer.getRows().map((row) => row.map(normal))
  }
}

/**
 * Cells as they are compared: 12.50, 12.5 and the number are one and the same, and so are the
 * ways to write JSON and instants.
 */
export function normal(value: unknown): string | null {
  if (value === null || value === undefined) return null
  const text = Buffer.isBuffer(value) ? value.toString() : String(value)
  if (/^[{[]/.test(text)) return JSON.stringify(JSON.parse(text))
  if (/^\d{4}-\d\d-\d\d[ T]\d\d:/.test(text)) return new Date(text).toISOString()
  return /^-?\d+\.\d+$/.test(text) ? text.replace(/\.?0+$/, '') : text
}
