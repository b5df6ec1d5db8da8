// What a copy of a store is, whatever keeps it: tables that take pages in transactions, and a state that moves with them.
// Whoever walks the service knows nothing of how rows are kept, and a copy knows nothing of the service.

import type { CopyColumn, CopyTable } from '../tables.ts'

/** A row as the service sent it. */
export type CopyRow = Readonly<Record<string, unknown>>

/** How far a table's copy is. */
export interface TableState {
  /** From when the next run asks, RFC 3339; null before the first walk has ended. */
  readonly since: string | null
  /** When the last walk of the whole list began, RFC 3339; null before the first. */
  readonly wholeAt: string | null
  /** Before which it lacks what the store has, RFC 3339, where a run was told so; null where it lacks nothing. */
  readonly startsAt: string | null
}

/** A table that nothing is known of. */
export const NEW_TABLE: TableState = { since: null, wholeAt: null, startsAt: null }

/** A walk that has written pages and did not end: from where another run goes on. */
export interface UnfinishedWalk {
  /** From when changes were asked for, RFC 3339; null where the whole list was. */
  readonly askedSince: string | null
  /** `since` and `startsAt` of the state that the table has after it. */
  readonly since: string
  readonly startsAt: string | null
  /** When it began, RFC 3339. */
  readonly startedAt: string
  /** Leads to the page behind the last one that was written; null where all are, and only its end is missing. */
  readonly cursor: string | null
  /** Rows read so far, children not counted. */
  readonly rows: number
}

/** Which store it is a copy of, and how far. */
export interface CopyState {
  /** null in a new copy. */
  readonly storeId: string | null
  readonly tables: ReadonlyMap<string, TableState>
  /** Walks that did not end, by table. */
  readonly unfinished: ReadonlyMap<string, UnfinishedWalk>
}

/** What a copy says that nothing was written into. */
export const NEW_COPY: CopyState = { storeId: null, tables: new Map(), unfinished: new Map() }

/** A page to be written. */
export interface PageWrite {
  readonly table: CopyTable
  readonly rows: readonly CopyRow[]
  /** Whether the whole list is walked: then the copy marks what it has seen. */
  readonly isWhole: boolean
  /** Whether a walk begins with it: one of the table that did not end is forgotten, with its marks. No, unless said. */
  readonly isFirst?: boolean
  /** From where the walk goes on behind this page, kept with its rows; null where it is walked again from its beginning. */
  readonly unfinished?: UnfinishedWalk | null
  /** Ids that are met and not written, of a walk of the whole list that brings ids alone. None, unless said. */
  readonly met?: readonly string[]
}

/** How a walk of a table ended. */
export interface WalkEnd {
  readonly table: CopyTable
  readonly state: TableState
  /** Whether the whole list was walked: then rows that it no longer has are removed, with what they own. */
  readonly isWhole: boolean
}

/** A row as a copy keeps it: a text for each column that means the same for the same value, as `comparable` gives it. */
export type KeptRow = Readonly<Record<string, string | null>>

/** Rows to read back. */
export interface RowSelection {
  /** The table, a child's included. */
  readonly table: { readonly name: string; readonly columns: readonly CopyColumn[] }
  /** Column that is compared with `ids`: the row's own id, or its parent's. */
  readonly by: string
  readonly ids: readonly string[]
}

/** A copy of one store. One process at a time writes it. */
export interface Copy {
  /** What messages call it; without a password. */
  readonly name: string
  /** Which store and how far, and nothing is changed or made; null where there is no copy yet. */
  peek(): Promise<CopyState | null>
  /**
   * Makes what is missing of these tables, and forgets marks of walks that cannot go on. A walk of a table that gets new
   * columns cannot: the rows that it has read lack them. Throws `CopyBusy`.
   */
  open(tables: readonly CopyTable[]): Promise<CopyState>
  /** Says which store it is a copy of. */
  claim(storeId: string): Promise<void>
  /** Rows of one page: they take the place of rows with the same ids, with their children, all of it or nothing. */
  write(page: PageWrite): Promise<void>
  /** Ends a walk, and moves the state with it. How many rows were removed, those that they had or owned not counted. */
  end(walk: WalkEnd): Promise<number>
  /** Rows of a table, children's tables included. */
  count(table: string): Promise<number>
  /** What is kept of these rows; those that it lacks are left out. */
  read(selection: RowSelection): Promise<KeptRow[]>
  /** What this copy keeps of a value: what its kind of database cannot hold is changed as a write changes it. */
  asKept(column: CopyColumn, value: unknown): unknown
  /** Marks rows as met by a walk that writes nothing; the marks are gone when the copy is closed. */
  mark(table: string, ids: readonly string[]): Promise<void>
  /** Ids of rows without such a mark, in order: at most `most` of those behind `after`, or of all where that is null. */
  unmet(table: string, after: string | null, most: number): Promise<string[]>
  /** Names of files that are not as the last run wrote them; none where people open the copy itself. */
  changedFiles(): Promise<string[]>
  /** Called when a whole run has come to its end: files that people open are written here. */
  finish(): Promise<void>
  /** Gives it up for others. */
  close(): Promise<void>
}

/** Another process writes this copy. */
export class CopyBusy extends Error {
  override readonly name = 'CopyBusy'

  constructor(copy: string) {
    super(`another run writes ${copy} just now: wait for its end, or end it`)
  }
}

/** What is there is no copy of this store, or cannot be one as it is: somebody has to do something first. */
export class CopyProblem extends Error {
  override readonly name = 'CopyProblem'
}

/** The connection to a copy is gone or could not be made, or another program held it too long: a later run may succeed. */
export class CopyLost extends Error {
  override readonly name = 'CopyLost'
}
