// Packs packages of the project as npm publishes them, and installs them in an empty folder without the network.

import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { publint } from 'publint'

const ROOT = path.resolve(import.meta.dirname, '..', '..')
const run = promisify(execFile)

/** Time limits for tests that pack, install, and compile while other tests run. */
export const PATIENCE = { testTimeout: 90_000, hookTimeout: 240_000 }

/** Path of the machine's own Node.js, version 20 or later; undefined if only the project's Node.js is installed. */
export const MACHINE_NODE = ['/usr/bin/node', '/usr/local/bin/node'].find((file) => existsSync(file))

/** The repository that publishes, in the variables of GitHub Actions. */
const REPOSITORY = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'owner/name' }

/** A folder that contains only the installed packages. */
export interface Installed {
  readonly folder: string
  /** Returns an installed package by its name in the project. */
  package(name: string): InstalledPackage
  remove(): Promise<void>
}

export interface InstalledPackage {
  readonly folder: string
  readonly tarball: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into a manifest as a reader without types does
  readonly manifest: any
  /** The package's files, as paths from its folder. */
  readonly files: readonly string[]
}

/** Packs these packages in a copy of the project, and installs their tarballs in an empty folder. */
export async function installPacked(...names: readonly string[]): Promise<Installed> {
  const temporary = await mkdtemp(path.join(os.tmpdir(), 'store-export-pack-'))
  const [project, tarballs, folder, cache] = ['project', 'tarballs', 'empty', 'cache'].map((name) =>
    path.join(temporary, name),
  ) as [string, string, string, string]
  for (const each of [tarballs, folder]) await mkdir(each)
  await copyProject(project, names)
  // With an empty cache and no network, npm can install only the tarballs.
  const env = { ...withRuntime(), ...REPOSITORY, npm_config_cache: cache, npm_config_offline: 'true' }
  for (const name of names)
    await run('npm', ['pack', '--pack-destination', tarballs], { cwd: path.join(project, 'packages', name), env })
  const others = dependenciesOf(names.map((name) => path.join(ROOT, 'packages', name)))
  // Installed packages are already built, and their scripts would build them again.
  if (others.length > 0)
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', tarballs, ...others], { cwd: tarballs, env })
  await writeFile(path.join(folder, 'package.json'), '{"name":"empty","private":true,"type":"module"}\n')
  const files = globSync('*.tgz', { cwd: tarballs }).map((file) => path.join(tarballs, file))
  await run('npm', ['install', '--no-audit', '--no-fund', ...files], { cwd: folder, env })
  return {
    folder,
    package: (name) => installedPackage({ folder, tarballs, name }),
    remove: () => rm(temporary, { recursive: true, force: true }),
  }
}

/** Returns the findings of publint and are-the-types-wrong; empty if there are none. */
export async function lintPackage({ folder, tarball }: InstalledPackage): Promise<unknown[]> {
  const { messages } = await publint({ pkgDir: folder, level: 'suggestion' })
  const attw = path.join(ROOT, 'node_modules', '@arethetypeswrong', 'cli', 'dist', 'index.js')
  // The JSON contains findings about require(), which the exit code ignores.
  const { stdout, isWrong } = await run(process.execPath, [
    attw,
    tarball,
    '--profile',
    'esm-only',
    '--format',
    'json',
  ]).then(
    (ended) => ({ stdout: ended.stdout, isWrong: false }),
    (error: { stdout: string }) => ({ stdout: error.stdout, isWrong: true }),
  )
  const { analysis, problems } = JSON.parse(stdout)
  return [...messages, ...(analysis.types ? [] : ['there are no types']), ...(isWrong ? [problems] : [])]
}

/**
 * Compiles a program against the installed packages in strict mode. Returns the output of tsc; empty if it succeeds.
 */
export async function compileBeside({ folder }: Installed, source: string, options: readonly string[]) {
  await writeFile(path.join(folder, 'types.ts'), source)
  const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  const all = ['--ignoreConfig', '--noEmit', '--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext']
  const { stdout } = await run(process.execPath, [tsc, ...all, ...options, 'types.ts'], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  )
  return stdout
}

/** Copies the files that packing needs. Packages import each other as in the project. */
async function copyProject(project: string, names: readonly string[]): Promise<void> {
  const own = path.join(project, 'packages', 'node_modules', '@store-export')
  await mkdir(own, { recursive: true })
  await symlink(path.join(ROOT, 'node_modules'), path.join(project, 'node_modules'))
  for (const file of ['LICENSE', 'scripts/publish-package.ts', 'scripts/repository.ts', 'packages/runtime.js'])
    await cp(path.join(ROOT, file), path.join(project, file))
  for (const name of names) {
    const copy = path.join(project, 'packages', name)
    await cp(path.join(ROOT, 'packages', name), copy, { recursive: true })
    await symlink(copy, path.join(own, name))
  }
}

/** Returns the folders in the project's node_modules of all other packages that these depend on. */
function dependenciesOf(folders: readonly string[]): string[] {
  const found = new Set<string>()
  const visit = (folder: string): void => {
    const { dependencies = {} } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
    for (const name of Object.keys(dependencies).filter((each) => !each.startsWith('@store-export/'))) {
      const own = path.join(folder, 'node_modules', name)
      const dependency = existsSync(own) ? own : path.join(ROOT, 'node_modules', name)
      if (found.has(dependency)) continue
      found.add(dependency)
      visit(dependency)
    }
  }
  for (const folder of folders) visit(folder)
  return [...found]
}

function installedPackage(place: { readonly folder: string; readonly tarballs: string; readonly name: string }) {
  const folder = path.join(place.folder, 'node_modules', '@store-export', place.name)
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const entries = globSync('**/*', { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile())
  return {
    folder,
    manifest,
    tarball: path.join(place.tarballs, `store-export-${place.name}-${manifest.version}.tgz`),
    files: entries.map(({ name, parentPath }) => path.relative(folder, path.join(parentPath, name))).toSorted(),
  }
}

/**
 * Returns an environment for npm. npm runs scripts with the first `node` of the path, which must be one that runs
 * TypeScript.
 */
function withRuntime(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}` }
}
