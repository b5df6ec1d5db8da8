// Whom PostgreSQL runs as: ourselves, or as root an existing unprivileged user, because PostgreSQL refuses root.
// No user is ever created.
import { readFile, stat } from 'node:fs/promises'
import { foreignOwner, noAccount } from './embedded-postgres-error.ts'

/** Ids to hand to `spawn` and `chown`; undefined where the caller's own user is meant. */
export type Account = { userId: number; groupId: number } | undefined

/** In the order of choice; the user postgres, if there, owns other databases on this machine and comes last. */
const UNPRIVILEGED = ['nobody', 'daemon', 'postgres']

/**
 * The account that serves `clusterFolder`: its owner when it exists, else an unprivileged user when we are root.
 * Throws an EmbeddedPostgresError when the folder belongs to somebody we cannot become.
 */
export async function chooseAccount(clusterFolder: string, passwdFile = '/etc/passwd'): Promise<Account> {
  const ownId = process.getuid?.() ?? 0
  const owner = await ownerOf(clusterFolder)
  if (owner !== undefined && owner.userId !== ownId && ownId !== 0) throw foreignOwner(clusterFolder, owner.userId)
  if (ownId !== 0) return undefined
  if (owner !== undefined && owner.userId !== 0) return owner
  return unprivilegedAccount(await readFile(passwdFile, 'utf8').catch(() => ''))
}

/** The first unprivileged account in the text of a passwd file; throws an EmbeddedPostgresError when it has none. */
export function unprivilegedAccount(passwd: string): Account {
  const entries = passwd.split('\n').map((line) => line.split(':'))
  for (const name of UNPRIVILEGED) {
    const entry = entries.find((fields) => fields[0] === name)
    const userId = Number(entry?.[2])
    // macOS writes nobody's id as -2, which chown takes as unsigned only
    if (entry !== undefined && Number.isInteger(userId) && userId !== 0) {
      return { userId: userId >>> 0, groupId: Number(entry[3]) >>> 0 }
    }
  }
  throw noAccount(UNPRIVILEGED)
}

/** The options that make `spawn` run a program as the account. */
export function asAccount(account: Account): { uid?: number; gid?: number } {
  // spawn takes signed ids, chown unsigned ones
  return account === undefined ? {} : { uid: account.userId | 0, gid: account.groupId | 0 }
}

async function ownerOf(folder: string): Promise<{ userId: number; groupId: number } | undefined> {
  const found = await stat(folder).catch(() => undefined)
  return found === undefined ? undefined : { userId: found.uid, groupId: found.gid }
}
