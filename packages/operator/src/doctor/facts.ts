// The facts that `doctor` reads from a store database. It derives all findings from them.

import type { TransactionSnapshot } from '@store-export/engine'
import type { ConnectionSecurity } from './check-connection.ts'

/** A store database, as its reader's role sees it. */
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
  /** The schema that contains the store's tables. */
  readonly schemaName: string
  /** null if the database has no such schema. */
  readonly mayUseSchema: boolean | null
  /** Whether the role can see when transactions of other sessions started. */
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
  /** Its number in the catalog, which indexes refer to. */
  readonly number: number
  readonly readable: boolean
  readonly relation: RelationKind
  readonly ownsTable: boolean
}

/** An index of a table in the store's schema. */
export interface IndexFact {
  readonly table: string
  readonly name: string
  /** Key columns; null for an expression, and for a key with another direction than the first key. */
  readonly columns: readonly (string | null)[]
  readonly isValid: boolean
  readonly isPartial: boolean
}

/** A table with an access exclusive lock of a session. */
export interface LockFact {
  readonly table: string
  readonly pid: number
}

/** Values of a table that break the contract. */
export interface TableValues {
  readonly table: string
  /** Scanned rows; null if the scan took too long or failed. */
  readonly rows: number | null
  /** Why the table was not scanned. */
  readonly problem: string | null
  readonly counts: readonly ValueCount[]
}

/** The number of rows with an invalid value. */
export interface ValueCount {
  readonly column: string
  readonly kind: ValueKind
  readonly count: number
}

/** Kind of an invalid value. */
export type ValueKind = 'null' | 'infinite' | 'not a number' | 'outside the list'
