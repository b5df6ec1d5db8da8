// Everything worth noticing, as one union. Who sees it (log, metrics, a test) is decided where the program is put
// together. Observations carry ids, names of the contract and numbers: never a key, a cursor or a row's content.

/** An API request got its answer. */
export interface RequestAnswered {
  readonly event: 'request answered'
  readonly requestId: string
  /** The endpoint's path as the contract writes it, such as `/api/v1/orders/{id}`; 'unknown' for any other path. */
  readonly endpoint: string
  readonly method: string
  readonly status: number
  /** Error code of the answer; absent when it has none. */
  readonly code?: string
  readonly durationMs: number
  readonly rows: number
  /** Bytes of the body before compression. */
  readonly bytes: number
  readonly keyId: string | null
  readonly storeId: string | null
}

/** A request came without a key that counts. */
export interface KeyRefused {
  readonly event: 'key refused'
  readonly requestId: string
  /** 'unknown' covers revoked keys, too: the look-up does not tell them apart. */
  readonly reason: 'missing' | 'repeated' | 'malformed' | 'unknown'
}

/** A client sent what is no HTTP request, or too slowly, or too much. */
export interface FramingRefused {
  readonly event: 'framing refused'
  readonly requestId: string
  readonly status: number
  readonly code: string
}

/** Repeated refusals that got no line of their own in the log, of one key or for one reason. */
export interface RefusalsSummed {
  readonly event: 'refusals.summed'
  /** The event that was sampled. */
  readonly of: 'request answered' | 'key refused' | 'framing refused'
  readonly count: number
  /** The time that the sum covers. */
  readonly seconds: number
  readonly status?: number
  readonly code?: string
  readonly reason?: KeyRefused['reason']
  readonly keyId?: string | null
  readonly storeId?: string | null
}

/** The log's reader or disk did not take these lines, and the buffer was full. */
export interface LogLinesDropped {
  readonly event: 'log.lines_dropped'
  readonly lines: number
}

/** A store database failed; `retried` tells whether the request went on with a second attempt. */
export interface StoreFault {
  readonly event: 'store fault'
  readonly storeId: string
  readonly requestId: string | null
  readonly cause: unknown
  readonly retried: boolean
}

/** The control database failed. */
export interface ControlFault {
  readonly event: 'control fault'
  readonly requestId: string | null
  readonly cause: unknown
}

/** The service itself failed: a defect, to be reported. */
export interface OwnFault {
  readonly event: 'own fault'
  readonly requestId: string | null
  readonly cause: unknown
}

/** A store's schema is not what any revision has. */
export interface SchemaSurprise {
  readonly event: 'schema surprise'
  readonly storeId: string
  readonly table: string
  /** null when the whole table is meant. */
  readonly column: string | null
  readonly kind: 'table missing' | 'column missing' | 'no grant' | 'other type'
}

