// The data of each page, as the contract between routes and views. Routes create it and views render it, so it does not
// depend on HTTP, SQL, or HTML.

import type { KeySummary, Walk as RecordedWalk, RequestLine, StoppedWalk } from '@store-export/control'

/** A section of a store's pages in the navigation. */
export type Section = 'general' | 'api' | 'usage' | 'data' | 'recipes'

/** The status of a store. Only a ready store has data. */
export type StoreStatus = 'ready' | 'generating' | 'imported'

/** Facts about the store, for every page of the store. */
export interface StoreHead {
  readonly id: string
  readonly name: string
  readonly status: StoreStatus
  /** IANA name; UTC if unknown. */
  readonly timeZone: string
}

/** A message that a page shows once, above its content. */
export interface PageNotice {
  readonly kind: 'done' | 'problem'
  readonly text: string
}

/** Facts for every page, in addition to the data of the page. */
export interface Frame {
  /** The title of the document, without the product's name. */
  readonly title: string
  /** The signed-in merchant; null before the sign-in. */
  readonly viewer: { readonly email: string; readonly storesCount: number } | null
  /** The store of the page; null on pages without a store. */
  readonly store: StoreHead | null
  readonly section: Section | null
  readonly notice: PageNotice | null
  /** BCP 47 tag of the merchant's variant of English, for dates and numbers. */
  readonly locale: string
  /** Time of the request. Texts such as "3 minutes ago" are relative to it. */
  readonly now: Date
  /** Public URL of the API, without a slash at the end. */
  readonly apiUrl: string
  /** Returns a new single-use form token. Each form needs its own. */
  readonly formToken: () => string
}

export interface SignInPage {
  readonly email: string
  /** Path to open after the sign-in. */
  readonly next: string
  /** An error message; null at first. */
  readonly problem: string | null
  /** Text of the button for single sign-on; null without single sign-on. */
  readonly singleSignOnLabel: string | null
}

export interface LinkPage {
  readonly token: string
  /** The email address of the current session; null without one. */
  readonly signedInAs: string | null
}

export interface StoresPage {
  readonly stores: readonly Pick<StoreHead, 'id' | 'name' | 'status'>[]
}

export interface AccountPage {
  readonly email: string
  /** The page to return to; `storeId` is null for the list of stores. */
  readonly back: { readonly label: string; readonly href: string; readonly storeId: string | null }
  readonly hasPassword: boolean
  readonly passwordLengthMin: number
  readonly passwordProblem: { readonly field: 'current' | 'next'; readonly text: string } | null
  readonly sessions: readonly {
    readonly startedAt: Date
    /** Browser and system, such as "Firefox on Linux". */
    readonly client: string
    readonly isCurrent: boolean
  }[]
}

/** Settings > General. */
export interface GeneralPage {
  /** The fields of the store's row; null if the service can't read the store now. `problem` then has the reason. */
  readonly snapshot: {
    /** The response to GET /api/v1/store. */
    readonly json: JsonPreview
    /** The highest schema version whose columns the store has; null below the first version. */
    readonly revision: { readonly id: string; readonly date: string; readonly summary: string } | null
    readonly latestRevision: string
    /** Fields that the store's schema version does not have. They are null in every response. */
    readonly nullFields: readonly {
      readonly resource: string
      readonly field: string
      readonly since: string
      readonly note: string
    }[]
    readonly counts: readonly { readonly name: string; readonly rows: number }[]
    readonly facts: readonly { readonly label: string; readonly text: string }[]
  } | null
  readonly problem: string | null
}

/** The first and last characters of a key, which are not secret. */
export type MaskedKey = Pick<KeySummary, 'prefix' | 'lastFour'>

export interface KeyRow extends Omit<KeySummary, 'storeId' | 'replaces'> {
  readonly requests24h: number
  /** The newer key that replaces this key, while both keys are active. Both have the same name. */
  readonly replacedBy: (MaskedKey & { readonly id: string }) | null
}

/** A problem of an active key that the merchant should investigate. */
export type KeyWarning =
  /** All `requests` requests since `since` failed. */
  | { readonly kind: 'failing'; readonly key: KeyRow; readonly requests: number; readonly since: Date }
  /** The tool stopped in the middle of a list. */
  | { readonly kind: 'stopped'; readonly key: KeyRow; readonly walk: StoppedWalk }
  /** The tool stopped sending requests. `pauseHours` is its longest earlier pause. */
  | { readonly kind: 'silent'; readonly key: KeyRow; readonly pauseHours: number }

/** Settings > API. */
export interface KeysPage {
  /** A new key of this browser that the merchant has not confirmed as copied; null if all are confirmed. */
  readonly unconfirmed: KeyRow | null
  readonly warnings: readonly KeyWarning[]
  readonly tiles: KeyTiles
  readonly active: readonly KeyRow[]
  /** Newest first. */
  readonly revoked: readonly KeyRow[]
  readonly create: { readonly name: string; readonly problem: string | null }
  readonly keysMax: number
  /** The least recently used key, if the limit of keys is reached; null otherwise. */
  readonly leastUsed: KeyRow | null
}

