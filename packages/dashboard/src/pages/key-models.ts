// Declares the data of the pages about keys and their usage.

import type { Scope } from '@store-export/contract'
import type { KeySummary, LastError, Walk as RecordedWalk, RequestLine, UnfinishedWalk } from '@store-export/control'
import type { Connection } from '../recipes/tools.ts'
import type { UsageRange } from '../usage/usage-ranges.ts'

/** The first and last characters of a key, which are not secret. */
export type MaskedKey = Pick<KeySummary, 'prefix' | 'lastFour'>

/** A key as pages show it, with its recent requests. */
export interface KeyRow extends Omit<KeySummary, 'storeId' | 'replaces' | 'replacedKeyHours'> {
  /** Requests in the current hour and the 24 hours before it; null if they were not read. */
  readonly requests24h: number | null
  /** The part of these requests that the service rejected, as in `RequestSums`; 0 if they were not read. */
  readonly rejected24h: number
  /** The active key that replaces this key; null without one. */
  readonly replacedBy: Replacement | null
}

/** A key that replaces another key, and the hours from its first use to the end of that key. */
export interface Replacement extends MaskedKey {
  readonly id: string
  readonly endsAfterHours: number
}

/** What the tool of a key does. A tool is the program that sends requests with the key. */
export type SyncHealth =
  /** The key has no request yet. */
  | { readonly kind: 'unused' }
  /** A merchant turned the key off. */
  | { readonly kind: 'off'; readonly since: Date }
  /** The store is not ready, so the API rejects the key's requests. */
  | { readonly kind: 'unavailable' }
  /** The requests of the key can't be read now. */
  | { readonly kind: 'unreadable' }
  /** All `requests` requests since the hour `since` failed. `error` is the newest one, if the log still has it. */
  | {
      readonly kind: 'failing'
      readonly requests: number
      readonly since: Date
      readonly error: LastError | null
    }
  /** The tool is in the middle of a list, or stopped there. */
  | { readonly kind: 'reading' | 'stopped'; readonly walk: UnfinishedWalk }
  /**
   * The tool sends requests as usual, or missed its usual times. `intervalMs` is the usual time between two runs in
   * milliseconds; null if they are irregular, or if the key is being replaced.
   */
  | { readonly kind: 'upToDate' | 'silent'; readonly lastUsedAt: Date; readonly intervalMs: number | null }
  /** The tool has no usual times, or its key is being replaced, and it sent no request for two weeks. */
  | { readonly kind: 'idle'; readonly lastUsedAt: Date }

/** An active key in Settings > API. */
export interface ActiveKeyRow extends KeyRow {
  readonly health: SyncHealth
}

/** The data of Settings > API: the store's keys and warnings about them. */
export interface KeysPage {
  /**
   * The key that this browser created in the last ten minutes, if the merchant has not confirmed the copy. Null without
   * one, and in the response to a form.
   */
  readonly unconfirmed: KeyRow | null
  readonly active: readonly ActiveKeyRow[]
  /** Revoked keys, newest first. */
  readonly revoked: readonly KeyRow[]
  readonly create: CreateForm
  readonly keysMax: number
  /** The least recently used key, if the limit of keys is reached; null otherwise. */
  readonly leastUsed: KeyRow | null
}

/** The form that creates a key, as the merchant filled it in. */
export interface CreateForm {
  /** ID of the chosen tool; '' for another tool. */
  readonly tool: string
  readonly name: string
  /** The error message for the name; null without an error. */
  readonly problem: string | null
  readonly limits: TypedLimits
  /** The error message for the limits; null without an error. */
  readonly limitsProblem: string | null
}

/** The limits of a key as the merchant typed them. */
export interface TypedLimits {
  /** `sales` are orders and products. */
  readonly access: 'everything' | 'sales' | 'chosen'
  /** The chosen scopes. They count only if `access` is `chosen`. */
  readonly scopes: readonly Scope[]
  readonly withoutPersonalData: boolean
  /** A number of days, `date` for the day in `endsOn`, or `same` for the end of an existing key. */
  readonly ends: 'never' | '30' | '90' | 'date' | 'same'
  /** A day such as `2027-01-31`, or ''. */
  readonly endsOn: string
  /** IP addresses and networks; '' if the key works from everywhere. */
  readonly addresses: string
}

/** The data of the page that changes the permissions of a key. */
export interface PermissionsPage {
  readonly key: KeyRow
  readonly limits: TypedLimits
  /** The error message for the limits; null without an error. */
  readonly problem: string | null
  /** A digest of the permissions that the page shows. */
  readonly seen: string
}

/** The data of the page that changes the name of a key. */
export interface RenamePage {
  readonly key: KeyRow
  readonly name: string
  /** The error message for the name; null without an error. */
  readonly problem: string | null
}

