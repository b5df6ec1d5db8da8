// What can go wrong with the embedded PostgreSQL, each as one sentence that says what to do.
// Here are the words only; who meets a problem throws it.

/** A problem that the reader can solve: `message` is one sentence that says how. The cause is for logs. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError'
}

/** The package for this platform is not installed, most often because optional dependencies were left out. */
export function noBinaries(packageName: string, cause?: unknown): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The PostgreSQL binaries are missing: run "npm install" without --omit=optional, so that ${packageName} comes along.`,
    { cause },
  )
}

/** Nobody publishes binaries for this platform. */
export function unsupportedPlatform(platform: string, architecture: string): EmbeddedPostgresError {
  const advice = platform === 'win32' ? 'run this inside WSL' : 'set STORE_EXPORT_DATABASE_URL to a PostgreSQL of yours'
  return new EmbeddedPostgresError(`There is no embedded PostgreSQL for ${platform} on ${architecture}: ${advice}.`)
}

/** The binaries are there and do not run, for example on musl instead of glibc. */
export function binariesDoNotRun(program: string, reason: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `${program} does not run on this machine (${oneLine(reason)}): use a system with glibc, or set ` +
      'STORE_EXPORT_DATABASE_URL to a PostgreSQL of yours.',
  )
}

/** PostgreSQL refuses to run as root, and there is nobody to run it as. */
export function noAccount(names: readonly string[]): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `PostgreSQL does not run as root, and none of the users ${names.join(', ')} exists here: ` +
      'add one to /etc/passwd, or start this as an ordinary user.',
  )
}

/** Another user made the cluster; PostgreSQL serves a folder only for its owner. */
export function foreignOwner(folder: string, ownerId: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `${folder} belongs to the user with id ${ownerId}: start this as that user or as root, or choose another data folder.`,
  )
}

/** Somebody serves this folder now. */
export function alreadyRunning(folder: string, processId: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `PostgreSQL already runs in ${folder} (process ${processId}): stop that one first, or choose another data folder.`,
  )
}

/** The cluster was made by another major version. */
export function otherVersion(folder: string, found: string, expected: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `${folder} holds data of PostgreSQL ${found} and this program brings PostgreSQL ${expected}: move that folder away ` +
      'to begin with an empty one, or run the version of this program that made it.',
  )
}

/** The TCP port belongs to another program. */
function portTaken(port: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `Port ${port} of 127.0.0.1 is taken by another program: stop that program, or choose another port.`,
  )
}

/** No room, a read-only disk, or no permission. Undefined for any other error code. */
function unwritable(folder: string, code: string | undefined, cause?: unknown): EmbeddedPostgresError | undefined {
  const words = code === undefined ? undefined : UNWRITABLE[code]
  return words === undefined ? undefined : new EmbeddedPostgresError(words(folder), { cause })
}

/** There is no room left where the folder lies. */
export function diskFull(folder: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(full(folder))
}

/** Does the work; a failure of the file system is thrown as the problem that `folder` cannot be written. */
export async function explainWriteErrors<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw unwritable(folder, (error as NodeJS.ErrnoException).code, error) ?? error
  }
}

/** initdb looks its own user up. */
function unnamedUser(userId: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The user with id ${userId} has no entry in /etc/passwd, which PostgreSQL needs: start this as a user who has one.`,
  )
}

/** The program ended and none of the known reasons is in what it said. */
export function unexplained(program: string, lastWords: string, logFile?: string): EmbeddedPostgresError {
  const where = logFile === undefined ? '' : `: read ${logFile}`
  return new EmbeddedPostgresError(`${program} ended at once, saying "${oneLine(lastWords)}"${where}.`)
}

/**
 * The known reason in what initdb or PostgreSQL wrote, as a problem; undefined when there is none.
 * The programs run with LC_ALL=C, so their words do not depend on the machine.
 */
export function recognized(output: string, where: { folder: string; port: number }): EmbeddedPostgresError | undefined {
  if (/Address already in use/.test(output)) return portTaken(where.port)
  const code = Object.keys(SAYINGS).find((candidate) => SAYINGS[candidate]?.test(output))
  if (code !== undefined) return unwritable(where.folder, code)
  const user = /could not look up effective user ID (\d+)/.exec(output)
  if (user !== null) return unnamedUser(Number(user[1]))
  const lock = /Is another postmaster \(PID (\d+)\) running in data directory/.exec(output)
  return lock === null ? undefined : alreadyRunning(where.folder, Number(lock[1]))
}

const notPermitted = (folder: string): string =>
  `${folder} may not be written by this user: give it to the user who starts this, or choose another data folder.`

const full = (folder: string): string =>
  `The disk that holds ${folder} is full: free some space (a new data folder takes about 100 MB) and start again.`

const UNWRITABLE: Record<string, (folder: string) => string> = {
  ENOSPC: full,
  EDQUOT: full,
  EROFS: (folder) => `${folder} lies on a read-only disk: mount it writable, or choose another data folder.`,
  EACCES: notPermitted,
  EPERM: notPermitted,
}

const SAYINGS: Record<string, RegExp> = {
  ENOSPC: /No space left on device|wrote only \d+ of \d+ bytes/,
  EDQUOT: /Disk quota exceeded/,
  EROFS: /Read-only file system/,
  EACCES: /Permission denied/,
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 300)
}
