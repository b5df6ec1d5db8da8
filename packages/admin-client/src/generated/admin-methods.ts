// Generated from the routes of the admin API. Do not edit: change them and run `npm run generate`.

import type { BatchRequest, CallOptions, PostOptions, RequestDescription } from '../request.ts'

/** A store to create. */
export interface NewStore {
  /** Name of the store. */
  readonly name: string
  /** The platform's own ID of the store. A second request with the same ID returns the existing store. */
  readonly external_id?: string | null
  /** Origin of the store. An imported store has no database here. */
  readonly origin?: 'generated' | 'imported'
  /** The API serves only ready stores. */
  readonly state?: 'ready' | 'generating'
  /** Connection URL of the store database with the password of the reader. Responses leave out the password. */
  readonly database_url?: string | null
  /** Schema of the database that contains the tables of the store. */
  readonly schema?: string
  /** Creates an empty database at this schema version, on the server of the control database. */
  readonly provision?: {
    /** Schema version of a store database. */
    readonly revision: 'launch' | 'v1.1' | 'v1.2' | 'v1.3' | 'v1.4' | 'v1.5' | 'v1.6'
  } | null
  /** Keys to create with the store. A key whose name the store has already is not created. */
  readonly keys?: readonly NewKey[]
}

/** A key to create. */
export interface NewKey {
  /** Name of the key, for example the tool that uses it. */
  readonly name: string
  /** Resources that the key may read; null for all. */
  readonly scopes?: readonly ('orders:read' | 'customers:read' | 'customer-addresses:read' | 'customer-groups:read' | 'locations:read' | 'products:read' | 'categories:read')[] | null
  /** Whether responses replace personal data. */
  readonly without_personal_data?: boolean
  /** Time from which the API rejects the key; null for no end. */
  readonly expires_at?: string | null
  /** Addresses and networks from which the key works, such as 10.0.0.0/8; null for all. */
  readonly allowed_addresses?: readonly string[] | null
}

/** Changes of a store. An absent member stays unchanged. */
export interface StoreChange {
  /** Name of the store. */
  readonly name?: string
  /** The API serves only ready stores. */
  readonly state?: 'ready' | 'generating'
  /** Connection URL of the store database with the password of the reader. Responses leave out the password. */
  readonly database_url?: string
  /** Schema of the database that contains the tables of the store. */
  readonly schema?: string
  /** Whether members need a second factor to open the store in the dashboard. */
  readonly two_factor_required?: boolean
}

/** The schema version to reach. */
export interface UpgradeRequest {
  /** Schema version of a store database. */
  readonly to: 'launch' | 'v1.1' | 'v1.2' | 'v1.3' | 'v1.4' | 'v1.5' | 'v1.6'
  /** The owner's connection URL, for a database on another server than the control database. */
  readonly database_url?: string | null
}

/** Changes of a key. An absent member stays unchanged. */
export interface KeyChange {
  /** Name of the key, for example the tool that uses it. */
  readonly name?: string
  /** The API rejects a key that is off. */
  readonly state?: 'active' | 'off'
  /** Resources that the key may read; null for all. */
  readonly scopes?: readonly ('orders:read' | 'customers:read' | 'customer-addresses:read' | 'customer-groups:read' | 'locations:read' | 'products:read' | 'categories:read')[] | null
  /** Time from which the API rejects the key; null for no end. */
  readonly expires_at?: string | null
  /** Addresses and networks from which the key works, such as 10.0.0.0/8; null for all. */
  readonly allowed_addresses?: readonly string[] | null
}

/** How a key is replaced. */
export interface KeyReplacement {
  /** Name of the new key. Default: the name of the replaced key. */
  readonly name?: string
  /** Whether responses replace personal data. Default: like the replaced key. */
  readonly without_personal_data?: boolean
  /** Time from which the API rejects the key; null for no end. */
  readonly expires_at?: string | null
  /** Hours from the first use of the new key to the end of the replaced key. 0 ends it at once. */
  readonly ends_after_hours?: 0 | 1 | 24 | 168
}

/** The role of a member. */
export interface MemberChange {
  /** An admin manages keys and members. A developer manages keys. A viewer sees keys and usage. */
  readonly role: 'admin' | 'developer' | 'viewer'
}

/** How long a sign-in link works. */
export interface SignInLinkRequest {
  /** Minutes for which the link works. Default: `STORE_EXPORT_LINK_MINUTES`. */
  readonly minutes?: number
}

