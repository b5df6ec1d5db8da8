// Where PostgreSQL's programs are: the npm package of this platform, made runnable for the account that serves the
// cluster. The package leaves its symbolic links to an install script, which npm does not run by default.
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Account } from './account.ts'
import { binariesDoNotRun, explainWriteErrors, noBinaries, unsupportedPlatform } from './embedded-postgres-error.ts'
import { runProgram } from './run-program.ts'

/** The programs, and the major version they are of, such as "18". */
export type Binaries = { initdb: string; postgres: string; majorVersion: string }

/** Where to look and for whom; `copyFolder` is used only when the package's own files cannot be run. */
export type FindBinariesOptions = { account: Account; copyFolder: string; packageFolder: string }

const SUPPORTED = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']

/**
 * The folder of the platform's installed package. Throws an EmbeddedPostgresError when there is none for the platform or
 * it was left out. `resolve` finds a module's file by its name, as require.resolve does.
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
    return path.resolve(path.dirname(resolve(name)), '..')
  } catch (cause) {
    throw noBinaries(name, cause)
  }
}

/** Programs that the account can run: those of the package, or a copy where it cannot reach or link them. */
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
 * Lends `use` an initdb that works: it starts `postgres` beside it through a shell and escapes nothing, so below a
 * folder whose name a shell would read otherwise it is lent as a copy. The server itself works from anywhere.
 */
export async function withInitdb<T>(binaries: Binaries, use: (initdb: string) => Promise<T>): Promise<T> {
  if (!/["$`\\]/.test(binaries.initdb)) return use(binaries.initdb)
  const folder = await mkdtemp('/tmp/store-export-')
  try {
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

/** Running it is the one test that covers folders closed to the account, modes, noexec disks and libraries. */
async function probe(native: string, account: Account): Promise<{ version: string | undefined; output: string }> {
  const { output } = await runProgram(program(native, 'postgres'), ['--version'], account)
  return { version: /^postgres \(PostgreSQL\) (\d+)/.exec(output)?.[1], output }
}

function program(native: string, name: string): string {
  return path.join(native, 'bin', name)
}

/** Makes the links that the package lists; false when a missing one may not be made in `folder`. */
async function link(native: string, folder: string): Promise<boolean> {
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

/** Copies under another name first, so that a copy that was interrupted is never taken for a whole one. */
async function copyNative(native: string, copy: string): Promise<void> {
  const unfinished = `${copy}.${process.pid}`
  try {
    await mkdir(unfinished, { recursive: true })
    await cp(native, unfinished, { recursive: true, verbatimSymlinks: true, filter: (file) => !file.endsWith('.a') })
    await openToAll(unfinished)
    await link(native, unfinished)
    await rename(unfinished, copy)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    // another process may have been quicker
    if (!(await exists(copy))) throw error
  }
}

/** Neither a strict umask nor a read-only original must keep us or the account out of the copy. */
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
