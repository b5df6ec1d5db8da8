// A copy that people open as files. What is true is kept in a SQLite file beside them, so that every promise of a copy
// holds; the files are written from it when a run has come to its end, and only then, and only those that change.

import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { CopyTable } from '../../tables.ts'
import type { CopyState, PageWrite, WalkEnd } from '../copy.ts'
import { SqliteCopy } from '../sqlite/sqlite.ts'
import { FILE_VIEWS } from '../sqlite/sqlite-views.ts'
import { makeFolder, refuseTaken } from './files-place.ts'
import { type FileKnowledge, type FileRecord, FileRecords } from './files-records.ts'
import {
  dropLast,
  isUnchanged,
  looksUnchanged,
  type NewFile,
  recordOf,
  recoverFiles,
  replaceFiles,
} from './files-replace.ts'
import { digestsOf, FILE_NAMES, type FileTable, tablesOf } from './files-tables.ts'

/** Writes tables as files of one kind. */
export interface TableWriter {
  /** The file that holds this table; one file may hold several. */
  fileOf(table: string): string
  /** Name of the options that change the files; empty for the defaults. A run rewrites files of another format. */
  readonly format: string
  /** Files and folders that it needs for a while: a run that was killed may leave them. */
  readonly scratch: readonly string[]
  /** Called before anything else. Throws `CopyProblem` where it could not write later. */
  prepare(): Promise<void>
  /** Writes these tables, all that a file holds, beside the last files; throws and leaves nothing of them. */
  write(tables: Iterable<FileTable>): Promise<readonly NewFile[]>
}

/** Where a copy of files is. */
export interface FileCopyPlace {
  /** The folder or the file, as messages call it. */
  readonly name: string
  /** The SQLite file beside it. */
  readonly database: string
  readonly writer: TableWriter
}

/** A copy whose files are written by `place.writer`. */
export class FileCopy extends SqliteCopy {
  readonly #database: string
  readonly #writer: TableWriter
  readonly #records: FileRecords
  readonly #files: readonly string[]
  /** Tables that were written since the files; null as long as none was. */
  #touched: Set<string> | null = null

  constructor({ name, database, writer }: FileCopyPlace) {
    super(database, name, FILE_VIEWS)
    this.#database = database
    this.#writer = writer
    this.#records = new FileRecords(database)
    this.#files = [...new Set(FILE_NAMES.map((table) => writer.fileOf(table)))]
  }

  override async open(tables: readonly CopyTable[]): Promise<CopyState> {
    await this.#writer.prepare()
    if (!existsSync(this.#database)) await refuseTaken(this.#files)
    await makeFolder(path.dirname(this.#database))
    const state = await super.open(tables)
    try {
      this.#records.prepare()
      const { files } = this.#records.read()
      // a copy of a store may have files without records: a run was killed while it put the first in their place
      if (state.storeId === null && state.tables.size === 0 && files.size === 0) await refuseTaken(this.#files)
      await recoverFiles(this.#files, (file) => files.has(path.basename(file)))
      for (const each of this.#writer.scratch) await rm(each, { recursive: true, force: true })
      return state
    } catch (error) {
      await this.close()
      throw error
    }
  }

  override write(page: PageWrite): Promise<void> {
    if (page.rows.length > 0) this.#touch(page.table)
    return super.write(page)
  }

  override end(walk: WalkEnd): Promise<number> {
    if (walk.isWhole) this.#touch(walk.table)
    return super.end(walk)
  }

  /** Writes the files that are not as the tables are, all of them or none, from one moment of the SQLite file. */
  override async finish(): Promise<void> {
    await super.finish()
    using database = new DatabaseSync(this.#database, { readOnly: true })
    database.exec('begin')
    const known = this.#records.read()
    // while rows are written the records call every table touched: for a run that is killed
    const touched = this.#touched ?? known.touched
    const digests = digestsOf(database, known.digests, (table) => touched.has(table))
    const { format } = this.#writer
    const isSame = async (file: string, record: FileRecord) =>
      record.format === format && (await looksUnchanged(file, record))
    const stale = await this.#staleFiles(known, digests, isSame)
    if (stale.size > 0) {
      const names = FILE_NAMES.filter((table) => digests.has(table) && stale.has(this.#writer.fileOf(table)))
      await this.#replace(await this.#writer.write(tablesOf(database, names)), digests)
    } else if (this.#touched !== null || known.touched.size > 0) this.#records.remember([], digests)
    this.#touched = null
  }

  /** Names of files that are missing, that are not as the tables are, or whose bytes are not those that a run wrote. */
  override async changedFiles(): Promise<string[]> {
    using database = new DatabaseSync(this.#database, { readOnly: true })
    database.exec('begin')
    const known = this.#records.read()
    const digests = digestsOf(database, known.digests, (table) => known.touched.has(table))
    const stale = await this.#staleFiles(known, digests, isUnchanged)
    return this.#files.filter((file) => stale.has(file)).map((file) => path.basename(file))
  }

  override async close(): Promise<void> {
    this.#touched = null
    await super.close()
  }

  /** The marks are in the file before the first row is: for a run that is killed in between. */
  #touch({ name, children, owned }: CopyTable): void {
    if (this.#touched === null) {
      this.#touched = new Set(this.#records.read().touched)
      this.#records.touchAll()
    }
    for (const each of [name, ...[...children, ...owned].map((other) => other.name)]) this.#touched.add(each)
  }

  /** Files that are not as the tables are, and those that `isSame` denies: somebody may have changed or removed them. */
  async #staleFiles(
    { files, digests: known }: FileKnowledge,
    digests: ReadonlyMap<string, string>,
    isSame: (file: string, record: FileRecord) => Promise<boolean>,
  ): Promise<Set<string>> {
    const changed = [...digests.keys()].filter((table) => known.get(table) !== digests.get(table))
    const stale = new Set(changed.map((table) => this.#writer.fileOf(table)))
    for (const file of this.#filesOf(digests.keys())) {
      const record = files.get(path.basename(file))
      if (record === undefined || !(await isSame(file, record))) stale.add(file)
    }
    return stale
  }

  /** Files of the tables that the copy has. */
  #filesOf(tables: Iterable<string>): Set<string> {
    return new Set([...tables].map((table) => this.#writer.fileOf(table)))
  }

  /** A run that is killed before the records are there is made up for by the next: see `recoverFiles`. */
  async #replace(files: readonly NewFile[], digests: ReadonlyMap<string, string>): Promise<void> {
    const records = []
    for (const { from, to } of files)
      records.push({ ...(await recordOf(from, path.basename(to))), format: this.#writer.format })
    this.#records.forget(records.map(({ file }) => file))
    await replaceFiles(files)
    this.#records.remember(records, digests)
    await dropLast(files.map(({ to }) => to))
  }
}
