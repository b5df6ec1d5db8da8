// Runs the steps of a release that a person and .github/workflows/release.yml share.
//
// Run: npm run release -- COMMAND. The commands:
//
//   prepare 0.2.0   sets the version of every package, and moves the changelog's unreleased entries under it
//   notes v0.2.0    prints the release notes of a tag; fails if the packages have another version
//   build [FOLDER]  deletes FOLDER, and fills it with the files of a release: packages, service, SBOM, and SHA256SUMS

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { repositoryUrl } from './repository.ts'

const USAGE = 'npm run release -- prepare VERSION | notes TAG | build [FOLDER]'
const CHANGELOG = 'CHANGELOG.md'
/**
 * The package of the n8n nodes, which has its own build. It is no workspace, because it has no dependency of its own.
 */
const N8N_MANIFEST = 'connectors/n8n/package.json'
const LOCKFILE = 'package-lock.json'
const UNRELEASED = '## Unreleased'
const DEFAULT_FOLDER = 'release'
/** Matches a version as in https://semver.org, without build metadata, which npm drops. */
const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/

interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
}

/** The members of package.json and package-lock.json that a release changes. */
interface Versioned {
  version?: string
  dependencies?: Record<string, string>
}

interface LockedPackage {
  readonly name?: string
  readonly version?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly devOptional?: boolean
}

/** The members of a CycloneDX component that `sbom` reads. `bom-ref` is the package's name and version. */
interface SbomComponent {
  readonly 'bom-ref': string
  readonly name: string
}

interface Sbom {
  readonly metadata: { readonly component: SbomComponent }
  readonly components: readonly SbomComponent[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

const { positionals } = parseArgs({ allowPositionals: true })
const [command, argument] = positionals
try {
  if (command === 'prepare' && argument !== undefined) prepare(argument)
  else if (command === 'notes' && argument !== undefined) console.log(notes(argument))
  else if (command === 'build') build(argument ?? DEFAULT_FOLDER)
  else throw new Error(USAGE)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

function prepare(version: string): void {
  if (!VERSION.test(version)) throw new Error(`prepare: expects a version such as 0.2.0; got ${version}`)
  const changelog = readFileSync(CHANGELOG, 'utf8')
  if (sectionOf(changelog, UNRELEASED) === '')
    throw new Error(`${CHANGELOG}: expects entries under "${UNRELEASED}"; got none`)
  const today = new Date().toISOString().slice(0, 10)
  writeFileSync(CHANGELOG, changelog.replace(UNRELEASED, `${UNRELEASED}\n\n## ${version} - ${today}`))
  for (const file of manifestFiles()) updateJson(file, (manifest: Versioned) => setVersion(manifest, version))
  updateJson(LOCKFILE, (lock: Versioned & { packages: Record<string, Versioned> }) => {
    lock.version = version
    // Entries outside of node_modules are the packages of this project.
    for (const [folder, entry] of Object.entries(lock.packages))
      if (!folder.includes('node_modules/')) setVersion(entry, version)
  })
  console.log(`Every package has version ${version}. Next:
  git commit --all --message 'chore(release): ${version}'
  git tag --sign --message 'Version ${version}' v${version}
  git push --atomic origin main v${version}`)
}

/**
 * Returns the changelog's section for a tag. Throws if a package has another version, or if there is no section. In
 * GitHub Actions, links to files of the repository become links to the tag's files.
 */
function notes(tag: string): string {
  const version = tag.replace(/^v/, '')
  for (const file of manifestFiles()) {
    const { version: actual } = readManifest(file)
    if (tag !== `v${actual}`) throw new Error(`${file}: expects the version of the tag ${tag}; got ${actual}`)
  }
  const changelog = readFileSync(CHANGELOG, 'utf8')
  const heading = changelog.split('\n').find((line) => line.startsWith(`## ${version} - `))
  if (heading === undefined) throw new Error(`${CHANGELOG}: expects a heading "## ${version} - DATE"; got none`)
  const url = repositoryUrl()
  const section = sectionOf(changelog, heading)
  return url === undefined ? section : section.replaceAll(/\]\((?![a-z]+:)/g, `](${url}/blob/${tag}/`)
}

function build(folder: string): void {
  const { version } = readManifest('package.json')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const file of manifestFiles().filter((file) => isPublic(file) && file !== N8N_MANIFEST))
    run('npm', ['pack', '--pack-destination', path.resolve(folder), '--workspace', path.dirname(file)])
  run(process.execPath, ['scripts/build-n8n-node.ts', folder])
  const service = `store-export-${version}`
  const temporary = mkdtempSync(path.join(os.tmpdir(), 'store-export-release-'))
  try {
    run(process.execPath, ['scripts/build-service.ts', path.join(temporary, service)])
    run('tar', [
      '--create',
      '--gzip',
      '--file',
      path.join(folder, `${service}.tar.gz`),
      '--directory',
      temporary,
      service,
    ])
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
  writeFileSync(path.join(folder, `${service}.cdx.json`), `${JSON.stringify(sbom(), null, 2)}\n`)
  const sums = readdirSync(folder).map((file) => `${sha256(path.join(folder, file))}  ${file}\n`)
  writeFileSync(path.join(folder, 'SHA256SUMS'), sums.join(''))
  console.log(`${readdirSync(folder).length} files in ${folder}/`)
}

/**
 * Returns the CycloneDX document of the packages that the service and the published packages contain. The document
 * leaves out the embedded PostgreSQL, which is an optional dependency. `npm sbom --omit dev` also omits shipped
 * packages that are development dependencies of the root, so this function reads the lockfile instead.
 */
function sbom(): Sbom {
  const document: Sbom = JSON.parse(run('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']))
  const { packages: locked }: { packages: Record<string, LockedPackage> } = JSON.parse(readFileSync(LOCKFILE, 'utf8'))
  const shipped = new Set(
    Object.entries(locked)
      .filter(([, { dev, optional, devOptional }]) => !(dev || optional || devOptional))
      .map(([folder, { name, version }]) => `${name ?? folder.split('node_modules/').at(-1)}@${version}`),
  )
  const isShipped = (ref: string) => shipped.has(ref)
  return {
    ...document,
    metadata: { ...document.metadata, component: withFullName(document.metadata.component) },
    components: document.components.filter((component) => isShipped(component['bom-ref'])).map(withFullName),
    dependencies: document.dependencies
      .filter(({ ref }) => isShipped(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isShipped) })),
  }
}

