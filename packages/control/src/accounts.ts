// Finds, locks, and creates accounts by their email address, inside of transactions that add members.

import { randomUUID } from 'node:crypto'
import { type Connection, executeOn, queryRows, type SqlFragment, sql } from '@store-export/postgres'
import { namingActor } from './access/keys.ts'
import { isUsable } from './prove-address.ts'

/** Returns the name of a merchant as an actor of the audit table. */
export function merchantActor(merchantId: string): string {
  return `merchant ${merchantId}`
}

/** An account that a transaction found or created. */
interface Account {
  readonly id: string
}

/**
 * Returns the account with this address, which must be in lower case; null if there is none. The account can't be
 * removed until the end of the transaction.
 */
export async function findAccount(connection: Connection, email: string): Promise<Account | null> {
  const [found] = await queryRows<Account>(
    connection,
    sql`select id from merchants where email = ${email} for key share`,
  )
  return found ?? null
}

/**
 * Locks the account with this address. Returns null if there is none. `isUsable` says whether its person can accept an
 * invitation without a new password (prove-address.ts). `sessionId` is the visitor's session; null without one.
 */
export async function lockAccount(
  connection: Connection,
  email: string,
  sessionId: string | null,
): Promise<{ readonly id: string; readonly isUsable: boolean } | null> {
  const lock = sql`select id from merchants where email = ${email} for update`
  if ((await queryRows(connection, lock)).length === 0) return null
  // A separate statement sees the logins and sessions that the lock waited for.
  const [account] = await queryRows<{ id: string; isUsable: boolean }>(
    connection,
    sql`select m.id, ${isUsable(sessionId)} as "isUsable" from merchants m where m.email = ${email}`,
  )
  return account ?? null
}

/** The actor that creates an account, and whether its address is proved. */
interface AccountOrigin {
  /** Condition from `namingActor`. By default, it names the new account. */
  readonly actor?: SqlFragment
  /** Whether the person has proved the address; true by default. */
  readonly isProved?: boolean
}

/**
 * Creates an account for an address, which must be in lower case. If an account with this address exists, for example
 * from a concurrent transaction, returns it.
 */
export async function createAccount(
  connection: Connection,
  email: string,
  { actor, isProved = true }: AccountOrigin = {},
): Promise<Account> {
  const id = randomUUID()
  // `email_verified` is a column of better-auth. `address_proved` says whether the person has proved the address.
  const created = await executeOn(
    connection,
    sql`
    insert into merchants (id, name, email, email_verified, address_proved, created_at, updated_at)
    select ${id}, '', ${email}, true, ${isProved}::boolean, clock_timestamp(), clock_timestamp()
    where ${actor ?? namingActor(merchantActor(id))}
    on conflict (email) do nothing`,
  )
  // If the other account was removed in between, no account has this ID, and adding a membership to it fails.
  const found = created === 1 ? null : await findAccount(connection, email)
  return found ?? { id }
}

/** Sets the password of an account that has none. The values are those of better-auth for a password. */
export async function setFirstPassword(
  connection: Connection,
  merchantId: string,
  passwordHash: string,
): Promise<void> {
  await executeOn(
    connection,
    sql`
    insert into merchant_logins (id, account_id, provider_id, merchant_id, password, created_at, updated_at)
    values (${randomUUID()}, ${merchantId}, 'credential', ${merchantId}, ${passwordHash}, clock_timestamp(), clock_timestamp())`,
  )
}
