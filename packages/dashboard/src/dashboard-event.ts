// The events of the dashboard. They contain IDs and names of routes, but no key, form, or email address. A `cause` can
// contain anything, so the log writes only its safe parts (operator/src/log.ts).

import type { ControlQueryFailed } from '@store-export/control'

/** The dashboard completed a request. */
export interface PageCompleted {
  readonly event: 'page.completed'
  readonly requestId: string
  /** The declared route, such as `/stores/:store/usage`; 'unknown' for other paths. */
  readonly route: string
  readonly method: string
  readonly status: number
  readonly durationMs: number
}

/** An attempt to sign in to the dashboard. */
export interface SignInAttempted {
  readonly event: 'sign_in.attempted'
  readonly requestId: string
  /** 'oidc': the platform's own sign-in. */
  readonly by: 'password' | 'link' | 'oidc'
  /** 'rate_limited': not checked after too many attempts. 'unreachable': the platform's sign-in did not respond. */
  readonly outcome: 'succeeded' | 'rejected' | 'rate_limited' | 'unreachable'
}

/** A merchant created or revoked a key. */
export interface KeyChanged {
  readonly event: 'key.created' | 'key.revoked'
  readonly requestId: string
  readonly storeId: string
  readonly keyId: string
}

/** An internal error interrupted a request. */
export interface PageFailed {
  readonly event: 'page.failed'
  readonly requestId: string | null
  readonly cause: unknown
}

export type DashboardEvent = ControlQueryFailed | PageCompleted | SignInAttempted | KeyChanged | PageFailed

/** Called with each event. The handler must return immediately and must not throw. */
export type DashboardEventHandler = (event: DashboardEvent) => void
