// The facts that `doctor` reads from a store database. The checks derive all findings from these facts and read nothing
// themselves, so that tests need no database.

import type { TransactionSnapshot } from '@store-export/engine'
import type { ConnectionSecurity } from './check-connection.ts'

/** What the reader's role sees of a store database. */
export interface StoreFacts {
  readonly connection: ConnectionFacts
  readonly columns: readonly ColumnFact[]
  readonly indexes: readonly IndexFact[]
  /** Counts of invalid values; null if the values were not scanned. */
  readonly values: readonly TableValues[] | null
  /** The transactions that other sessions have open. */
  readonly transactions: TransactionSnapshot
  readonly locks: readonly LockFact[]
}

/** What the connection says about the server and about the role. */
export interface ConnectionFacts extends ConnectionSecurity {
  readonly role: string
  /** Version of the server, such as `18.4`. */
  readonly serverVersion: string
  /** Whether the role bypasses all grants. */
  readonly isSuperuser: boolean
  /** The schema that contains the store's tables. */
  readonly schemaName: string
  /** Whether the role may use the schema; null if the schema does not exist. */
  readonly mayUseSchema: boolean | null
  /** Whether the role can see the start of other sessions' transactions. */
  readonly mayReadStats: boolean
  /** Milliseconds by which the server's clock is ahead of this machine's clock; negative if it is behind. */
  readonly clockAheadMs: number
}

/** Kind of relation in which a store can have a table's rows. */
export type RelationKind = 'table' | 'partitioned table' | 'materialized view' | 'view' | 'foreign table'

/** A column in the store's schema, and whether the role may read it. */
export interface ColumnFact {
  readonly table: string
  readonly column: string
  /** Number of the column in the catalog. Indexes refer to it. */
  readonly number: number
  /** The type, with the base type for a domain, and `enum` for every enum. */
  readonly type: string
  /** Whether the role may select the column. */
  readonly readable: boolean
  readonly relation: RelationKind
  /** Whether the role is, or can become, the owner of the table. */
  readonly ownsTable: boolean
  /** Whether the role may insert, update, or delete rows of the table, or truncate it. */
  readonly mayWrite: boolean
}

/** An index in the store's schema, by its key columns. */
export interface IndexFact {
  readonly table: string
  readonly name: string
  /** Key columns. Null for an expression, and for a key whose direction no list can use (see `keysOf`). */
  readonly columns: readonly (string | null)[]
  /** False after an interrupted concurrent creation. No query uses such an index. */
  readonly isValid: boolean
  /** Whether the index has a condition, so that it does not contain all rows. */
  readonly isPartial: boolean
}

/** A table that a session has locked in the mode access exclusive. */
export interface LockFact {
  readonly table: string
  readonly pid: number
}

/** How many scanned values of a table violate the contract. */
export interface TableValues {
  readonly table: string
  /** Number of scanned rows; null if the scan took too long or failed. */
  readonly rows: number | null
  /** The reason why the table was not scanned; null if it was. */
  readonly problem: string | null
  readonly counts: readonly ValueCount[]
}

/** The number of rows with one kind of invalid value in one column. */
export interface ValueCount {
  readonly column: string
  readonly kind: ValueKind
  readonly count: number
}

/** Kind of value that violates the contract. */
export type ValueKind = 'null' | 'infinite' | 'in the future' | 'not a number' | 'outside the list'
