// What each page shows, as data: made by the routes, drawn by the views. Nothing here knows HTTP, SQL or HTML. Instants
// are dates; views write them in the store's time zone.

import type { KeySummary, Walk as RecordedWalk, RequestLine, StoppedWalk } from '@store-export/control'

/** Section of a store's pages, for the navigation. */
export type Section = 'general' | 'api' | 'usage' | 'data' | 'recipes'

/** How a store stands: only ready ones have data. */
export type StoreStatus = 'ready' | 'generating' | 'imported'

/** A store as every page of it shows it. */
export interface StoreHead {
  readonly id: string
  readonly name: string
  readonly status: StoreStatus
  /** IANA name; UTC where the store says none. */
  readonly timeZone: string
}

/** What a page tells once, above its content. */
export interface PageNotice {
  readonly kind: 'done' | 'problem'
  readonly text: string
}

/** What surrounds every page. */
export interface Frame {
  /** Of the document, without the product's name. */
  readonly title: string
  /** null before the sign-in. */
  readonly viewer: { readonly email: string; readonly storesCount: number } | null
  /** null on pages of no store. */
  readonly store: StoreHead | null
  readonly section: Section | null
  readonly notice: PageNotice | null
  /** BCP 47 tag of English, the language of the pages, as the browser's reader writes dates in it. */
  readonly locale: string
  /** When the page is made: what "3 minutes ago" counts from. */
  readonly now: Date
  /** Address of the API for clients, without a slash at the end. */
  readonly apiUrl: string
  /** A one-time number for one form; each form takes its own. */
  readonly formToken: () => string
}

/** The sign-in form; `singleSignOnLabel` is on the button to the operator's own login, null where there is none. */
export interface SignInPage {
  readonly email: string
  /** Path to go to after the sign-in. */
  readonly next: string
  /** Shown above the forms; null at first. */
  readonly problem: string | null
  readonly singleSignOnLabel: string | null
}

/** A one-time link before it is used: a button, since programs that preview links open them. */
export interface LinkPage {
  readonly token: string
  /** E-mail address of the account that this browser is signed in to; null for none. */
  readonly signedInAs: string | null
}

/** The stores to choose from. */
export interface StoresPage {
  readonly stores: readonly Pick<StoreHead, 'id' | 'name' | 'status'>[]
}

/** The merchant's own account. */
export interface AccountPage {
  readonly email: string
  /** The page to return to; `storeId` is null for the choice of stores. */
  readonly back: { readonly label: string; readonly href: string; readonly storeId: string | null }
  readonly hasPassword: boolean
  readonly passwordLengthMin: number
  readonly passwordProblem: { readonly field: 'current' | 'next'; readonly text: string } | null
  readonly sessions: readonly {
    readonly startedAt: Date
    /** Browser and system in a few words, such as "Firefox on Linux". */
    readonly client: string
    readonly isCurrent: boolean
  }[]
}

/** Settings > General. */
export interface GeneralPage {
  /** null where the store cannot be read now; `problem` says why. */
  readonly snapshot: {
    /** The object that /api/v1/store answers, in its order. */
    readonly json: JsonPreview
    /** Highest revision whose columns are all there, and when the API published it; null below the first. */
    readonly revision: { readonly id: string; readonly date: string; readonly summary: string } | null
    readonly latestRevision: string
    /** Fields that this store cannot have yet: null in every answer. */
    readonly nullFields: readonly {
      readonly resource: string
      readonly field: string
      readonly since: string
      readonly note: string
    }[]
    readonly counts: readonly { readonly name: string; readonly rows: number }[]
    /** A few facts as label and text. */
    readonly facts: readonly { readonly label: string; readonly text: string }[]
  } | null
  readonly problem: string | null
}

/** The parts of a key that may be shown. */
export type MaskedKey = Pick<KeySummary, 'prefix' | 'lastFour'>

/** A key as lists show it. */
export interface KeyRow extends Omit<KeySummary, 'storeId' | 'replaces'> {
  readonly requests24h: number
  /** The newer key that takes this one's place, while both are active. Both have the same name. */
  readonly replacedBy: (MaskedKey & { readonly id: string }) | null
}

/** A problem of an active key that the merchant should investigate. */
export type KeyWarning =
  /** Its tool has got only errors, for so many requests since then. */
  | { readonly kind: 'failing'; readonly key: KeyRow; readonly requests: number; readonly since: Date }
  /** Its tool did not read a list to the end. */
  | { readonly kind: 'stopped'; readonly key: KeyRow; readonly walk: StoppedWalk }
  /** Its tool used to make requests with pauses of so many hours at most, and stopped. */
  | { readonly kind: 'silent'; readonly key: KeyRow; readonly pauseHours: number }

/** Settings > API. */
export interface KeysPage {
  /** A key that this browser created lately and did not confirm as copied; null for none. */
  readonly unconfirmed: KeyRow | null
  readonly warnings: readonly KeyWarning[]
  readonly tiles: KeyTiles
  readonly active: readonly KeyRow[]
  /** Newest first. */
  readonly revoked: readonly KeyRow[]
  readonly create: { readonly name: string; readonly problem: string | null }
  readonly keysMax: number
  /** Which key was used least, where all are taken. */
  readonly leastUsed: KeyRow | null
}

/** The tiles above the keys; they are fetched again by themselves. */
export interface KeyTiles {
  readonly requestsToday: number
  /** Requests of one key in its fullest minute today, and which key. */
  readonly peakMinute: { readonly requests: number; readonly keyName: string | null }
  readonly requestsPerMinute: number
  readonly refusedSevenDays: number
  readonly activeKeys: number
  readonly keysMax: number
}