/** A line of `changeStores`. */
export interface ChangeStoresLine {
  /** Name of the store. */
  readonly name?: string
  /** The API serves only ready stores. */
  readonly state?: 'ready' | 'generating'
  /** Connection URL of the store database with the password of the reader. Responses leave out the password. */
  readonly database_url?: string
  /** Schema of the database that contains the tables of the store. */
  readonly schema?: string
  /** Whether members need a second factor to open the store in the dashboard. */
  readonly two_factor_required?: boolean
  /** ID or external ID of the store. */
  readonly store: string
}

/** A line of `removeStores`. */
export interface RemoveStoresLine {
  /** ID or external ID of the store. */
  readonly store: string
}

/** A line of `upgradeStores`. */
export interface UpgradeStoresLine {
  /** Schema version of a store database. */
  readonly to: 'launch' | 'v1.1' | 'v1.2' | 'v1.3' | 'v1.4' | 'v1.5' | 'v1.6'
  /** The owner's connection URL, for a database on another server than the control database. */
  readonly database_url?: string | null
  /** ID or external ID of the store. */
  readonly store: string
}

/** A line of `checkStores`. */
export interface CheckStoresLine {
  /** ID or external ID of the store. */
  readonly store: string
}

/** A store that was created, or that existed already. */
export interface CreatedStore {
  readonly id: string
  readonly external_id: string | null
  readonly name: string
  readonly origin: 'generated' | 'imported'
  /** The API serves only ready stores. */
  readonly state: 'ready' | 'generating'
  /** Connection URL without the password. */
  readonly database_url: string | null
  readonly schema: string
  /** Whether members need a second factor to open the store in the dashboard. */
  readonly two_factor_required: boolean
  readonly created_at: string
  /** Whether this request created the store. */
  readonly created: boolean
  /** Schema version of a provisioned database; null without one. */
  readonly revision: 'launch' | 'v1.1' | 'v1.2' | 'v1.3' | 'v1.4' | 'v1.5' | 'v1.6' | null
  /** Connection URL with which the platform writes. Only the creation of a database returns it. */
  readonly owner_url: string | null
  /** Connection URL for reading. Only the creation of a database returns it. */
  readonly reader_url: string | null
  readonly keys: readonly ({
    readonly id: string
    readonly name: string
    /** Text of the key; null if the key existed already. */
    readonly key: string | null
    readonly created: boolean
  })[]
}

/** A page of stores. `next_cursor` is null on the last page. */
export interface StorePage {
  readonly data: readonly Store[]
  readonly next_cursor: string | null
}

/** A registered store. */
export interface Store {
  readonly id: string
  readonly external_id: string | null
  readonly name: string
  readonly origin: 'generated' | 'imported'
  /** The API serves only ready stores. */
  readonly state: 'ready' | 'generating'
  /** Connection URL without the password. */
  readonly database_url: string | null
  readonly schema: string
  /** Whether members need a second factor to open the store in the dashboard. */
  readonly two_factor_required: boolean
  readonly created_at: string
}

/** A removed store. `already` says that it was removed before. */
export interface RemovedStore {
  readonly id: string
  readonly removed: true
  readonly already: boolean
  readonly keys_revoked: number
}

/** What an upgrade changed. */
export interface UpgradedStore {
  readonly id: string
  /** Schema version of a store database. */
  readonly revision: 'launch' | 'v1.1' | 'v1.2' | 'v1.3' | 'v1.4' | 'v1.5' | 'v1.6'
  readonly applied: readonly ('launch' | 'v1.1' | 'v1.2' | 'v1.3' | 'v1.4' | 'v1.5' | 'v1.6')[]
  readonly repaired: readonly string[]
  /** SQL that an administrator of the server must run. */
  readonly admin_sql: string | null
}

/** What `store-export doctor` finds. */
export interface StoreHealth {
  readonly id: string
  readonly name: string
  /** Whether there is no error and no warning. */
  readonly ok: boolean
  /** Schema version of a store database. */
  readonly revision: 'launch' | 'v1.1' | 'v1.2' | 'v1.3' | 'v1.4' | 'v1.5' | 'v1.6' | null
  readonly findings: readonly ({
    readonly severity: 'error' | 'warning' | 'note'
    readonly code: string
    readonly message: string
    readonly fix: string | null
  })[]
}

