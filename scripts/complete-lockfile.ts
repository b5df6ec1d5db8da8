// Completes package-lock.json after a change of dependencies. Where a registry mirror lacks the package of some foreign
// platform, npm leaves it out of the lockfile, and `npm ci` then refuses to install anything. The entry needs no more than
// version, platform and `optional`.

import { readFileSync, writeFileSync } from 'node:fs'

interface Entry {
  readonly version?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
}

const SYSTEMS = ['darwin', 'linux', 'win32', 'freebsd', 'android', 'openharmony']
const PROCESSORS = ['x64', 'arm64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x']
const lock: { packages: Record<string, Entry> } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const wanted = Object.values(lock.packages).flatMap((entry) => Object.entries(entry.optionalDependencies ?? {}))
const missing = wanted.filter(([name]) => lock.packages[`node_modules/${name}`] === undefined)
for (const [name, version] of missing) lock.packages[`node_modules/${name}`] = entryOf(name, version)
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)
console.log(`${missing.length} entries added`)

function entryOf(name: string, version: string): Entry {
  const words = name.split(/[/-]/)
  const os = SYSTEMS.filter((system) => words.includes(system))
  const cpu = PROCESSORS.filter((processor) => words.includes(processor))
  return { version, optional: true, ...(cpu.length > 0 ? { cpu } : {}), ...(os.length > 0 ? { os } : {}) }
}
