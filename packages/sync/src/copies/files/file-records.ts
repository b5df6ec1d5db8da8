// Records the files of a copy in its SQLite file: the size, time and digest of each written file, and a digest of the
// rows in it. Before its first write, a run marks all tables as changed. If it is killed, the next run compares the
// digests to find the tables that really changed.

import { DatabaseSync } from 'node:sqlite'

/** What the last run that wrote a file recorded about it, to find out whether the file has changed. */
export interface FileRecord {
  /** Name without the folder, so that the folder can be moved. */
  readonly file: string
  /** Digest of the bytes, in hexadecimal. */
  readonly sha256: string
  readonly bytes: number
  /** Time of modification in ms since 1970, with fractions. */
  readonly modifiedMs: number
  /** `format` of the writer at that time. */
  readonly format: string
}

/** What earlier runs recorded about the files. */
export interface FileState {
  /** Records by file name. A file has no record while a run replaces it. */
  readonly files: ReadonlyMap<string, FileRecord>
  /** Digest of the rows in the files, by table. */
  readonly digests: ReadonlyMap<string, string>
  /** Tables whose files can be out of date: all tables after an interrupted run. */
  readonly changedTables: ReadonlySet<string>
}

const TABLES = `
create table if not exists _sync_files (
  file text primary key, sha256 text not null, bytes integer not null, modified_ms real not null,
  format text not null default '') strict;
create table if not exists _sync_file_tables (
  table_name text primary key, digest text not null, is_touched integer not null) strict`
const BUSY_TIMEOUT_MS = 5000
const NO_FILES: FileState = { files: new Map(), digests: new Map(), changedTables: new Set() }

/** The records in a SQLite file. Each call opens and closes the file. */
export class FileRecords {
  readonly #database: string

  constructor(database: string) {
    this.#database = database
  }

  /** Creates missing tables. */
  prepare(): void {
    this.#change((database) => {
      database.exec(TABLES)
      // Older versions did not have this column.
      if (hasFormatColumn(database)) return
      database.exec("alter table _sync_files add column format text not null default ''")
    })
  }

  /** Returns the records; empty before a run has written files. Throws if the SQLite file does not exist. */
  read(): FileState {
    using database = new DatabaseSync(this.#database, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
    // A copy that `open` has not prepared yet has no tables of records.
    const isThere = database.prepare("select 1 from sqlite_schema where name = '_sync_file_tables'").get()
    if (isThere === undefined) return NO_FILES
    const format = hasFormatColumn(database) ? 'format' : "'' as format"
    const files = database.prepare(`select file, sha256, bytes, modified_ms, ${format} from _sync_files`).all()
    const tables = database.prepare('select table_name, digest, is_touched from _sync_file_tables').all()
    return {
      files: new Map(
        files.map(({ file, sha256, bytes, modified_ms, format }) => [
          String(file),
          {
            file: String(file),
            sha256: String(sha256),
            bytes: Number(bytes),
            modifiedMs: Number(modified_ms),
            format: String(format),
          },
        ]),
      ),
      digests: new Map(tables.map(({ table_name, digest }) => [String(table_name), String(digest)])),
      changedTables: new Set(tables.filter((table) => table.is_touched === 1).map((table) => String(table.table_name))),
    }
  }

  /** Marks all tables as changed until `save`. If the run is killed, the next run then computes all digests. */
  markAllChanged(): void {
    this.#change((database) => database.exec('update _sync_file_tables set is_touched = 1'))
  }

  /**
   * Deletes the records of files before a run replaces them, because a killed run leaves some old and some new files.
   */
  delete(files: readonly string[]): void {
    this.#change((database) => {
      const remove = database.prepare('delete from _sync_files where file = ?')
      for (const file of files) remove.run(file)
    })
  }

  /** Saves records and digests, and marks the tables with these digests as unchanged. Does not change other records. */
  save(files: readonly FileRecord[], digests: ReadonlyMap<string, string>): void {
    this.#change((database) => {
      const saveFile = database.prepare(
        'insert or replace into _sync_files (file, sha256, bytes, modified_ms, format) values (?, ?, ?, ?, ?)',
      )
      for (const { file, sha256, bytes, modifiedMs, format } of files)
        saveFile.run(file, sha256, bytes, modifiedMs, format)
      const saveTable = database.prepare('insert or replace into _sync_file_tables values (?, ?, 0)')
      for (const [table, digest] of digests) saveTable.run(table, digest)
    })
  }

  #change(work: (database: DatabaseSync) => void): void {
    using database = new DatabaseSync(this.#database, { timeout: BUSY_TIMEOUT_MS })
    database.exec('begin immediate')
    work(database)
    database.exec('commit')
  }
}

function hasFormatColumn(database: DatabaseSync): boolean {
  const columns = database.prepare("select 1 from pragma_table_info('_sync_files') where name = 'format'")
  return columns.get() !== undefined
}
