// Declares the data of pages. Routes create it and views render it, so it does not depend on HTTP, SQL, or HTML.

import type { MemberRole, SecondFactorKind, StoreAction, StoreActor, StoreEvent } from '@store-export/control'
import type { ClientName } from '../accounts/client-name.ts'
import type { RecipeId } from '../texts/en/recipes.ts'
import type { Language, Localization } from '../texts/languages.ts'
import type { Theme } from '../ui/themes.ts'
import type { PasskeysCard } from './passkey-models.ts'

/** A section of a store's pages in the navigation. */
export type Section = 'general' | 'api' | 'members' | 'activity' | 'usage' | 'data' | 'recipes'

/** The status of a store. Only a ready store has data. */
export type StoreStatus = 'ready' | 'generating' | 'imported'

/** The facts about the store that every page of the store shows. */
export interface StoreHead {
  readonly id: string
  readonly name: string
  readonly status: StoreStatus
  /** The role of the merchant who sees the page. */
  readonly role: MemberRole
  /** IANA name; UTC if unknown. */
  readonly timeZone: string
}

/** A message that a page shows once, above its content. */
export interface PageNotice {
  readonly kind: 'done' | 'problem'
  readonly text: string
}

/** Facts for every page, in addition to the data of the page. */
export interface Frame extends Localization {
  /** The title of the document, without the product's name. */
  readonly title: string
  /** The signed-in merchant; null before the sign-in. */
  readonly viewer: { readonly email: string; readonly storesCount: number } | null
  /** The store of the page; null on pages without a store. */
  readonly store: StoreHead | null
  /** The section that the navigation highlights; null outside of a store's sections. */
  readonly section: Section | null
  /** The message at the top of the page; null for none. */
  readonly notice: PageNotice | null
  /** Time of the request. Texts such as "3 minutes ago" are relative to it. */
  readonly now: Date
  /** Public URL of the API, without a slash at the end. */
  readonly apiUrl: string
  /** The colors that the visitor chose. */
  readonly theme: Theme
  /** Path of this page with its query. */
  readonly path: string
  /** Returns a new single-use form token. Each form needs its own. */
  readonly formToken: () => string
}

/** The data of the sign-in page. */
export interface SignInPage {
  readonly email: string
  /** Path to open after the sign-in. */
  readonly next: string
  /** An error message; null at first. */
  readonly problem: string | null
  /** Text of the button for single sign-on; null without single sign-on. */
  readonly singleSignOnLabel: string | null
  /** Whether browsers allow passkeys at the address of the page. */
  readonly allowsPasskeys: boolean
}

/** The data of the page for a one-time sign-in link. */
export interface LinkPage {
  readonly token: string
  /** Path to open after the sign-in. */
  readonly next: string
  /** The email address of the current session; null without one. */
  readonly signedInAs: string | null
}

/** The data of the list of stores. */
export interface StoresPage {
  readonly stores: readonly Pick<StoreHead, 'id' | 'name' | 'status'>[]
}

/** The data of the account page. */
export interface AccountPage {
  readonly email: string
  /** The store that the navigation shows; null for none. The page then links to the list of stores. */
  readonly storeId: string | null
  /** The language that the merchant chose; null for the language of the browser. */
  readonly chosenLanguage: Language | null
  readonly hasPassword: boolean
  /** Whether a sign-in by link lets the merchant set a new password without the current one. */
  readonly needsNoCurrentPassword: boolean
  /** Whether the merchant must sign in again to set the first password. */
  readonly needsNewSession: boolean
  readonly passwordLengthMin: number
  /** The field that the dashboard rejected, and its error message; null without an error. */
  readonly passwordProblem: { readonly field: 'current' | 'next'; readonly text: string } | null
  readonly twoFactor: {
    /** Whether the sign-in needs a code. */
    readonly isOn: boolean
    /** The second factor with which the merchant must sign in before a change; null if this session is enough. */
    readonly signInFirst: SecondFactorKind | null
    /** The error message of the form; null without an error. */
    readonly problem: string | null
  }
  readonly passkeys: PasskeysCard
  readonly sessions: readonly {
    readonly startedAt: Date
    /** The browser and the operating system, such as Firefox and Linux; each is null if unknown. */
    readonly client: ClientName
    readonly isCurrent: boolean
  }[]
}

