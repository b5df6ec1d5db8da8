// Opens sessions of the owner of a store database. The owner is a role of the platform, and can define triggers, views,
// and database settings that execute its code in every session. So the role of the control database must not read or
// change objects of a store: `set role` is no protection, because this code can reset it. Instead, a temporary login
// that is a member of only the owner does the work.

import { randomBytes } from 'node:crypto'
import { type Connection, queryRows, sql } from '@store-export/postgres'
import { codeOf } from '../explain-error.ts'
import { UserError } from '../user-error.ts'
import { scramVerifier } from './scram-verifier.ts'
import { quoteName, quoteText } from './sql-text.ts'
import { urlForLogin } from './store-url.ts'

/** Opens a connection to the database at `url`. Close it after use. */
export type OpenConnection = (url: string) => Promise<Connection>

/** A session that can do what the owner can, and one of the role in the URL, which must only use the catalog. */
export interface OwnerSession {
  readonly owner: Connection
  readonly admin: Connection
  /** URL of the session of the owner. */
  readonly ownerUrl: string
}

const NAME_BYTES = 8
const PASSWORD_BYTES = 32
const SALT_BYTES = 16
/** Time after which the login of a process that was killed is useless. */
const LOGIN_LIFETIME = '1 hour'

/**
 * Runs `work` with a session of the owner of the database in `url`. `url` is for the owner, or for a role that can
 * create roles and grant membership in the owner. Rejects with `UserError` if the role can't do that, and like `work`.
 * If `url` is for the owner, both sessions are the same. After `signal` was aborted, closes the session of the owner,
 * so that the server rolls back, and drops the login.
 */
export async function asOwner<T>(
  url: string,
  connect: OpenConnection,
  work: (session: OwnerSession) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const admin = await connect(url)
  try {
    // The owner can set another search path for the database, in which functions of its own hide those of PostgreSQL.
    await admin.script('set search_path = pg_catalog')
    const [database] = await queryRows<{ name: string; owner: string; isOwn: boolean }>(
      admin,
      sql`
        select datname as name, pg_get_userbyid(datdba) as owner, pg_get_userbyid(datdba) = session_user as "isOwn"
        from pg_database where datname = current_database()`,
    )
    if (database === undefined) throw new Error('the catalog has no row of the current database')
    if (database.isOwn) {
      closeOnAbort(admin, signal)
      await admin.script('reset search_path')
      return await work({ owner: admin, admin, ownerUrl: url })
    }
    return await withLogin(admin, database.owner, async ({ user, password }) => {
      const ownerUrl = urlForLogin(url, { user, password, database: database.name })
      const owner = await connect(ownerUrl)
      closeOnAbort(owner, signal)
      try {
        // New objects must belong to the owner.
        await owner.script(`set role ${quoteName(database.owner)}`)
        return await work({ owner, admin, ownerUrl })
      } finally {
        // Code of the owner can reset the role, and objects then belong to the login.
        const [own, target] = [quoteName(user), quoteName(database.owner)]
        await owner
          .script(`reset role; reassign owned by ${own} to ${target}; drop owned by ${own}`)
          // If this fails, `withLogin` can't drop the login, and turns it off.
          .catch(() => undefined)
        await owner.close()
      }
    })
  } finally {
    await admin.close()
  }
}

/** Closes the connection when the signal is aborted, or at once if it was aborted before. */
function closeOnAbort(connection: Connection, signal: AbortSignal | undefined): void {
  const close = () => void connection.close()
  if (signal?.aborted) close()
  signal?.addEventListener('abort', close)
  void connection.closed.then(() => signal?.removeEventListener('abort', close))
}

/** Runs `work` with a new login that is a member of only `owner`. Drops the login at the end. */
async function withLogin<T>(
  admin: Connection,
  owner: string,
  work: (login: { readonly user: string; readonly password: string }) => Promise<T>,
): Promise<T> {
  const user = `store_export_login_${randomBytes(NAME_BYTES).toString('hex')}`
  const password = randomBytes(PASSWORD_BYTES).toString('base64url')
  const verifier = scramVerifier(password, randomBytes(SALT_BYTES))
  const [until] = await queryRows<{ at: string }>(
    admin,
    sql`select (clock_timestamp() + ${LOGIN_LIFETIME}::interval)::text as at`,
  )
  try {
    await admin.script(
      `create role ${quoteName(user)} login password ${quoteText(verifier)} valid until ${quoteText(until?.at ?? '')} in role ${quoteName(owner)}`,
    )
  } catch (error) {
    if (codeOf(error) !== '42501') throw error
    throw new UserError(
      `the role in the URL can't create a login for the owner of the database, ${quoteName(owner)}; use the URL of the owner`,
      { cause: error },
    )
  }
  try {
    return await work({ user, password })
  } finally {
    // A role that still owns an object can't be dropped. It stays, but can't log in.
    await admin
      .script(`drop role ${quoteName(user)}`)
      .catch(() => admin.script(`alter role ${quoteName(user)} nologin`))
  }
}