/**
 * Returns the component with the name in its `bom-ref`. npm uses the folder's name for the project and its packages.
 */
function withFullName(component: SbomComponent): SbomComponent {
  const reference = component['bom-ref']
  return { ...component, name: reference.slice(0, reference.lastIndexOf('@')) }
}

/** Returns the text between a heading of the second level and the next one. */
function sectionOf(changelog: string, heading: string): string {
  const [, after = ''] = changelog.split(`${heading}\n`)
  const [section = ''] = after.split(/^## /m)
  return section.trim()
}

function manifestFiles(): string[] {
  return ['package.json', ...globSync('packages/*/package.json').toSorted(), N8N_MANIFEST]
}

function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, 'utf8'))
}

function isPublic(file: string): boolean {
  return readManifest(file).private !== true
}

/** Sets the version of a manifest, and of the project's packages among its dependencies. */
function setVersion(manifest: Versioned, version: string): void {
  if (manifest.version !== undefined) manifest.version = version
  for (const name of Object.keys(manifest.dependencies ?? {}))
    if (name.startsWith('@store-export/')) (manifest.dependencies ?? {})[name] = version
}

function updateJson<T>(file: string, change: (content: T) => void): void {
  const content = JSON.parse(readFileSync(file, 'utf8'))
  change(content)
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`)
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

/** Runs a program and returns its standard output. Throws if the program fails. */
function run(program: string, parameters: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, parameters, { encoding: 'utf8', maxBuffer: 2 ** 28 })
  if (status !== 0) throw new Error(`${program} ${parameters.join(' ')} failed:\n${error?.message ?? stderr}`)
  return stdout
}