/** A new key, on the only page that shows it. */
export interface KeyCreatedPage {
  readonly id: string
  readonly name: string
  readonly key: string
  /** A line for a shell, the key in it. */
  readonly curl: string
  /** The key that it replaces and that still works; null for a new tool, or where the old one ended with this. */
  readonly replaces: KeyRow | null
}

/** A key that was created and can't be shown any more. */
export interface KeyUnavailablePage {
  readonly key: KeyRow
}

/** Asks before a key is revoked. */
export interface RevokePage {
  readonly key: KeyRow
  /** The key that is to be replaced afterwards, in the room that this one leaves; null for none. */
  readonly makesRoomFor: KeyRow | null
}

/** Asks before a key is replaced. */
export interface ReplacePage {
  readonly key: KeyRow
  /** The store's other active keys if the limit of keys is reached, so that one must be revoked first; null otherwise. */
  readonly others: readonly KeyRow[] | null
}

/** Sums of requests. */
export interface RequestSums {
  /** Requests that returned data. */
  readonly answered: number
  /** Requests with an error that the client has to fix, such as a wrong parameter. */
  readonly clientErrors: number
  /** Requests over the limit, or of a store that is not served. */
  readonly refused: number
  /** Requests that failed on the service's side. */
  readonly failed: number
}

/** Usage of 30 days. */
export interface UsagePage {
  /** Oldest first, each day of the store's time zone, `2026-11-21`, also those without requests. */
  readonly days: readonly (RequestSums & { readonly day: string })[]
  /** Most requests first; revoked keys that were used are among them. */
  readonly keys: readonly (RequestSums & { readonly id: string; readonly name: string; readonly isActive: boolean })[]
  /** The key that `days` is about; null for all. */
  readonly selectedKeyId: string | null
}

/** A list walked page by page. */
export interface WalkRow extends Omit<RecordedWalk, 'ended'> {
  readonly status: 'finished' | 'in progress' | 'stopped'
}

/** What one key did lately. */
export interface KeyUsagePage {
  readonly key: KeyRow
  readonly log: RequestLogPart
  /** Those not finished first, then newest first. */
  readonly walks: readonly WalkRow[]
}

/** A part of the request log of a key. */
export interface RequestLogPart {
  /** Newest first. */
  readonly lines: readonly RequestLine[]
  /** Address of the lines before these; null for none. */
  readonly olderHref: string | null
  /** Whether these are the newest lines, without a choice of time. */
  readonly isNewest: boolean
  readonly errorsOnly: boolean
  /** The time in the field, in the store's time zone: `2026-11-21T03:00`, empty without a choice. */
  readonly until: string
  /** Why that time is not a time; null for none. */
  readonly problem: string | null
  /** How long lines are kept. */
  readonly hours: number
}

/** One value of a table. */
export interface TableCell {
  readonly kind: 'text' | 'number' | 'money' | 'instant' | 'status' | 'id'
  /** null where the store has none; an instant is RFC 3339. */
  readonly text: string | null
}

/** Order of a list. */
export type DataOrder = 'newest' | 'oldest'

/** One page of a list. */
export interface DataPage {
  /** Name of the list in paths. */
  readonly list: string
  readonly lists: readonly { readonly list: string; readonly label: string; readonly rows: number | null }[]
  readonly columns: readonly { readonly label: string; readonly kind: TableCell['kind'] }[]
  readonly rows: readonly { readonly id: string; readonly cells: readonly TableCell[] }[]
  readonly order: DataOrder
  /** The same page from the other end of the list. */
  readonly otherOrderHref: string
  /** Addresses; null if the page does not exist. */
  readonly firstHref: string | null
  readonly nextHref: string | null
  readonly search: {
    /** The search text. */
    readonly text: string
    /** Accepted input: "ID or e-mail address". */
    readonly by: string
    /** A sentence if the text cannot be searched for, or was not found. */
    readonly problem: string | null
    /** Creation of the last row that was looked at, if the search ended before the list did. */
    readonly reached: Date | null
  }
  /** The list as CSV, and the rows embedded in it; none if the store cannot be read. */
  readonly files: readonly { readonly label: string; readonly href: string }[]
  /** Address of the same rows at the API; null for the rows of a search, which the API does not have. */
  readonly apiPath: string | null
  readonly problem: string | null
}

/** Formatted JSON, as much of it as a page shows. */
export interface JsonPreview {
  readonly text: string
  readonly isWhole: boolean
}

/** One row, opened. */
export interface DataRowPage {
  readonly list: string
  readonly label: string
  readonly id: string
  /** `bytes` is the size of the whole row as the API sends it. */
  readonly json: JsonPreview & { readonly bytes: number }
  /** Address of the whole row as a file. */
  readonly jsonHref: string
  readonly apiPath: string
}

/** A recipe to copy. */
export interface Recipe {
  readonly id: string
  readonly title: string
  /** One or two sentences: where to paste it and what it does. */
  readonly note: string
  readonly language: string
  readonly code: string
}

/** The recipes. */
export interface RecipesPage {
  readonly recipes: readonly Recipe[]
  readonly docsUrl: string
  /** Guides of the API for keeping a whole copy. */
  readonly guides: readonly { readonly title: string; readonly note: string; readonly href: string }[]
}

/** Something that ends here: a page that is not there, a form that was sent before, a fault. */
export interface ErrorPage {
  readonly heading: string
  readonly text: string
  /** Where to go on. */
  readonly next: { readonly label: string; readonly href: string }
}
