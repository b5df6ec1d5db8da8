// Writes a copy to a DuckDB file with exact decimals, timestamps, UUIDs and JSON. Each page is one transaction, so a
// killed run leaves only complete pages. DuckDB locks the file against all other processes while a run has it open.

import { existsSync } from 'node:fs'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { ChildTable, CopyColumn, CopyTable } from '../../tables.ts'
import type { Copy, CopyRow, CopyState, PageWrite, RowSelection, StoredRow, WalkEnd } from '../copy.ts'
import { NEW_COPY } from '../copy.ts'
import { childrenOf, lastRowsById } from '../page-rows.ts'
import { quoteIdentifier } from '../quote-identifier.ts'
import { type FileSignature, requireDatabaseFile } from '../require-database-file.ts'
import { lockFile } from '../sqlite/lock-file.ts'
import { markSeenIds, readRows, readState, readUnseenIds } from './duckdb-reader.ts'
import { createSchema, type OtherColumns } from './duckdb-schema.ts'
import { DuckDbSession } from './duckdb-session.ts'
import { asDuckDbStores, idsQuery, pageQuery, rowsAsJson, storedColumns } from './duckdb-values.ts'
import { deleteWalk, markWalkSeen, needsMarks, removeUnseen, saveWalk } from './duckdb-walks.ts'
import { type DuckDb, loadDuckDb } from './load-duckdb.ts'
import { translateDuckDbError } from './translate-duckdb-error.ts'

/** A DuckDB file begins with a checksum of 8 bytes, and then has these bytes. */
const DUCKDB_FILE: FileSignature = { format: 'DuckDB', bytes: 'DUCK', offset: 8, canBeEmpty: false }

/** The open file, and its columns outside of the contract. */
interface OpenFile {
  readonly session: DuckDbSession
  readonly otherColumns: OtherColumns
}

/** A copy in a DuckDB file. `open` creates a missing file and its folder. */
export class DuckDbCopy implements Copy {
  readonly name: string
  readonly #file: string
  readonly #load: () => Promise<DuckDb>
  /** Results of `needsMarks` by table, because the first page of a walk changes the result. */
  readonly #marksByTable = new Map<string, boolean>()
  /**
   * Keeps another `DuckDbCopy` of this process from opening the file. DuckDB's own lock excludes only other processes.
   */
  #lock: DatabaseSync | null = null
  #open: OpenFile | null = null

  constructor(file: string, load: () => Promise<DuckDb> = loadDuckDb) {
    // The path is absolute, because DuckDB creates no file for the name `:memory:`.
    this.#file = path.resolve(file)
    this.name = file
    this.#load = load
  }

