// Chooses the operating system user that runs PostgreSQL. PostgreSQL doesn't run as root. So this is the current user
// or, for root, the owner of the cluster or an unprivileged user. No user is created.
import { readFile, stat } from 'node:fs/promises'
import { foreignOwner, noAccount } from './embedded-postgres-error.ts'

/** User and group ID for `spawn` and `chown`; undefined for the current user. */
export type Account = { userId: number; groupId: number } | undefined

/** Users in the order of preference. The user postgres is last, because it can own other databases on this machine. */
const UNPRIVILEGED = ['nobody', 'daemon', 'postgres']

/**
 * Returns the account for `clusterFolder`; undefined for the current user. For root, this is the folder's owner or an
 * unprivileged user. Rejects with `EmbeddedPostgresError` if the folder belongs to another user and the current user
 * isn't root, or if there is no unprivileged user.
 */
export async function chooseAccount(clusterFolder: string, passwdFile = '/etc/passwd'): Promise<Account> {
  const ownId = process.getuid?.() ?? 0
  const owner = await ownerOf(clusterFolder)
  if (owner !== undefined && owner.userId !== ownId && ownId !== 0) throw foreignOwner(clusterFolder, owner.userId)
  if (ownId !== 0) return undefined
  if (owner !== undefined && owner.userId !== 0) return owner
  // Without the file, the error says that no user was found.
  return unprivilegedAccount(await readFile(passwdFile, 'utf8').catch(() => ''))
}

/** Returns the first unprivileged account of a passwd file. Throws `EmbeddedPostgresError` if there is none. */
export function unprivilegedAccount(passwd: string): Account {
  const entries = passwd.split('\n').map((line) => line.split(':'))
  for (const name of UNPRIVILEGED) {
    const entry = entries.find((fields) => fields[0] === name)
    const userId = Number(entry?.[2])
    // macOS has a user with the ID -2, but `chown` accepts only unsigned IDs.
    if (entry !== undefined && Number.isInteger(userId) && userId !== 0) {
      return { userId: userId >>> 0, groupId: Number(entry[3]) >>> 0 }
    }
  }
  throw noAccount(UNPRIVILEGED)
}

/** Returns the options of `spawn` that run a program as the account. */
export function asAccount(account: Account): { uid?: number; gid?: number } {
  // `spawn` accepts signed IDs. `chown` accepts unsigned IDs.
  return account === undefined ? {} : { uid: account.userId | 0, gid: account.groupId | 0 }
}

async function ownerOf(folder: string): Promise<{ userId: number; groupId: number } | undefined> {
  const found = await stat(folder).catch(() => undefined)
  return found === undefined ? undefined : { userId: found.uid, groupId: found.gid }
}
