// Defines the interface of a copy. The code that reads the service does not know how a copy stores its rows, and a copy
// does not know the service. A walk reads one list of the service from its start to its end. A later run can resume an
// interrupted walk.
//
// What must hold:
// - A full walk marks the rows that it has seen. A page, its marks, and the position of the walk after it are committed
//   together. If the position were saved first, a killed run would skip the page. If the marks were missing, a resumed
//   full walk would remove rows that it has seen.
// - `since` of a table advances only at the end of its walk. Otherwise, the next run would miss the unread changes.
// - Rows are removed only at the end of a full walk: those that it has not seen. Their embedded rows (such as the items
//   of an order) and owned rows (such as the addresses of a customer) are removed with them. Embedded rows are also
//   removed if their parent is written without them.
//
// For the reasons, see docs/contribute/decisions/017-commit-pages-with-their-cursor.md. Each copy that stores rows runs
// the test suite `copy-contract.ts`.

import type { CopyColumn, CopyTable } from '../tables.ts'

/** A row as the service sent it, with the fields by name. */
export type CopyRow = Readonly<Record<string, unknown>>

/** The progress of the copy of a table. All times are RFC 3339. */
export interface TableState {
  /** Start of the next incremental sync; null before the first walk has ended. */
  readonly since: string | null
  /** Start of the last full walk; null before the first full walk has ended. */
  readonly fullAt: string | null
  /** Rows that were last changed before this time can be missing from the copy; null if the copy has all rows. */
  readonly startsAt: string | null
  /**
   * Digest of the store's columns that all rows were read from; null if it is unknown, or if rows have different
   * digests.
   */
  readonly storeFields: string | null
  /** Start of the last walk that read all rows again because of other columns; null if there was none. */
  readonly rereadAt: string | null
}

/** State of a table that no walk has read to its end. */
export const NEW_TABLE: TableState = { since: null, fullAt: null, startsAt: null, storeFields: null, rereadAt: null }

/** A walk that has written pages but has not ended, so that another run can resume it. All times are RFC 3339. */
export interface UnfinishedWalk {
  /** Start of the requested changes; null for a full walk. */
  readonly requestedSince: string | null
  /** `since` of the table's state after the walk. */
  readonly since: string
  /** The `startsAt` of `TableState` when this walk has ended. */
  readonly startsAt: string | null
  /** `storeFields` of the table's state after the walk, if no further page was read from other columns. */
  readonly storeFields: string | null
  readonly startedAt: string
  /** Cursor of the page after the last written page; null if all pages are written and only the end is missing. */
  readonly cursor: string | null
  /** Rows read so far, without embedded rows. */
  readonly rows: number
}

/** The store of a copy, and how far each table is. */
export interface CopyState {
  /** ID of the copied store; null in a new copy. */
  readonly storeId: string | null
  readonly tables: ReadonlyMap<string, TableState>
  /** Unfinished walks by table. */
  readonly unfinished: ReadonlyMap<string, UnfinishedWalk>
}

/** State of a copy before its first run. */
export const NEW_COPY: CopyState = { storeId: null, tables: new Map(), unfinished: new Map() }

/** A page to write, and how far the walk is after it. */
export interface PageWrite {
  readonly table: CopyTable
  readonly rows: readonly CopyRow[]
  /** Whether the walk is full. The copy marks the rows of a full walk as seen. */
  readonly isFull: boolean
  /**
   * Whether the walk starts with this page; defaults to false. The copy then deletes an unfinished walk and its marks.
   */
  readonly isFirst?: boolean
  /** The walk after this page, saved in the same transaction; null (the default) if a later run cannot resume it. */
  readonly unfinished?: UnfinishedWalk | null
  /** IDs that a full walk of IDs has seen; defaults to none. */
  readonly seenIds?: readonly string[]
}

/** The end of a walk, and the state of the table after it. */
export interface WalkEnd {
  readonly table: CopyTable
  readonly state: TableState
  /** Whether the walk was full. The copy then removes unseen rows, with their embedded and owned rows. */
  readonly isFull: boolean
}