/** Requests to the export API. */
export interface Usage {
  readonly store_id: string
  readonly since: string
  /** Sums of each key. */
  readonly keys: readonly {
    readonly key_id: string
    readonly successful: number
    readonly client_errors: number
    /** Requests over the limit of the key. */
    readonly rejected: number
    readonly failed: number
  }[]
  /** Sums of each key and hour. Older usage is stored by UTC day. */
  readonly hours: readonly {
    readonly hour: string
    readonly key_id: string
    readonly successful: number
    readonly client_errors: number
    /** Requests over the limit of the key. */
    readonly rejected: number
    readonly failed: number
  }[]
}

/** A created key. */
export interface CreatedKey {
  readonly id: string
  readonly store_id: string
  readonly name: string
  readonly scopes: readonly string[] | null
  /** Whether responses replace personal data. */
  readonly without_personal_data: boolean
  /** Time from which the API rejects the key; null for no end. */
  readonly expires_at: string | null
  /** Addresses and networks from which the key works, such as 10.0.0.0/8; null for all. */
  readonly allowed_addresses: readonly string[] | null
  /** Text of the key. No other response contains it. */
  readonly key: string
}

/** The keys of a store. */
export interface KeyList {
  readonly data: readonly Key[]
}

/** An API key, without the secret itself. */
export interface Key {
  readonly id: string
  readonly store_id: string
  readonly name: string
  readonly scopes: readonly string[] | null
  /** Whether responses replace personal data. */
  readonly without_personal_data: boolean
  /** Time from which the API rejects the key; null for no end. */
  readonly expires_at: string | null
  /** Addresses and networks from which the key works, such as 10.0.0.0/8; null for all. */
  readonly allowed_addresses: readonly string[] | null
  /** First characters of the key. */
  readonly prefix: string
  readonly last_four: string
  /** Email address of the merchant who created the key. */
  readonly created_by: string | null
  readonly created_at: string
  readonly last_used_at: string | null
  readonly revoked_at: string | null
  readonly turned_off_at: string | null
  readonly state: 'active' | 'off' | 'expired' | 'revoked'
  /** End of a replaced key. */
  readonly retires_at: string | null
}

/** A revoked key. `already` says that it was revoked before. */
export interface RevokedKey {
  readonly id: string
  readonly revoked: true
  readonly already: boolean
}

/** Members of a store. */
export interface MemberList {
  readonly data: readonly Member[]
}

/** A person who sees a store in the dashboard. */
export interface Member {
  readonly merchant_id: string
  readonly email: string
  /** An admin manages keys and members. A developer manages keys. A viewer sees keys and usage. */
  readonly role: 'admin' | 'developer' | 'viewer'
  readonly since: string
  readonly has_password: boolean
  readonly has_two_factor: boolean
  readonly has_single_sign_on: boolean
  readonly has_passkey: boolean
}

/** A member after a change. */
export interface SetMember {
  readonly merchant_id: string
  readonly email: string
  readonly store_id: string
  /** An admin manages keys and members. A developer manages keys. A viewer sees keys and usage. */
  readonly role: 'admin' | 'developer' | 'viewer'
  /** Whether the account was created. */
  readonly created: boolean
}

/** A removed member. `already` says that the person was no member. */
export interface RemovedMember {
  readonly email: string
  readonly store_id: string
  readonly removed: true
  readonly already: boolean
  /** Stores that have no member now. */
  readonly stores_left_alone: readonly string[]
  /** Stores that have members, but no admin now. */
  readonly stores_without_admin: readonly string[]
}

/** A removed account. */
export interface RemovedMerchant {
  readonly email: string
  readonly removed: true
  /** Stores that have no member now. */
  readonly stores_left_alone: readonly string[]
  /** Stores that have members, but no admin now. */
  readonly stores_without_admin: readonly string[]
}

/** A link that signs in once. */
export interface SignInLink {
  readonly url: string
  readonly expires_at: string
}

/** A page of changes, oldest first. `next_cursor` is null on the last page. */
export interface AuditPage {
  readonly data: readonly ({
    readonly id: string
    readonly at: string
    readonly actor: string
    readonly action: string
    readonly store_id: string | null
    readonly key_id: string | null
    readonly merchant_id: string | null
    readonly details: Readonly<Record<string, unknown>>
  })[]
  readonly next_cursor: string | null
}

/** The result of a line of `createStores`: `store` or `problem`. */
export interface CreateStoresResult {
  /** Number of the line in the request, from 1. */
  readonly line: number
  readonly status: number
  readonly store?: CreatedStore
  readonly problem?: Problem
}

/** A problem in the form of RFC 9457. */
export interface Problem {
  /** Path of the section about the problem in the documentation. */
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  /** What is wrong with the request, at most 100 errors. */
  readonly errors?: readonly {
    readonly field: string
    readonly message: string
  }[]
}

