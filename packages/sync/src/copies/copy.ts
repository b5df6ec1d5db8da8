// What a copy of a store is, whatever keeps it: tables that take pages in transactions, and a state that moves with them.
// Whoever walks the service knows nothing of how rows are kept, and a copy knows nothing of the service.

import type { CopyTable } from '../tables.ts'

/** A row as the service sent it. */
export type CopyRow = Readonly<Record<string, unknown>>

/** How far a table's copy is. */
export interface TableState {
  /** From when the next run asks, RFC 3339; null before the first walk has ended. */
  readonly since: string | null
  /** When the last walk of the whole list ended, RFC 3339; null before the first. */
  readonly wholeAt: string | null
}

/** Which store it is a copy of, and how far. */
export interface CopyState {
  /** null in a new copy. */
  readonly storeId: string | null
  readonly tables: ReadonlyMap<string, TableState>
}

/** A page to be written. */
export interface PageWrite {
  readonly table: CopyTable
  readonly rows: readonly CopyRow[]
  /** Whether the whole list is walked: then the copy marks what it has seen. */
  readonly isWhole: boolean
}

/** How a walk of a table ended. */
export interface WalkEnd {
  readonly table: CopyTable
  readonly state: TableState
  /** Whether the whole list was walked: then rows that it no longer has are removed. */
  readonly isWhole: boolean
}

/** A copy of one store. One process at a time writes it. */
export interface Copy {
  /** What messages call it; without a password. */
  readonly name: string
  /** Makes what is missing of these tables, and forgets marks of a walk that did not end. Throws `CopyBusy`. */
  open(tables: readonly CopyTable[]): Promise<CopyState>
  /** Says which store it is a copy of. */
  claim(storeId: string): Promise<void>
  /** Rows of one page: they take the place of rows with the same ids, with their children, all of it or nothing. */
  write(page: PageWrite): Promise<void>
  /** Ends a walk, and moves the state with it. How many rows were removed, children not counted. */
  end(walk: WalkEnd): Promise<number>
  /** Rows of a table, children's tables included. */
  count(table: string): Promise<number>
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

/** What is there is no copy of this store, or was made by a newer version. */
export class CopyProblem extends Error {
  override readonly name = 'CopyProblem'
}