  async peek(): Promise<CopyState | null> {
    if (!existsSync(this.#file)) return null
    const session = await DuckDbSession.openForReading(await this.#load(), this.#file, this.name)
    try {
      return await readState(session)
    } finally {
      session.close()
    }
  }

  async open(tables: readonly CopyTable[]): Promise<CopyState> {
    const engine = await this.#load()
    requireDatabaseFile(this.#file, this.name, DUCKDB_FILE)
    this.#lock = this.#lockFile()
    let session: DuckDbSession | null = null
    try {
      const opened = await DuckDbSession.open(engine, this.#file, this.name)
      session = opened
      const otherColumns = await opened.transaction(() => createSchema(opened, this.name, tables))
      this.#open = { session, otherColumns }
      return (await readState(session)) ?? NEW_COPY
    } catch (error) {
      // `close` closes only the session in `#open`.
      if (this.#open === null) session?.close()
      await this.close()
      throw error
    }
  }

  async claim(storeId: string): Promise<void> {
    const { session } = this.#opened()
    await session.transaction(async () => {
      await session.run('delete from _sync_copy')
      await session.run('insert into _sync_copy (store_id) values ($1)', [storeId])
    })
  }

  async write({ table, rows, isFull, isFirst = false, unfinished = null, seenIds = [] }: PageWrite): Promise<void> {
    const { session } = this.#opened()
    const parents = lastRowsById(rows)
    await session.transaction(async () => {
      if (isFirst) await this.#deleteWalk(table.name)
      const marks = isFull && (await this.#needsMarks(table))
      if (parents.length > 0) await this.#writeRows(table, parents)
      const seen = [...seenIds, ...parents.map((row) => String(row.id))]
      if (marks && seen.length > 0) await markWalkSeen(session, table.name, seen)
      if (unfinished !== null) await saveWalk(session, table.name, unfinished, isFull ? marks : null)
    })
  }

  async end({ table, state, isFull }: WalkEnd): Promise<number> {
    const { session } = this.#opened()
    return session.transaction(async () => {
      const removed = isFull && (await this.#needsMarks(table)) ? await removeUnseen(session, table) : 0
      await this.#deleteWalk(table.name)
      await session.run('delete from _sync_tables where table_name = $1', [table.name])
      const { since, fullAt, startsAt, storeFields, rereadAt } = state
      await session.run(
        `insert into _sync_tables (table_name, since, whole_at, starts_at, store_fields, reread_at)
        values ($1, $2, $3, $4, $5, $6)`,
        [table.name, since, fullAt, startsAt, storeFields, rereadAt],
      )
      return removed
    })
  }

  async count(table: string): Promise<number> {
    const { rows } = await this.#opened().session.run(`select count(*) as rows from ${quoteIdentifier(table)}`)
    return Number(rows[0]?.rows)
  }

  async read(selection: RowSelection): Promise<StoredRow[]> {
    return readRows(this.#opened().session, selection)
  }

  asStored(column: CopyColumn, value: unknown): unknown {
    return asDuckDbStores(column, value)
  }

  async markSeen(table: string, ids: readonly string[]): Promise<void> {
    await markSeenIds(this.#opened().session, table, ids)
  }

  async unseenIds(table: string, after: string | null, limit: number): Promise<string[]> {
    return readUnseenIds(this.#opened().session, table, after, limit)
  }

  async changedFiles(): Promise<string[]> {
    return []
  }

  async finish(): Promise<void> {}

  async close(): Promise<void> {
    const [open, lock] = [this.#open, this.#lock]
    this.#open = null
    this.#lock = null
    this.#marksByTable.clear()
    open?.session.close()
    lock?.close()
  }

  #lockFile(): DatabaseSync {
    try {
      return lockFile(this.#file, this.name)
    } catch (error) {
      throw translateDuckDbError(error, this.name)
    }
  }

  async #writeRows(table: CopyTable, parents: readonly CopyRow[]): Promise<void> {
    const ids = idsOf(parents)
    await this.#replaceRows(table, parents, { where: `id in (${idsQuery(1)})`, values: [ids] })
    for (const child of table.children) {
      const children = childrenOf(parents, child)
      // The second condition finds an embedded row that has moved here from another parent.
      const where = `${quoteIdentifier(child.parentColumn)} in (${idsQuery(1)}) or id in (${idsQuery(2)})`
      await this.#replaceRows(child, children, { where, values: [ids, idsOf(children)] })
    }
  }

  /**
   * Deletes the rows that `where` selects, and inserts `rows`. Columns outside of the contract retain their values in a
   * row whose ID is in both. `values` are those of `where`.
   */
  async #replaceRows(
    { name, columns }: CopyTable | ChildTable,
    rows: readonly CopyRow[],
    { where, values }: { readonly where: string; readonly values: readonly string[] },
  ): Promise<void> {
    const { session, otherColumns } = this.#opened()
    const at = quoteIdentifier(name)
    const others = (otherColumns.get(name) ?? []).map(quoteIdentifier)
    const retained = others.length > 0
    if (retained)
      await session.run(
        `create or replace temp table _sync_retained as select id, ${others.join(', ')} from ${at} where ${where}`,
        values,
      )
    await session.run(`delete from ${at} where ${where}`, values)
    if (rows.length === 0) return
    const own = columns.flatMap(storedColumns).map((column) => quoteIdentifier(column.name))
    await session.run(
      `insert into ${at} (${[...own, ...others].join(', ')})
      select ${[...own.map((column) => `page.${column}`), ...others].join(', ')} from (${pageQuery(columns)}) as page
      ${retained ? 'left join temp._sync_retained as retained on retained.id = page.id' : ''}`,
      [rowsAsJson(this.name, columns, rows)],
    )
  }

  async #deleteWalk(table: string): Promise<void> {
    this.#marksByTable.delete(table)
    await deleteWalk(this.#opened().session, table)
  }

  async #needsMarks(table: CopyTable): Promise<boolean> {
    const known = this.#marksByTable.get(table.name)
    if (known !== undefined) return known
    const marks = await needsMarks(this.#opened().session, table)
    this.#marksByTable.set(table.name, marks)
    return marks
  }

  #opened(): OpenFile {
    if (this.#open === null) throw new Error(`${this.name} is not open`)
    return this.#open
  }
}

function idsOf(rows: readonly CopyRow[]): string {
  return JSON.stringify(rows.map((row) => String(row.id)))
}