/** A stored row: for each column, the string that `comparableText` returns for the value. */
export type StoredRow = Readonly<Record<string, string | null>>

/** The rows to read from a copy: those whose column `by` has one of `ids`. */
export interface RowSelection {
  /** A table or an embedded table. */
  readonly table: { readonly name: string; readonly columns: readonly CopyColumn[] }
  /** Column to compare with `ids`: `id`, or the parent's ID in an embedded table. */
  readonly by: string
  readonly ids: readonly string[]
}

/**
 * A copy of one store. Only one process can write it at a time. All methods except `peek`, `asStored`, and `close` need
 * a copy that `open` has opened.
 */
export interface Copy {
  /** Name for messages, without a password. */
  readonly name: string
  /**
   * Returns the state without changing the destination or locking it for writing; null if there is no copy yet. Throws
   * `CopyError` or `CopyUnavailableError` if the destination cannot be read.
   */
  peek(): Promise<CopyState | null>
  /**
   * Opens and locks the copy for writing, and returns its state. Creates missing tables and columns. The next walk of a
   * table that gets new columns starts again and is full, because the stored rows have no values for them.
   *
   * Throws `CopyBusyError` if another run has the copy open, and `CopyUnavailableError` if the destination cannot be
   * reached or another program locks it. Throws `CopyError` if the destination has tables that store-sync did not
   * create, or cannot be written.
   */
  open(tables: readonly CopyTable[]): Promise<CopyState>
  /** Saves the ID of the store, so that later runs accept no other store. */
  claim(storeId: string): Promise<void>
  /** Writes the rows of a page in one transaction. They replace rows with the same IDs and their embedded rows. */
  write(page: PageWrite): Promise<void>
  /**
   * Ends a walk: removes unseen rows after a full walk, and saves the state. Returns the number of removed rows,
   * without their embedded and owned rows; 0 for a copy that cannot remove rows.
   */
  end(walk: WalkEnd): Promise<number>
  /** Returns the number of rows in a table or an embedded table. */
  count(table: string): Promise<number>
  /** Returns the stored rows in any order, without a row for an ID that is missing. */
  read(selection: RowSelection): Promise<StoredRow[]>
  /** Returns the value as `write` stores it, after the changes that this kind of database needs. */
  asStored(column: CopyColumn, value: unknown): unknown
  /** Marks rows as seen by a verification. The marks last until the copy is closed. */
  markSeen(table: string, ids: readonly string[]): Promise<void>
  /**
   * Returns at most `limit` IDs that `markSeen` has not marked, in order, after the ID `after`; from the first ID for
   * null.
   */
  unseenIds(table: string, after: string | null, limit: number): Promise<string[]>
  /** Returns the names of files that differ from what the last run wrote; none for a copy that is a database. */
  changedFiles(): Promise<string[]>
  /**
   * Called after all tables of a run: writes the files of a CSV, XLSX or Parquet copy. Throws `CopyError` if it cannot.
   */
  finish(): Promise<void>
  /** Releases the copy for other processes. Does nothing if the copy is not open. */
  close(): Promise<void>
}

/** Thrown if another run has the copy open. The same command can succeed later. */
export class CopyBusyError extends Error {
  override readonly name = 'CopyBusyError'

  constructor(copy: string) {
    super(`another store-sync run is writing ${copy}; wait until it ends, or stop it`)
  }
}

/** Thrown if the destination is not a copy of this store, or if the user must fix something before the next run. */
export class CopyError extends Error {
  override readonly name: string = 'CopyError'
}

/** Thrown if the disk of the copy is full. A later run can succeed after the user has freed some space. */
export class CopyFullError extends CopyError {
  override readonly name = 'CopyFullError'
}

/** Thrown if the connection fails, or if another program locks the copy for too long. A later run can succeed. */
export class CopyUnavailableError extends Error {
  override readonly name = 'CopyUnavailableError'
}