/** The result of a line of `changeStores`: `store` or `problem`. */
export interface ChangeStoresResult {
  /** Number of the line in the request, from 1. */
  readonly line: number
  readonly status: number
  readonly store?: Store
  readonly problem?: Problem
}

/** The result of a line of `removeStores`: `store` or `problem`. */
export interface RemoveStoresResult {
  /** Number of the line in the request, from 1. */
  readonly line: number
  readonly status: number
  readonly store?: RemovedStore
  readonly problem?: Problem
}

/** The result of a line of `upgradeStores`: `store` or `problem`. */
export interface UpgradeStoresResult {
  /** Number of the line in the request, from 1. */
  readonly line: number
  readonly status: number
  readonly store?: UpgradedStore
  readonly problem?: Problem
}

/** The result of a line of `checkStores`: `store` or `problem`. */
export interface CheckStoresResult {
  /** Number of the line in the request, from 1. */
  readonly line: number
  readonly status: number
  readonly store?: StoreHealth
  readonly problem?: Problem
}

/** The methods of the client: one for each route. */
export abstract class AdminMethods {
  /** Sends a request and returns the body of its response. */
  protected abstract send<T>(request: RequestDescription): Promise<T>

  /** Sends lines in batches, and yields the result of each in their order. */
  protected abstract sendLines<T extends { readonly line: number }>(request: BatchRequest): AsyncGenerator<T>

  /** Create a store. Registers a store, and with `provision` creates its database. If a store has the external ID, the response is that store with status 200, and only missing keys are created. */
  createStore(body: NewStore, options: PostOptions = {}): Promise<CreatedStore> {
    return this.send({ method: 'POST', path: '/v1/stores', options, body })
  }

  /** List the stores. Returns the registered stores in the order of their IDs. */
  listStores(query: { readonly external_id?: string; readonly limit?: number; readonly cursor?: string } = {}, options: CallOptions = {}): Promise<StorePage> {
    return this.send({ method: 'GET', path: '/v1/stores', options, query })
  }

  /** Get a store. */
  getStore(store: string, options: CallOptions = {}): Promise<Store> {
    return this.send({ method: 'GET', path: `/v1/stores/${encodeURIComponent(store)}`, options })
  }

  /** Change a store. The change applies from the next request to the export API. */
  changeStore(store: string, body: StoreChange, options: CallOptions = {}): Promise<Store> {
    return this.send({ method: 'PATCH', path: `/v1/stores/${encodeURIComponent(store)}`, options, body })
  }

  /** Remove a store. Revokes the keys of the store and deletes its URL. The database stays. */
  removeStore(store: string, options: CallOptions = {}): Promise<RemovedStore> {
    return this.send({ method: 'DELETE', path: `/v1/stores/${encodeURIComponent(store)}`, options })
  }

  /** Upgrade the schema of a store. Upgrades a database that this service created, and the grants of its reader. */
  upgradeStore(store: string, body: UpgradeRequest, options: PostOptions = {}): Promise<UpgradedStore> {
    return this.send({ method: 'POST', path: `/v1/stores/${encodeURIComponent(store)}/upgrade`, options, body })
  }

  /** Check a store. Connects to the store, and returns what `store-export doctor` finds. */
  getStoreHealth(store: string, options: CallOptions = {}): Promise<StoreHealth> {
    return this.send({ method: 'GET', path: `/v1/stores/${encodeURIComponent(store)}/health`, options })
  }

  /** Read the usage of a store. */
  getStoreUsage(store: string, query: { readonly since?: string } = {}, options: CallOptions = {}): Promise<Usage> {
    return this.send({ method: 'GET', path: `/v1/stores/${encodeURIComponent(store)}/usage`, options, query })
  }

  /** Create a key. The response contains the key itself. No other request returns it. */
  createKey(store: string, body: NewKey, options: PostOptions = {}): Promise<CreatedKey> {
    return this.send({ method: 'POST', path: `/v1/stores/${encodeURIComponent(store)}/keys`, options, body })
  }

  /** List the keys of a store. Returns active keys first, then revoked and expired keys. */
  listKeys(store: string, options: CallOptions = {}): Promise<KeyList> {
    return this.send({ method: 'GET', path: `/v1/stores/${encodeURIComponent(store)}/keys`, options })
  }

