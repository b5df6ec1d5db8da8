// Finds PostgreSQL's programs in the npm package of this platform, and makes them executable for the account. The
// package creates its symbolic links in an install script, which some installations skip (`--ignore-scripts`).
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Account } from './account.ts'
import { binariesDoNotRun, explainWriteErrors, noBinaries, unsupportedPlatform } from './embedded-postgres-error.ts'
import { runProgram } from './run-program.ts'

/** The paths of the programs, and their major version, such as "18". */
export type Binaries = { initdb: string; postgres: string; majorVersion: string }

/**
 * `account` runs the programs. `packageFolder` is the installed package. `copyFolder` is used only if the account can't
 * run the files of the package.
 */
export type FindBinariesOptions = { account: Account; copyFolder: string; packageFolder: string }

const SUPPORTED = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']

/**
 * Returns the folder of the installed package for this platform. Throws `EmbeddedPostgresError` if there is none.
 * `resolve` has the behavior of `require.resolve`.
 */
export function binariesPackage(
  platform: string = process.platform,
  architecture: string = process.arch,
  resolve: (name: string) => string = createRequire(import.meta.url).resolve,
): string {
  const target = `${platform}-${architecture}`
  if (!SUPPORTED.includes(target)) throw unsupportedPlatform(platform, architecture)
  const name = `@embedded-postgres/${target}`
  try {
    // The main file is in the folder `dist` of the package.
    return path.resolve(path.dirname(resolve(name)), '..')
  } catch (cause) {
    throw noBinaries(name, cause)
  }
}

/**
 * Returns programs that the account can run: those of the package, or a copy if it can't run them or their links can't
 * be created. Rejects with `EmbeddedPostgresError` if the copy can't be written, or if the copied programs don't run
 * either.
 */
export async function findBinaries({ account, copyFolder, packageFolder }: FindBinariesOptions): Promise<Binaries> {
  const native = path.join(packageFolder, 'native')
  const linked = await link(native, native)
  if (linked && (await probe(native, account)).version !== undefined) return programs(native, account)
  const { version } = JSON.parse(await readFile(path.join(packageFolder, 'package.json'), 'utf8')) as {
    version: string
  }
  const copy = path.join(copyFolder, `postgresql-${version}`)
  if (!(await exists(copy))) await explainWriteErrors(copyFolder, () => copyNative(native, copy))
  return programs(copy, account)
}

/**
 * Calls `use` with a working initdb. initdb puts the path of `postgres` in double quotes into a shell command, without
 * escaping it. So `use` gets a temporary copy if the path contains a character that is special in double quotes.
 */
export async function withInitdb<T>(binaries: Binaries, use: (initdb: string) => Promise<T>): Promise<T> {
  if (!/["$`\\]/.test(binaries.initdb)) return use(binaries.initdb)
  // `/tmp` and not `os.tmpdir()`, whose path can contain such characters, too.
  const folder = await mkdtemp('/tmp/store-export-')
  try {
    // `mkdtemp` gives access only to the current user, but the account runs initdb.
    await chmod(folder, 0o711)
    const copy = path.join(folder, 'native')
    await copyNative(path.resolve(binaries.initdb, '../..'), copy)
    return await use(program(copy, 'initdb'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function programs(native: string, account: Account): Promise<Binaries> {
  const { version, output } = await probe(native, account)
  if (version === undefined) throw binariesDoNotRun(program(native, 'postgres'), output)
  return { initdb: program(native, 'initdb'), postgres: program(native, 'postgres'), majorVersion: version }
}

/**
 * Returns the major version that `postgres --version` prints, and its output. The version is undefined if the account
 * can't run the program: the run also tests permissions, noexec file systems, and missing libraries.
 */
async function probe(native: string, account: Account): Promise<{ version: string | undefined; output: string }> {
  const { output } = await runProgram(program(native, 'postgres'), ['--version'], account)
  return { version: /^postgres \(PostgreSQL\) (\d+)/.exec(output)?.[1], output }
}

function program(native: string, name: string): string {
  return path.join(native, 'bin', name)
}

/**
 * Creates the links that the package lists. Returns false if a link can't be created in `folder`. A link that another
 * process has created in the meantime is fine.
 */
async function link(native: string, folder: string): Promise<boolean> {
  // A package without the list has no links.
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = JSON.parse(list) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const file = path.join(folder, path.relative('native', target))
    if (await exists(file)) continue
    const made = await symlink(path.relative(path.dirname(target), source), file).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code === 'EEXIST',
    )
    if (!made) return false
  }
  return true
}

/**
 * Copies to a temporary name and renames the copy, so that an interrupted copy is never used. Leaves out static
 * libraries (`.a`), which no program needs at run time.
 */
async function copyNative(native: string, copy: string): Promise<void> {
  const unfinished = `${copy}.${process.pid}`
  try {
    await mkdir(unfinished, { recursive: true })
    await cp(native, unfinished, { recursive: true, verbatimSymlinks: true, filter: (file) => !file.endsWith('.a') })
    await openToAll(unfinished)
    // A link that can't be created shows later, when `programs` runs the copy.
    await link(native, unfinished)
    await rename(unfinished, copy)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    // Another process can have created the copy in the meantime.
    if (!(await exists(copy))) throw error
  }
}

/** Makes the copy readable for all users, whatever the umask and the original permissions are. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isSymbolicLink()) {
      const runs = entry.isDirectory() || path.basename(entry.parentPath) === 'bin'
      await chmod(path.join(entry.parentPath, entry.name), runs ? 0o755 : 0o644)
    }
  }
}

async function exists(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => undefined)) !== undefined
}