export interface KeyTiles {
  readonly requestsToday: number
  /** The highest number of requests of one key in one minute today, and the name of that key. */
  readonly peakMinute: { readonly requests: number; readonly keyName: string | null }
  readonly requestsPerMinute: number
  readonly refusedSevenDays: number
  readonly activeKeys: number
  readonly keysMax: number
}

/** The only page that shows a new key. */
export interface KeyCreatedPage {
  readonly id: string
  readonly name: string
  readonly key: string
  /** A shell command that contains the key. */
  readonly curl: string
  /** The old key that the new key replaces; null if there is no old key, or if it is already revoked. */
  readonly replaces: KeyRow | null
}

/** The page of a new key that the dashboard can't show again. */
export interface KeyUnavailablePage {
  readonly key: KeyRow
}

/** The confirmation page before a key is revoked. */
export interface RevokePage {
  readonly key: KeyRow
  /** The key that the merchant wants to replace after this revocation; null if the limit is not the reason for it. */
  readonly makesRoomFor: KeyRow | null
}

/** The confirmation page before a key is replaced. */
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
  /** Requests over the rate limit, or to a store that is not ready or imported. */
  readonly rejected: number
  /** Requests that failed because of an error of the service. */
  readonly failed: number
}

/** Usage of the last 30 days. */
export interface UsagePage {
  /** Every day in the store's time zone, such as `2026-11-21`, oldest first. */
  readonly days: readonly (RequestSums & { readonly day: string })[]
  /** Active keys, and revoked keys with requests. Keys with most requests come first. */
  readonly keys: readonly (RequestSums & { readonly id: string; readonly name: string; readonly isActive: boolean })[]
  /** The only key that `days` counts; null for all keys. */
  readonly selectedKeyId: string | null
}

/** A list that a tool reads page by page. */
export interface WalkRow extends Omit<RecordedWalk, 'ended'> {
  readonly status: 'finished' | 'in progress' | 'stopped'
}

/** The recent usage of one key. */
export interface KeyUsagePage {
  readonly key: KeyRow
  readonly log: RequestLogPart
  /** Unfinished walks first, then newest first. */
  readonly walks: readonly WalkRow[]
}

/** A part of the request log of a key. */
export interface RequestLogPart {
  /** Newest first. */
  readonly lines: readonly RequestLine[]
  /** URL of older lines; null if there are no older lines. */
  readonly olderHref: string | null
  /** Whether these are the newest lines, because no time was chosen. */
  readonly isNewest: boolean
  readonly errorsOnly: boolean
  /** The chosen time in the store's time zone, such as `2026-11-21T03:00`; '' without a choice. */
  readonly until: string
  /** The error message for an invalid time; null otherwise. */
  readonly problem: string | null
  /** Hours for which the log retains lines. */
  readonly hours: number
}

export interface TableCell {
  readonly kind: 'text' | 'number' | 'money' | 'timestamp' | 'status' | 'id'
  /** The value; null if it is absent. A timestamp is RFC 3339. */
  readonly text: string | null
}

export type DataOrder = 'newest' | 'oldest'

export interface DataPage {
  /** Name of the list in URLs. */
  readonly list: string
  readonly lists: readonly { readonly list: string; readonly label: string; readonly rows: number | null }[]
  readonly columns: readonly { readonly label: string; readonly kind: TableCell['kind'] }[]
  readonly rows: readonly { readonly id: string; readonly cells: readonly TableCell[] }[]
  readonly order: DataOrder
  /** URL of the list in the opposite order. */
  readonly otherOrderHref: string
  /** URL of the first page; null without a link to it. */
  readonly firstHref: string | null
  /** URL of the next page; null on the last page. */
  readonly nextHref: string | null
  readonly search: {
    readonly text: string
    /** Accepted input, such as "ID or email address". */
    readonly by: string
    /** A message if the search does not accept the text, or did not find it; null otherwise. */
    readonly problem: string | null
    /** Creation time of the last searched row, if the search stopped before the end of the list; null otherwise. */
    readonly reached: Date | null
  }
  /** CSV files of the list and of rows embedded in its rows; empty if the service can't read the store. */
  readonly files: readonly { readonly label: string; readonly href: string }[]
  /** Path of the same rows in the API; null for a search, because the API has no search. */
  readonly apiPath: string | null
  readonly problem: string | null
}

/** Formatted JSON, or the beginning of it if `isWhole` is false. */
export interface JsonPreview {
  readonly text: string
  readonly isWhole: boolean
}

export interface DataRowPage {
  readonly list: string
  readonly label: string
  readonly id: string
  /** `bytes` is the size of the whole row in the API. */
  readonly json: JsonPreview & { readonly bytes: number }
  /** URL of the whole row as a file. */
  readonly jsonHref: string
  readonly apiPath: string
}

/** Code to copy into a tool. */
export interface Recipe {
  readonly id: string
  readonly title: string
  /** What it does, and how to use it if there are no steps. */
  readonly note: string
  readonly steps?: readonly string[]
  readonly language: string
  readonly code: string
}

export interface RecipesPage {
  readonly recipes: readonly Recipe[]
  readonly docsUrl: string
  /** The API's guides to syncing a whole store. */
  readonly guides: readonly { readonly title: string; readonly note: string; readonly href: string }[]
}

export interface ErrorPage {
  readonly heading: string
  readonly text: string
  readonly next: { readonly label: string; readonly href: string }
}