  /** Change a key. Renames a key, turns it off or on, or changes what it may do, from the next request on. */
  changeKey(key: string, body: KeyChange, options: CallOptions = {}): Promise<Key> {
    return this.send({ method: 'PATCH', path: `/v1/keys/${encodeURIComponent(key)}`, options, body })
  }

  /** Revoke a key. Every node rejects the key from the next request on. */
  revokeKey(key: string, options: CallOptions = {}): Promise<RevokedKey> {
    return this.send({ method: 'DELETE', path: `/v1/keys/${encodeURIComponent(key)}`, options })
  }

  /** Replace a key. Creates a key with the same permissions. The replaced key ends some hours after the first use of the new key. */
  replaceKey(key: string, body: KeyReplacement = {}, options: PostOptions = {}): Promise<CreatedKey> {
    return this.send({ method: 'POST', path: `/v1/keys/${encodeURIComponent(key)}/replace`, options, body })
  }

  /** List the members of a store. */
  listMembers(store: string, options: CallOptions = {}): Promise<MemberList> {
    return this.send({ method: 'GET', path: `/v1/stores/${encodeURIComponent(store)}/members`, options })
  }

  /** Add a member, or change the role of a member. Creates the account if no account has the address. The status is 201 for a created account. */
  setMember(store: string, email: string, body: MemberChange, options: CallOptions = {}): Promise<SetMember> {
    return this.send({ method: 'PUT', path: `/v1/stores/${encodeURIComponent(store)}/members/${encodeURIComponent(email)}`, options, body })
  }

  /** Remove a member from a store. Keys that the person created keep working. */
  removeMember(store: string, email: string, options: CallOptions = {}): Promise<RemovedMember> {
    return this.send({ method: 'DELETE', path: `/v1/stores/${encodeURIComponent(store)}/members/${encodeURIComponent(email)}`, options })
  }

  /** Remove an account of the dashboard. Keys that the person created keep working. */
  removeMerchant(email: string, options: CallOptions = {}): Promise<RemovedMerchant> {
    return this.send({ method: 'DELETE', path: `/v1/merchants/${encodeURIComponent(email)}`, options })
  }

  /** Create a one-time sign-in link. The first sign-in uses the link up. Without a body, the link works as long as the settings say. */
  createSignInLink(email: string, body: SignInLinkRequest = {}, options: PostOptions = {}): Promise<SignInLink> {
    return this.send({ method: 'POST', path: `/v1/merchants/${encodeURIComponent(email)}/sign-in-links`, options, body })
  }

  /** Read the log of changes. Returns changes of keys, stores, members, and secrets, oldest first. An event gets its time before its transaction commits. To miss no event, begin a later run a minute before the last event, and skip IDs that you know. */
  listAuditEvents(query: { readonly since?: string; readonly store?: string; readonly limit?: number; readonly cursor?: string } = {}, options: CallOptions = {}): Promise<AuditPage> {
    return this.send({ method: 'GET', path: '/v1/audit-events', options, query })
  }

  /** Create many stores, with one request for each 1,000 stores. Yields a result for each store, in their order. */
  createStores(stores: Iterable<NewStore>, options: PostOptions = {}): AsyncGenerator<CreateStoresResult> {
    return this.sendLines({ path: '/v1/stores/batch', lines: stores, options })
  }

  /** Change many stores, with one request for each 1,000 stores. Yields a result for each store, in their order. */
  changeStores(stores: Iterable<ChangeStoresLine>, options: PostOptions = {}): AsyncGenerator<ChangeStoresResult> {
    return this.sendLines({ path: '/v1/stores/batch-change', lines: stores, options })
  }

  /** Remove many stores, with one request for each 1,000 stores. Yields a result for each store, in their order. */
  removeStores(stores: Iterable<RemoveStoresLine>, options: PostOptions = {}): AsyncGenerator<RemoveStoresResult> {
    return this.sendLines({ path: '/v1/stores/batch-remove', lines: stores, options })
  }

  /** Upgrade the schemas of many stores, with one request for each 1,000 stores. Yields a result for each store, in their order. */
  upgradeStores(stores: Iterable<UpgradeStoresLine>, options: PostOptions = {}): AsyncGenerator<UpgradeStoresResult> {
    return this.sendLines({ path: '/v1/stores/batch-upgrade', lines: stores, options })
  }

  /** Check many stores, with one request for each 1,000 stores. Yields a result for each store, in their order. */
  checkStores(stores: Iterable<CheckStoresLine>, options: PostOptions = {}): AsyncGenerator<CheckStoresResult> {
    return this.sendLines({ path: '/v1/stores/batch-check', lines: stores, options })
  }
}