/** The data of the only page that shows a new key. */
export interface KeyCreatedPage {
  readonly id: string
  readonly name: string
  readonly key: string
  /** A shell command that contains the key. */
  readonly curl: string
  /** How to connect the chosen tool; null for another tool. */
  readonly connection: Connection | null
  /** Null if the requests can't be read now. */
  readonly first: FirstRequests | null
  /** The old key that the new key replaces; null if there is no old key, or if it is already revoked. */
  readonly replaces: KeyRow | null
}

/** The requests of a new key so far. */
export interface FirstRequests {
  readonly requests: number
  readonly rows: number
  /** The newest error; null if there was none. */
  readonly error: LastError | null
}

/** The data of the page about a new key that the dashboard can't show again. */
export interface KeyUnavailablePage {
  readonly key: KeyRow
}

/** The data of the confirmation page before a key is revoked. */
export interface RevokePage {
  readonly key: KeyRow
  /** The key that the merchant wants to replace after this revocation; null if the limit is not the reason for it. */
  readonly makesRoomFor: KeyRow | null
}

/** The data of the confirmation page before a key is turned off. */
export interface TurnOffPage {
  readonly key: KeyRow
}

/** The data of the confirmation page before a key is replaced. */
export interface ReplacePage {
  readonly key: KeyRow
  /** The other active keys, if the limit is reached and the merchant must revoke a key first; null otherwise. */
  readonly others: readonly KeyRow[] | null
}

/** Numbers of requests by outcome. */
export interface RequestSums {
  /** Requests that returned data. */
  readonly successful: number
  /** Requests with an error of the client, such as a wrong parameter. */
  readonly clientErrors: number
  /** Requests with status 429: over the rate limit, or while the client does not read its responses. */
  readonly rejected: number
  /**
   * Requests that failed because of an error of the service or of a database, or because the service doesn't serve the
   * store.
   */
  readonly failed: number
}

/** The requests of one hour or day. */
export interface UsagePeriod extends RequestSums {
  readonly start: Date
}

/** The requests of a range by hour or by day. */
export interface UsageChart {
  readonly range: UsageRange
  /** Every hour or day of the range, oldest first. Days are in the store's time zone. */
  readonly periods: readonly UsagePeriod[]
  /** URL of the page with each range. */
  readonly ranges: readonly { readonly range: UsageRange; readonly href: string }[]
}

/** The data of the usage page. */
export interface UsagePage {
  readonly chart: UsageChart
  /** Active keys, and revoked keys with requests. Keys with most requests come first. */
  readonly keys: readonly (RequestSums & {
    readonly id: string
    readonly name: string
    readonly isActive: boolean
    /** URL of this page with the chart of this key. */
    readonly href: string
  })[]
  /** URL of this page with the chart of all keys. */
  readonly allKeysHref: string
  /** The only key of the chart; null for all keys. */
  readonly selectedKeyId: string | null
}

/** A walk as the page shows it: a list that a tool reads page by page. */
export interface WalkRow extends Omit<RecordedWalk, 'ended'> {
  readonly status: 'finished' | 'in progress' | 'stopped'
}

/** The data of the page about one key's usage. */
export interface KeyUsagePage {
  /** Whether this merchant gets emails about the key; null if the dashboard sends none, or for a revoked key. */
  readonly hasEmails: boolean | null
  readonly key: KeyRow
  /** Null if the requests can't be read now. */
  readonly usage: KeyUsage | null
}

/** The walks, the chart, and the request log of a key. */
export interface KeyUsage {
  readonly chart: UsageChart
  readonly log: RequestLogPart
  /** The walk with the latest page first. */
  readonly walks: readonly WalkRow[]
}

/** The lines of a key's request log that a page shows. */
export interface RequestLogPart {
  /** Lines of the log, newest first. */
  readonly lines: readonly RequestLine[]
  /** URL of older lines; null if there are no older lines. */
  readonly olderHref: string | null
  /** Whether these are the newest lines, because no valid time was chosen. */
  readonly isNewest: boolean
  readonly errorsOnly: boolean
  /** The only endpoint of the lines; null for all. */
  readonly endpoint: string | null
  /** All endpoints of the log. */
  readonly endpoints: readonly string[]
  /** The range of the chart, which the form of the log retains. */
  readonly range: UsageRange
  /** URL of the page with this choice, but with the newest lines. */
  readonly refreshHref: string
  /** URL of the CSV file with all lines of this choice, up to the same time. */
  readonly csvHref: string
  /** The chosen time in the store's time zone, such as `2026-11-21T03:00`; '' without a choice. */
  readonly until: string
  /** The error message for an invalid time; null otherwise. */
  readonly problem: string | null
  /** Hours for which the log retains lines. */
  readonly hours: number
}
