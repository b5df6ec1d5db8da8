// Declares what the admin API needs from the service. The package of the command line provides it.

import type { RevisionId } from '@store-export/contract'
import type { RegisteredStore, RegistryContext } from '@store-export/control'
import type { BackgroundWork } from './background-work.ts'
import type { Limiter } from './limiter.ts'

/** Emitted when the response to a request exists. The lines of a batch can still be running then. */
export interface AdminRequestCompleted {
  readonly event: 'admin.request_completed'
  readonly requestId: string
  readonly method: string
  /** Path of the route, such as `/v1/stores/{store}`; `unknown` if no route matches, and without a valid token. */
  readonly route: string
  readonly status: number
  /** Time until the response existed, in ms. */
  readonly durationMs: number
  /** ID of the token; null without a valid one. */
  readonly tokenId: string | null
}

/** Emitted if an internal error interrupted a request to the admin API, or a line of a batch. */
export interface AdminRequestFailed {
  readonly event: 'admin.request_failed'
  readonly requestId: string
  readonly cause: unknown
}

/** An event of the admin API. */
export type AdminEvent = AdminRequestCompleted | AdminRequestFailed

/**
 * A registered store, and what is known about its database. Without `provision`, only `store` and `created` are known.
 */
export interface ProvisionedStore {
  readonly store: RegisteredStore
  /** Whether this call created the database, or registered the store without `provision`. */
  readonly created: boolean
  /** Schema version; null for a database that `provision` did not create. */
  readonly revision: RevisionId | null
  /** URL of the owner, with which the platform writes; null unless this call created the database. */
  readonly databaseUrl: string | null
  /** URL with which the service reads; null if the store has no database, and without `provision`. */
  readonly readerUrl: string | null
}

/** What an upgrade changed. */
export interface UpgradedStore {
  readonly applied: readonly RevisionId[]
  readonly repaired: readonly string[]
  /** SQL that an administrator of the server must run; null if there is none. */
  readonly adminSql: string | null
}

/** What `store-export doctor` finds in a store. `ok` is true without errors and warnings. */
export interface StoreHealth {
  readonly revision: RevisionId | null
  readonly ok: boolean
  readonly findings: readonly {
    readonly severity: 'error' | 'warning' | 'note'
    readonly code: string
    readonly message: string
    readonly fix: string | null
  }[]
}

/** The operations that connect to store databases or to the dashboard's accounts. `explain` translates their errors. */
export interface AdminOperations {
  /** Creates the database of a store and registers the store; returns an existing store with the external ID. */
  provision(
    context: RegistryContext,
    store: { readonly name: string; readonly externalId: string | null; readonly revision: RevisionId },
  ): Promise<ProvisionedStore>
  /**
   * Upgrades a database to the schema version `to`. `databaseUrl` is the owner's; null for the control database's
   * server.
   */
  upgrade(
    store: RegisteredStore,
    options: { readonly to: RevisionId; readonly databaseUrl: string | null },
  ): Promise<UpgradedStore>
  /** Connects to the store's database and checks it. */
  examine(store: RegisteredStore): Promise<StoreHealth>
  /** Creates a link that works for `minutes`; undefined for the minutes of the settings. */
  createSignInLink(
    context: RegistryContext,
    link: { readonly email: string; readonly minutes: number | undefined },
  ): Promise<{ readonly url: string; readonly expiresAt: Date }>
  /** Returns the meaning and the message of an error that the operator can fix; null for any other error. */
  explain(error: unknown): { readonly kind: 'refused' | 'unreachable' | 'database'; readonly message: string } | null
}

/** What the routes use. */
export interface AdminServices {
  readonly registry: Omit<RegistryContext, 'actor'>
  readonly operations: AdminOperations
  /** Bounds the operations that connect to store databases. */
  readonly limiter: Limiter
  /** First characters of new API keys. */
  readonly keyPrefix: string
  readonly emit: (event: AdminEvent) => void
  /** Work that continues after its client has disconnected. */
  readonly background: BackgroundWork
}