/** The data of Settings > General: the store as the API returns it, and the fields that its schema version lacks. */
export interface GeneralPage {
  /** The fields of the store's row; null if the service can't read it. `problem` then has the reason. */
  readonly snapshot: {
    /** The response to GET /api/v1/store. */
    readonly json: JsonPreview
    /** The highest schema version whose columns the store has; null below the first version. */
    readonly revision: { readonly id: string; readonly date: string; readonly summary: string } | null
    /** ID of the latest schema version that the service knows. */
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

/** The data of Settings > Activity: a page of events, and the choice that selects them. */
export interface ActivityPage {
  /** Newest first. */
  readonly events: readonly StoreEvent[]
  readonly choice: ActivityChoice
  /** The actors of all events. */
  readonly actors: readonly StoreActor[]
  /** URL of older events; null if there are no older events. */
  readonly olderHref: string | null
  /** URL of the newest events of this choice; null if these are the newest events. */
  readonly newestHref: string | null
  /** URL of the CSV file with the events of this choice. */
  readonly csvHref: string
}

/** Which events the activity page shows. */
export interface ActivityChoice {
  /** Null for all. */
  readonly action: StoreAction | null
  /** The `by` of an actor; null for all. */
  readonly by: string | null
  readonly from: ChosenDay
  readonly until: ChosenDay
}

/** The value of a date field, such as `2026-11-21`, or ''. */
export interface ChosenDay {
  readonly text: string
  /** The error message for an invalid day; null otherwise. */
  readonly problem: string | null
}

/** A cell of a table on a Data page: its value, and how to show it. */
export interface TableCell {
  readonly kind: 'text' | 'number' | 'money' | 'timestamp' | 'status' | 'id'
  /** The value; null if it is absent. A timestamp is RFC 3339, and an amount is a decimal string. */
  readonly text: string | null
  /** ISO 4217 code of an amount; absent if it is unknown, and for other cells. */
  readonly currency?: string
}

/** Which rows of a list come first: the newest or the oldest. */
export type DataOrder = 'newest' | 'oldest'

/** The data of one page of a list. */
export interface DataPage {
  /** Name of the list in URLs. */
  readonly list: string
  /** All lists. `rows` is null if the store does not report the number. */
  readonly lists: readonly { readonly list: string; readonly label: string; readonly rows: number | null }[]
  readonly columns: readonly { readonly label: string; readonly kind: TableCell['kind'] }[]
  readonly rows: readonly { readonly id: string; readonly cells: readonly TableCell[] }[]
  readonly order: DataOrder
  /** URL of the list in the opposite order. */
  readonly otherOrderHref: string
  /**
   * URL of the first page without a search; null on that page if its rows could be read, and for a search in a store
   * that can't be read.
   */
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
  /**
   * Path of these rows in the API: of the list, oldest rows first, or of the one row of a search for an ID. Null for
   * another search, because the API has none.
   */
  readonly apiPath: string | null
  /** The reason why the page shows no rows; null if it could read them. */
  readonly problem: string | null
}

/** Formatted JSON, or the beginning of it if `isWhole` is false. */
export interface JsonPreview {
  readonly text: string
  readonly isWhole: boolean
}

/** The values of a row that a merchant looks for first. Absent values are left out. */
export interface RowSummary {
  readonly facts: readonly { readonly label: string; readonly cell: TableCell }[]
  /** Amounts in the order in which they add up; empty for a row without them. */
  readonly amounts: RowSummary['facts']
  /** Tables of embedded rows, such as the items of an order. */
  readonly tables: readonly {
    readonly label: string
    readonly columns: DataPage['columns']
    readonly rows: readonly (readonly TableCell[])[]
    /** Number of embedded rows. It is higher than the number of `rows` if there are very many. */
    readonly all: number
  }[]
}

/** The data of the page about one row. */
export interface DataRowPage {
  readonly list: string
  readonly label: string
  readonly id: string
  readonly summary: RowSummary
  /** `bytes` is the size of the whole row in the API. */
  readonly json: JsonPreview & { readonly bytes: number }
  /** URL of the whole row as a file. */
  readonly jsonHref: string
  readonly apiPath: string
}

/** A recipe: code to copy into a tool. */
export interface Recipe {
  readonly id: RecipeId
  /** The name of the tool or language, which is not translated. */
  readonly title: string
  /** Language of `code` in lower case, such as `python`. */
  readonly language: string
  readonly code: string
}

/** Name of a guide to syncing a whole store, in the API's URLs. */
export type GuideName = 'store-sync' | 'client' | 'incremental-sync'

/** The data of the page with recipes. */
export interface RecipesPage {
  readonly recipes: readonly Recipe[]
  readonly docsUrl: string
  readonly guides: readonly { readonly name: GuideName; readonly href: string }[]
}

/** The data of an error page. `next` is a link to the next step. */
export interface ErrorPage {
  readonly heading: string
  readonly text: string
  readonly next: { readonly label: string; readonly href: string }
}
