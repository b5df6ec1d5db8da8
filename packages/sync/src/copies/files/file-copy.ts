// Writes a copy as files that people open. The rows are in a SQLite file next to the files, which provides all
// guarantees of a copy. At its end, a run brings the files up to date from one snapshot of the SQLite file:
//
// 1. Computes a digest of each table that it wrote. A table with the same digest needs no new file.
// 2. Writes new files for the other tables, and for files that were changed or are missing.
// 3. Deletes the records of these files, replaces all of them or none, and saves the new records.
//
// If a run is killed during step 3, some files have no records. The next run restores their previous versions, if any.

import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { CopyTable } from '../../tables.ts'
import type { CopyState, PageWrite, WalkEnd } from '../copy.ts'
import { SqliteCopy } from '../sqlite/sqlite-copy.ts'
import { FILE_VIEWS } from '../sqlite/sqlite-views.ts'
import { createFolder, refuseExistingFiles } from './check-destination.ts'
import { type FileRecord, FileRecords, type FileState } from './file-records.ts'
import { computeDigests, FILE_NAMES, type FileTable, readTables } from './file-tables.ts'
import {
  createRecord,
  isUnchanged,
  looksUnchanged,
  type NewFile,
  recoverFiles,
  removePrevious,
  replaceFiles,
} from './replace-files.ts'

/** Writes tables in a file format. `FileCopy` decides which tables to write, and puts the new files in place. */
export interface TableWriter {
  /** Returns the file of a table. Several tables can be in one file. */
  fileOf(table: string): string
  /** Identifies the options that change the files; '' for the defaults. A run rewrites files of another format. */
  readonly format: string
  /** Temporary files and folders that a killed run can leave. */
  readonly scratch: readonly string[]
  /** Called when the copy is opened. Throws `CopyError` if a package that `write` needs is not installed. */
  prepare(): Promise<void>
  /** Writes new files next to the current files. Gets all tables of each file. Removes the new files if it throws. */
  write(tables: Iterable<FileTable>): Promise<readonly NewFile[]>
}

export interface FileCopyOptions {
  /** Folder or file, for messages. */
  readonly name: string
  /** Path of the SQLite file with the rows. */
  readonly database: string
  readonly writer: TableWriter
}

/** A SQLite copy that also writes its tables as files of another format. */
export class FileCopy extends SqliteCopy {
  readonly #database: string
  readonly #writer: TableWriter
  readonly #records: FileRecords
  readonly #files: readonly string[]
  /**
   * Tables that this run has written, and those that an interrupted run can have written. Null until this run writes a
   * row or ends a full walk, and after `finish`.
   */
  #changedTables: Set<string> | null = null

  constructor({ name, database, writer }: FileCopyOptions) {
    super(database, name, FILE_VIEWS)
    this.#database = database
    this.#writer = writer
    this.#records = new FileRecords(database)
    this.#files = [...new Set(FILE_NAMES.map((table) => writer.fileOf(table)))]
  }

  /**
   * Opens the SQLite copy, and cleans up after a killed run. Also throws `CopyError` if a new copy would overwrite
   * files, or the folder cannot be written. Throws the errors of the writer's `prepare`.
   */
  override async open(tables: readonly CopyTable[]): Promise<CopyState> {
    await this.#writer.prepare()
    if (!existsSync(this.#database)) await refuseExistingFiles(this.#files)
    await createFolder(path.dirname(this.#database))
    const state = await super.open(tables)
    try {
      this.#records.prepare()
      const { files } = this.#records.read()
      // A copy that has synced can have files without records: a run was killed while it placed its first files.
      if (state.storeId === null && state.tables.size === 0 && files.size === 0) await refuseExistingFiles(this.#files)
      await recoverFiles(this.#files, (file) => files.has(path.basename(file)))
      for (const each of this.#writer.scratch) await rm(each, { recursive: true, force: true })
      return state
    } catch (error) {
      await this.close()
      throw error
    }
  }

  override write(page: PageWrite): Promise<void> {
    if (page.rows.length > 0) this.#markChanged(page.table)
    return super.write(page)
  }

  override end(walk: WalkEnd): Promise<number> {
    // The end of a full walk can remove rows, also from embedded and owned tables.
    if (walk.isFull) this.#markChanged(walk.table)
    return super.end(walk)
  }

  /**
   * Replaces the files that are missing, changed, older than their tables, or of another format: all of them, or none
   * if one fails. Compares the size and time of a file with its record, not its bytes. Throws `FileInUseError` if
   * another program has a file open, and the errors of the writer's `write`.
   */
  override async finish(): Promise<void> {
    await super.finish()
    using database = new DatabaseSync(this.#database, { readOnly: true })
    database.exec('begin')
    const known = this.#records.read()
    // The records mark all tables as changed while a run writes rows. `#changedTables` has the tables that this run
    // really wrote.
    const changed = this.#changedTables ?? known.changedTables
    const digests = computeDigests(database, known.digests, (table) => changed.has(table))
    const { format } = this.#writer
    const isSame = async (file: string, record: FileRecord) =>
      record.format === format && (await looksUnchanged(file, record))
    const stale = await this.#staleFiles(known, digests, isSame)
    if (stale.size > 0) {
      const names = FILE_NAMES.filter((table) => digests.has(table) && stale.has(this.#writer.fileOf(table)))
      await this.#replace(await this.#writer.write(readTables(database, names)), digests)
    } else if (this.#changedTables !== null || known.changedTables.size > 0) {
      // The files have the same rows as their tables, so only the marks must be cleared.
      this.#records.save([], digests)
    }
    this.#changedTables = null
  }

  /**
   * Returns the names of files that are missing, older than their tables, or changed since a run wrote them. Reads all
   * bytes of the files, so it also finds a change that preserved size and time.
   */
  override async changedFiles(): Promise<string[]> {
    using database = new DatabaseSync(this.#database, { readOnly: true })
    database.exec('begin')
    const known = this.#records.read()
    const digests = computeDigests(database, known.digests, (table) => known.changedTables.has(table))
    const stale = await this.#staleFiles(known, digests, isUnchanged)
    return this.#files.filter((file) => stale.has(file)).map((file) => path.basename(file))
  }

  override async close(): Promise<void> {
    this.#changedTables = null
    await super.close()
  }

  /** Saves the marks before the first row is written, in case the run is killed. */
  #markChanged({ name, children, owned }: CopyTable): void {
    if (this.#changedTables === null) {
      this.#changedTables = new Set(this.#records.read().changedTables)
      this.#records.markAllChanged()
    }
    for (const each of [name, ...[...children, ...owned].map((other) => other.name)]) this.#changedTables.add(each)
  }

  /** Returns files that are older than their tables, and files for which `isSame` returns false. */
  async #staleFiles(
    { files, digests: known }: FileState,
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

  #filesOf(tables: Iterable<string>): Set<string> {
    return new Set([...tables].map((table) => this.#writer.fileOf(table)))
  }

  /** Replaces the files and saves their records. If the run is killed in between, the next run calls `recoverFiles`. */
  async #replace(files: readonly NewFile[], digests: ReadonlyMap<string, string>): Promise<void> {
    const records = []
    for (const { from, to } of files)
      records.push({ ...(await createRecord(from, path.basename(to))), format: this.#writer.format })
    this.#records.delete(records.map(({ file }) => file))
    await replaceFiles(files)
    this.#records.save(records, digests)
    await removePrevious(files.map(({ to }) => to))
  }
}
