// The facts that `doctor` reads from a store database. It derives the findings without another query.

import type { TransactionSnapshot } from '@store-export/engine'
import type { ConnectionSecurity } from './check-connection.ts'

/** A store database as its reader's role sees it. */
export interface StoreFacts {
  readonly connection: ConnectionFacts
  readonly columns: readonly ColumnFact[]
  readonly indexes: readonly IndexFact[]
  /** null if the values were not scanned. */
  readonly values: readonly TableValues[] | null
  /** Transactions that other sessions have open. */
  readonly transactions: TransactionSnapshot
  readonly locks: readonly LockFact[]
}

/** The connection and its role. */
export interface ConnectionFacts extends ConnectionSecurity {
  readonly role: string
  /** For example `18.4`. */
  readonly serverVersion: string
  readonly isSuperuser: boolean
  /** The schema that the store's tables are in. */
  readonly schemaName: string
  /** null if the database has no such schema. */
  readonly mayUseSchema: boolean | null
  /** Whether the role sees the start of other sessions' transactions. */
  readonly mayReadStats: boolean
  /** How far the server's clock is ahead of this machine's clock. */
  readonly clockAheadMs: number
}

/** Kind of a relation in the store's schema. */
export type RelationKind = 'table' | 'partitioned table' | 'materialized view' | 'view' | 'foreign table'

/** A column in the store's schema. */
export interface ColumnFact {
  readonly table: string
  readonly column: string
  /** By which the table's indexes name it. */
  readonly number: number
  readonly readable: boolean
  readonly relation: RelationKind
  readonly ownsTable: boolean
}

/** An index of a table in the store's schema. */
export interface IndexFact {
  readonly table: string
  readonly name: string
  /** Columns; null for an expression, and for a key with another direction than the first. */
  readonly columns: readonly (string | null)[]
  readonly isValid: boolean
  readonly isPartial: boolean
}

/** A table that a session has locked against reads. */
export interface LockFact {
  readonly table: string
  readonly pid: number
}

/** Values of one table that the contract does not allow. */
export interface TableValues {
  readonly table: string
  /** Rows that were scanned; null if the scan took too long or failed, then `problem` says why. */
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