/** The columns that a store has were read and differ from before. */
export interface SchemaChanged {
  readonly event: 'schema changed'
  readonly storeId: string
  /** Columns as `table.column`. */
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** Rows of one page held a value that the contract does not allow, and were served with a stand-in. */
export interface ValueSurprise {
  readonly event: 'value surprise'
  readonly storeId: string
  readonly resource: string
  readonly field: string
  readonly kind: string
  readonly count: number
}

/** Connections at one moment; stores are summed up. */
export interface PoolState {
  readonly event: 'pool state'
  readonly pool: 'control' | 'stores'
  /** Databases with a pool. */
  readonly pools: number
  readonly connections: number
  readonly busy: number
  /** Requests that wait for a connection. */
  readonly waiting: number
}

/** A store's pool was made or closed. */
export interface PoolChanged {
  readonly event: 'pool opened' | 'pool closed'
  readonly storeId: string
  readonly reason: string
}

/** A request got no connection to its store. */
export interface QueueRefused {
  readonly event: 'queue refused'
  readonly storeId: string
  readonly reason: 'full' | 'too late'
}

/** The first page of a list waited for transactions that others had open in the store. */
export interface BarrierPassed {
  readonly event: 'barrier passed'
  readonly storeId: string
  readonly waitedMs: number
  /** Transactions that had not ended when the wait was over: they keep the watermark back. */
  readonly outlasting: number
}

/** Usage could not be written; it is kept for the next time, but for `dropped` requests. */
export interface UsageFlushFailed {
  readonly event: 'usage flush failed'
  readonly cause: unknown
  /** Pairs of key and hour that wait to be written. */
  readonly kept: number
  /** Requests that no longer fit in memory and are lost to the statistics. */
  readonly dropped: number
}

/** A page of the dashboard got its answer. */
export interface PageAnswered {
  readonly event: 'page answered'
  readonly requestId: string
  /** The route as it is declared, such as `/stores/:store/usage`; 'unknown' for any other path. */
  readonly route: string
  readonly method: string
  readonly status: number
  readonly durationMs: number
}

/** Somebody tried to sign in to the dashboard. */
export interface SignedIn {
  readonly event: 'signed in'
  readonly requestId: string
  /** 'oidc': at the operator's own login. */
  readonly by: 'password' | 'link' | 'oidc'
  /** 'held': there were too many guesses, and this one was not looked at. 'unreachable': that login gave no answer. */
  readonly outcome: 'done' | 'wrong' | 'held' | 'unreachable'
}

/** A merchant made or revoked a key. */
export interface KeyChanged {
  readonly event: 'key made' | 'key revoked'
  readonly requestId: string
  readonly storeId: string
  readonly keyId: string
}

/** Actions in the audit table. */
export type AuditAction =
  | 'key.created'
  | 'key.revoked'
  | 'store.added'
  | 'store.changed'
  | 'store.removed'
  | 'merchant.added'
  | 'merchant.removed'
  | 'membership.added'
  | 'membership.removed'
  | 'secrets.rotated'

/** A row of the audit table, copied to the log. Every change has one, with its actor. */
export interface AuditRecorded {
  readonly event: 'audit.recorded'
  /** ID of the row; the same event can be logged twice. */
  readonly auditId: string
  readonly at: string
  /** `merchant` and the account's ID, or the name of the database session. */
  readonly actor: string
  readonly action: AuditAction
  readonly storeId: string | null
  readonly keyId: string | null
  readonly merchantId: string | null
  /** JSON. */
  readonly details: string
}

/** The embedded PostgreSQL changed its state. */
export interface Embedded {
  readonly event: 'embedded started' | 'embedded stopped'
  readonly durationMs: number
  readonly directory: string
}

/** Migrations of the control database that were applied now; empty when it was up to date. */
export interface Migrated {
  readonly event: 'migrated'
  readonly applied: readonly string[]
}

/** The program's own life. */
export type Lifecycle =
  | { readonly event: 'starting'; readonly version: string; readonly command: string }
  | { readonly event: 'listening'; readonly listener: 'api' | 'dashboard' | 'operations'; readonly address: string }
  | { readonly event: 'stopping'; readonly reason: string }
  | { readonly event: 'stopped'; readonly durationMs: number }

/** Something the operator should know, in a sentence. */
export interface Warning {
  readonly event: 'warning'
  readonly message: string
}

/** Anything worth noticing. */
export type Observation =
  | RequestAnswered
  | KeyRefused
  | FramingRefused
  | RefusalsSummed
  | LogLinesDropped
  | StoreFault
  | ControlFault
  | OwnFault
  | SchemaSurprise
  | SchemaChanged
  | ValueSurprise
  | PoolState
  | PoolChanged
  | QueueRefused
  | BarrierPassed
  | UsageFlushFailed
  | PageAnswered
  | SignedIn
  | KeyChanged
  | AuditRecorded
  | Embedded
  | Migrated
  | Lifecycle
  | Warning

/** Takes an observation; returns at once and never throws. */
export type Observe = (observation: Observation) => void

/** One observer that hands everything to each of these, in this order. */
export function combine(...observers: readonly Observe[]): Observe {
  return (observation) => {
    for (const observe of observers) {
      observe(observation)
    }
  }
}
