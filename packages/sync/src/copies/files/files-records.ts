// What a copy of files knows of them, kept in its SQLite file: what each file was when it was written, and what each table
// was made of then. A table that was written since is touched: whether it changed is told by its digest.

import { DatabaseSync } from 'node:sqlite'

/** A file as it was written. */
export interface FileRecord {
  /** Its name, without the folder: so that a folder may be moved. */
  readonly file: string
  /** Of its bytes, in hexadecimal digits. */
  readonly sha256: string
  readonly bytes: number
  /** When it was modified, milliseconds since 1970, with fractions. */
  readonly modifiedMs: number
  /** The writer's options at that time. */
  readonly format: string
}

/** What is known of all files and tables. */
export interface FileKnowledge {
  /** By name. A file that is being replaced is not among them. */
  readonly files: ReadonlyMap<string, FileRecord>
  /** By table; what the files were made of. */
  readonly digests: ReadonlyMap<string, string>
  /** Tables that a run has begun to write since. */
  readonly touched: ReadonlySet<string>
}

const TABLES = `
create table if not exists _sync_files (
  file text primary key, sha256 text not null, bytes integer not null, modified_ms real not null,
  format text not null default '') strict;
create table if not exists _sync_file_tables (
  table_name text primary key, digest text not null, is_touched integer not null) strict`
const WAIT_MS = 5000
const NOTHING: FileKnowledge = { files: new Map(), digests: new Map(), touched: new Set() }

/** The records in the SQLite file `database`; each call opens it anew. */
export class FileRecords {
  readonly #database: string

  constructor(database: string) {
    this.#database = database
  }

  /** Makes the tables that are missing. */
  prepare(): void {
    this.#change((database) => {
      database.exec(TABLES)
      // of a version without options
      if (hasFormats(database)) return
      database.exec("alter table _sync_files add column format text not null default ''")
    })
  }

  /** What is known; nothing where nothing was written yet. */
  read(): FileKnowledge {
    using database = new DatabaseSync(this.#database, { readOnly: true, timeout: WAIT_MS })
    const isThere = database.prepare("select 1 from sqlite_schema where name = '_sync_file_tables'").get()
    if (isThere === undefined) return NOTHING
    const format = hasFormats(database) ? 'format' : "'' as format"
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
      touched: new Set(tables.filter((table) => table.is_touched === 1).map((table) => String(table.table_name))),
    }
  }

  /** From here on every table may be another than its file, until `remember`: for a run that is killed. */
  touchAll(): void {
    this.#change((database) => database.exec('update _sync_file_tables set is_touched = 1'))
  }

  /** These files are about to be replaced: a run that is killed now leaves some old and some new. */
  forget(files: readonly string[]): void {
    this.#change((database) => {
      const remove = database.prepare('delete from _sync_files where file = ?')
      for (const file of files) remove.run(file)
    })
  }

  /** Files and tables are the same from here on. */
  remember(files: readonly FileRecord[], digests: ReadonlyMap<string, string>): void {
    this.#change((database) => {
      const keepFile = database.prepare(
        'insert or replace into _sync_files (file, sha256, bytes, modified_ms, format) values (?, ?, ?, ?, ?)',
      )
      for (const { file, sha256, bytes, modifiedMs, format } of files)
        keepFile.run(file, sha256, bytes, modifiedMs, format)
      const keepTable = database.prepare('insert or replace into _sync_file_tables values (?, ?, 0)')
      for (const [table, digest] of digests) keepTable.run(table, digest)
    })
  }

  #change(work: (database: DatabaseSync) => void): void {
    using database = new DatabaseSync(this.#database, { timeout: WAIT_MS })
    database.exec('begin immediate')
    work(database)
    database.exec('commit')
  }
}

function hasFormats(database: DatabaseSync): boolean {
  const columns = database.prepare("select 1 from pragma_table_info('_sync_files') where name = 'format'")
  return columns.get() !== undefined
}
