// Events of the dashboard. They carry IDs and names of routes, but no key, form, or e-mail address.

import type { ControlFault } from '@store-export/control'

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

/** An attempt to sign in to the dashboard. */
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

/** The service itself failed: a defect, to be reported. */
export interface OwnFault {
  readonly event: 'own fault'
  readonly requestId: string | null
  readonly cause: unknown
}

export type DashboardEvent = ControlFault | PageAnswered | SignedIn | KeyChanged | OwnFault

/** Called with each event. It returns at once and never throws. */
export type Observe = (event: DashboardEvent) => void
