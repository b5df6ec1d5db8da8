// Runs `npm run lockfile`, which completes the lockfiles after a change of dependencies. With `--check`, it only reports
// incomplete ones.
//
// If a registry mirror lacks a package for another platform, npm leaves the package out of the lockfile. `npm ci` then fails,
// because an entry needs its version, its platform, and `optional`. Without `integrity`, the hash of the package, npm
// installs whatever the registry returns. The script requests missing hashes from the registry.

import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

interface Entry {
  readonly version?: string
  readonly integrity?: string
  /** Whether the package belongs to this repository. */
  readonly link?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
}

const SYSTEMS = ['darwin', 'linux', 'win32', 'freebsd', 'android', 'openharmony']
const PROCESSORS = ['x64', 'arm64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x']
const FOLDER = 'node_modules/'

/**
 * Packages for other platforms that may lack `integrity`, because the lockfile's registry lacks these versions. The check
 * fails as soon as one of them has a hash, so the list only shrinks.
 */
const LACKING: Readonly<Record<string, string>> = {
  '@biomejs/cli-':
    'android-arm64 android-x64 darwin-arm64 darwin-x64 linux-arm64-musl linux-x64-musl win32-arm64 win32-x64',
  '@duckdb/node-bindings-': 'darwin-arm64 darwin-x64 linux-arm64 linux-arm64-musl win32-arm64 win32-x64',
  '@oxc-parser/binding-':
    'android-arm-eabi android-arm64 darwin-arm64 darwin-x64 freebsd-x64 linux-arm-gnueabihf linux-arm-musleabihf ' +
    'linux-ppc64-gnu linux-riscv64-gnu linux-riscv64-musl linux-s390x-gnu openharmony-arm64 win32-arm64-msvc ' +
    'win32-ia32-msvc win32-x64-msvc',
}

interface Lock {
  packages: Record<string, Entry>
}

const LOCKFILES = ['package-lock.json', 'site/package-lock.json']

if (process.argv.includes('--check')) check()
else for (const file of LOCKFILES) complete(file)

function check(): void {
  const expected = Object.entries(LACKING).flatMap(([family, platforms]) =>
    platforms.split(' ').map((platform) => `${FOLDER}${family}${platform}`),
  )
  const found = LOCKFILES.flatMap((file) => withoutIntegrity(readLock(file)))
  const added = found.filter((name) => !expected.includes(name))
  const done = expected.filter((name) => !found.includes(name))
  for (const name of added) console.error(`${name} has no integrity: run npm run lockfile`)
  for (const name of done)
    console.error(`scripts/complete-lockfile.ts: ${name} has an integrity or does not exist: remove it from the list`)
  process.exitCode = added.length + done.length === 0 ? 0 : 1
}

function complete(file: string): void {
  const lock = readLock(file)
  const wanted = Object.values(lock.packages).flatMap((entry) => Object.entries(entry.optionalDependencies ?? {}))
  const missing = wanted.filter(([name]) => lock.packages[FOLDER + name] === undefined)
  for (const [name, version] of missing) lock.packages[FOLDER + name] = entryOf(name, version)
  for (const name of withoutIntegrity(lock)) {
    const { version, ...rest } = lock.packages[name] ?? {}
    const integrity = integrityOf(`${name.slice(name.lastIndexOf(FOLDER) + FOLDER.length)}@${version}`)
    if (version !== undefined && integrity !== null) lock.packages[name] = { version, integrity, ...rest }
  }
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
  console.log(`${file}: ${missing.length} entries added, ${withoutIntegrity(lock).length} without integrity`)
}

function readLock(file: string): Lock {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** Returns the paths of packages from the registry that have no hash. */
function withoutIntegrity(lock: Lock): string[] {
  const packages = Object.entries(lock.packages).filter(([name, { link }]) => name.includes(FOLDER) && link !== true)
  return packages.filter(([, { integrity }]) => integrity === undefined).map(([name]) => name)
}

/** Returns the hash from the registry; null if the registry lacks this version. */
function integrityOf(specifier: string): string | null {
  const { status, stdout } = spawnSync('npm', ['view', specifier, 'dist.integrity', '--json'], { encoding: 'utf8' })
  if (status !== 0 || stdout.trim() === '') return null
  const integrity: unknown = JSON.parse(stdout)
  return typeof integrity === 'string' ? integrity : null
}

function entryOf(name: string, version: string): Entry {
  const words = name.split(/[/-]/)
  const os = SYSTEMS.filter((system) => words.includes(system))
  const cpu = PROCESSORS.filter((processor) => words.includes(processor))
  return { version, optional: true, ...(cpu.length > 0 ? { cpu } : {}), ...(os.length > 0 ? { os } : {}) }
}
