// Stores which sessions began with a one-time link. For ten minutes, such a session can set a new password once without
// the current one. The dashboard doesn't use better-auth's links that reset a password, because they need no second
// factor.

import type { Auth } from './auth.ts'

/** Minutes after a sign-in by link in which the session can set a new password without the current one. */
export const NEW_PASSWORD_MINUTES = 10

/** Marks sessions and sign-ins in the table of better-auth's one-time tokens. */
export class LinkSignIns {
  readonly #auth: Auth

  constructor(auth: Auth) {
    this.#auth = auth
  }

  /** Marks a sign-in by link that needs a code. `pendingId` is its ID in the cookie of the second factor. */
  async markPending(pendingId: string): Promise<void> {
    await this.#mark(`link-${pendingId}`)
  }

  /**
   * Marks the session of a completed sign-in if a link began it less than ten minutes ago. The session then has ten
   * minutes from now.
   */
  async complete(pendingId: string, sessionToken: string): Promise<void> {
    const { internalAdapter } = await this.#auth.$context
    if ((await internalAdapter.consumeVerificationValue(`link-${pendingId}`)) === null) return
    const found = await internalAdapter.findSession(sessionToken)
    if (found !== null) await this.markSession(found.session.id)
  }

  /** Lets the session set a new password without the current one, for ten minutes. */
  async markSession(sessionId: string): Promise<void> {
    await this.#mark(`new-password-${sessionId}`)
  }

  /** Whether the session can set a new password without the current one. */
  async allowsNewPassword(sessionId: string): Promise<boolean> {
    const { internalAdapter } = await this.#auth.$context
    const mark = await internalAdapter.findVerificationValue(`new-password-${sessionId}`)
    // better-auth also finds expired marks. `consumeVerificationValue` returns null for them.
    return mark !== null && mark.expiresAt > new Date()
  }

  /** Uses up the permission of the session to set a new password. Returns whether it had one. */
  async useNewPassword(sessionId: string): Promise<boolean> {
    const { internalAdapter } = await this.#auth.$context
    return (await internalAdapter.consumeVerificationValue(`new-password-${sessionId}`)) !== null
  }

  async #mark(identifier: string): Promise<void> {
    const { internalAdapter } = await this.#auth.$context
    const expiresAt = new Date(Date.now() + NEW_PASSWORD_MINUTES * 60_000)
    await internalAdapter.createVerificationValue({ identifier, value: '', expiresAt })
  }
}
