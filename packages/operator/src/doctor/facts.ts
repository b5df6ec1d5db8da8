// What the reader brings from a store database; the findings follow from it without another look.

import type { Look } from '@store-export/engine'
import type { Protection } from './tls.ts'

/** A store database as its reader's role sees it. */
export interface StoreFacts {
  readonly connection: ConnectionFacts
  readonly columns: readonly ColumnFact[]
  readonly indexes: readonly IndexFact[]
  readonly values: readonly TableValues[]
  /** What others have open. */
  readonly transactions: Look
}

/** The connection and its role. */
export interface ConnectionFacts extends Protection {
  readonly role: string
  /** For example `18.4`. */
  readonly serverVersion: string
  readonly isSuperuser: boolean
  readonly mayUseSchema: boolean
  /** Whether the role sees the start of other sessions' transactions. */
  readonly mayReadStats: boolean
  /** How far the server's clock is ahead of ours. */
  readonly clockAheadMs: number
}

/** A column in schema public. */
export interface ColumnFact {
  readonly table: string
  readonly column: string
  readonly readable: boolean
  /** Whether the table can have indexes: a view cannot. */
  readonly isTable: boolean
  readonly ownsTable: boolean
}

/** An index of a table in schema public. */
export interface IndexFact {
  readonly table: string
  readonly name: string
  /** Columns and expressions, as PostgreSQL writes them. */
  readonly columns: readonly string[]
  readonly isValid: boolean
  readonly isPartial: boolean
}

/** Values of one table that the contract does not allow. */
export interface TableValues {
  readonly table: string
  /** Rows that were looked at; null when it took too long or failed, then `problem` says why. */
  readonly rows: number | null
  readonly problem: string | null
  readonly counts: readonly ValueCount[]
}

/** How many rows hold such a value. */
export interface ValueCount {
  readonly column: string
  readonly kind: ValueKind
  readonly count: number
}

/** What can be wrong with a value. */
export type ValueKind = 'null' | 'infinite' | 'not a number' | 'outside the list'
