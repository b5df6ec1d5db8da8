// Creates one-time sign-in links to the dashboard, for the command line and the admin API.

import { readDashboardSecret, recordSignInLink, UnknownMerchant } from '@store-export/control'
import type { CommandContext } from '../command-context.ts'

/** A link that signs a merchant in once. */
export interface SignInLink {
  readonly url: string
  readonly expiresAt: Date
}

/** The link to create. */
export interface SignInLinkRequest {
  readonly email: string
  /** Address of the dashboard, without a slash at its end. */
  readonly url: string
  /** Minutes for which the link works; undefined for the minutes of the settings. */
  readonly minutes: number | undefined
}

/**
 * Creates a link, and records that in the audit log. Rejects with `InvalidEmailError`, and with `UnknownMerchant` if no
 * account has the address.
 */
export async function createSignInLink(
  context: CommandContext,
  { email, url, minutes }: SignInLinkRequest,
): Promise<SignInLink> {
  const { database, keys, random, config, actor } = context
  const linkMinutes = minutes ?? config.linkMinutes
  // A dynamic import loads the dashboard only when it is needed, so that other commands start faster.
  const { Accounts } = await import('@store-export/dashboard')
  const secret = await readDashboardSecret({ database, keys, random })
  const accounts = new Accounts({ ...config, linkMinutes, database, secret, url })
  if (!(await accounts.hasMerchant(email))) throw new UnknownMerchant(email)
  const expiresAt = new Date(Date.now() + linkMinutes * 60_000)
  const token = await accounts.createSignInLink(email)
  await recordSignInLink(database, email, actor)
  return { url: `${url}/link/${token}`, expiresAt }
}
