// Finds the SQL blocks in docs/sync/guides and runs them unchanged.

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { DuckDBConnection } from '@duckdb/node-api'
import type postgres from 'postgres'
import type { ResultRow } from './docs-expected-rows.ts'

/** A fenced block that starts with a line such as ```sql sqlite revenue. */
export interface Block {
  readonly page: string
  readonly engine: string
  readonly name: string
  readonly text: string
}

const PAGES = path.join(import.meta.dirname, '../../../../docs/sync/guides')

/** Returns all SQL blocks. Throws if a block has no engine and name, because no test would run it. */
export function docsBlocks(): Block[] {
  return readdirSync(PAGES).flatMap((file) => {
    const page = path.parse(file).name
    const text = readFileSync(path.join(PAGES, file), 'utf8')
    const blocks = [...text.matchAll(/^( *)```sql(.*)\n([\s\S]*?)^\1```$/gm)]
    return blocks.map(([, , info = '', statement = '']) => {
      const [, engine, name] = /^ (sqlite|postgres|duckdb) ([a-z-]+)$/.exec(info) ?? []
      if (engine === undefined || name === undefined) throw new Error(`${file}: no engine and name in \`\`\`sql${info}`)
      return { page, engine, name, text: statement.trim() }
    })
  })
}

/** Values of numbered parameters (`?1`, `$1`), or of the variables of `sqlite3` (`:name`) and `psql` (`:'name'`). */
export type BlockValues = readonly string[] | Readonly<Record<string, string>>

/** Runs the text of a block with parameters. */
export type RunText = (text: string, values?: BlockValues) => Promise<ResultRow[]>

/** Runs blocks in a SQLite file. Converts columns of cents to amounts, so that all engines return the same rows. */
export function inSqlite(database: DatabaseSync): RunText {
  return async (text, values = []) => {
    const isSeveral = /;\s*\S/.test(text)
    if (isSeveral) {
      database.exec(text)
      return []
    }
    const statement = database.prepare(text)
    const rows = isList(values) ? statement.all(...values) : statement.all(values)
    return rows.map((row) =>
      Object.entries(row).map(([name, value]) => normal(name.endsWith('_cents') ? Number(value) / 100 : value)),
    )
  }
}

/** Runs blocks in PostgreSQL. Replaces the variables of `psql` in the text. */
export function inPostgres(sql: postgres.Sql): RunText {
  return async (text, values = []) => {
    const isNamed = !isList(values)
    const rows = await sql.unsafe(isNamed ? withVariables(text, values) : text, isNamed ? [] : [...values]).raw()
    return rows.map((row: unknown) => (Array.isArray(row) ? row : []).map(normal))
  }
}

function isList(values: BlockValues): values is readonly string[] {
  return Array.isArray(values)
}

/** Replaces `:'name'` by the quoted value, as `psql` does. Throws if the variable has no value. */
function withVariables(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/:'(\w+)'/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`the variable ${name} has no value`)
    return `'${value.replaceAll("'", "''")}'`
  })
}

/** Runs blocks in DuckDB. Ignores values, because these blocks have no parameters. */
export function inDuckDb(connection: DuckDBConnection): RunText {
  return async (text) => {
    const result = await connection.runAndReadAll(text)
    return result.getRows().map((row) => row.map(normal))
  }
}

/**
 * Returns the text of a value for comparisons: the same for 12.50, 12.5 and the number 12.5, and for different formats
 * of the same JSON or timestamp.
 */
export function normal(value: unknown): string | null {
  if (value === null || value === undefined) return null
  const text = Buffer.isBuffer(value) ? value.toString() : String(value)
  if (/^[{[]/.test(text)) return JSON.stringify(JSON.parse(text))
  if (/^\d{4}-\d\d-\d\d[ T]\d\d:/.test(text)) return new Date(text).toISOString()
  return /^-?\d+\.\d+$/.test(text) ? text.replace(/\.?0+$/, '') : text
}
