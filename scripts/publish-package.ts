// Converts a package into its published form and back. npm runs this script in the package's folder before and after
// `npm pack` and `npm publish`. In the repository, packages are TypeScript source. npm gets JavaScript and type
// declarations. `build` compiles src/ to dist/, copies the license, and writes a manifest that points to dist/.
// `restore` restores the manifest and removes the license, but not dist/.

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { repositoryUrl } from './repository.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const MANIFEST = 'package.json'
/** Name of the repository's manifest while package.json is the published one. */
const SOURCE_MANIFEST = 'package.json.source'
const LICENSE = 'LICENSE'
/** Output folder of tsc. It also contains imported packages, which are not published with this package. */
const COMPILED = '.compiled'
/** The module that starts a command. A published command has a copy in its folder. */
const RUNTIME = path.join(ROOT, 'packages', 'runtime.js')

/** The members of package.json that this script reads or changes. */
interface Manifest {
  exports: Record<string, unknown>
  bin?: Record<string, string>
  engines?: { readonly node?: string }
  private?: boolean
  scripts?: Record<string, string>
}

const COMMON = [
  '--ignoreConfig',
  '--rootDir',
  '..',
  '--outDir',
  COMPILED,
  '--rewriteRelativeImportExtensions',
  '--skipLibCheck',
  '--strict',
  '--verbatimModuleSyntax',
  '--module',
  'nodenext',
  '--types',
  'node',
  '--lib',
  'es2024,esnext.disposable',
]
const FORMS = [
  // JavaScript without comments is smaller. `npm run check` checks the types.
  ['--removeComments', '--noCheck'],
  ['--declaration', '--emitDeclarationOnly'],
]

const [step] = process.argv.slice(2)
if (step === 'build') build()
else if (step === 'restore') restore()
else throw new Error('publish-package.ts build | restore')

function build(): void {
  // An earlier run that was killed can have left the published manifest.
  restore()
  const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Manifest
  for (const folder of [COMPILED, 'dist']) rmSync(folder, { recursive: true, force: true })
  try {
    for (const form of FORMS) compile([...form, '--target', targetOf(manifest)])
    renameSync(path.join(COMPILED, path.basename(process.cwd()), 'src'), 'dist')
  } finally {
    rmSync(COMPILED, { recursive: true, force: true })
  }
  dropPrivateTypes(manifest)
  for (const file of Object.values(manifest.bin ?? {})) buildCommand(file)
  copyFileSync(path.join(ROOT, LICENSE), LICENSE)
  copyFileSync(MANIFEST, SOURCE_MANIFEST)
  writeFileSync(MANIFEST, `${JSON.stringify(published(manifest), null, 2)}\n`)
}

function restore(): void {
  if (!existsSync(SOURCE_MANIFEST)) return
  renameSync(SOURCE_MANIFEST, MANIFEST)
  rmSync(LICENSE, { force: true })
}

/** Removes declaration files that no entry of the package reaches, because users can't import them. */
function dropPrivateTypes({ exports }: Manifest): void {
  const entries = Object.values(exports).map((file) => path.normalize(typesOf(String(file))))
  const reached = new Set(entries)
  for (const file of reached)
    for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?['"](\.[^'"]+)['"]/g))
      reached.add(path.join(path.dirname(file), from.replace(/\.[jt]s$/, '.d.ts')))
  for (const name of readdirSync('dist', { recursive: true, encoding: 'utf8' })) {
    const file = path.join('dist', name)
    if (file.endsWith('.d.ts') && !reached.has(file)) rmSync(file)
  }
}

/** Returns the path of the type declarations of a source file. */
function typesOf(source: string): string {
  return source.replace(/^\.\/src\//, 'dist/').replace(/\.ts$/, '.d.ts')
}

/** Returns the JavaScript version of a package. A package for Node.js 24 and later needs no older syntax. */
function targetOf({ engines }: Manifest): string {
  return engines?.node === '>=24' ? 'esnext' : 'es2022'
}

function compile(form: readonly string[]): void {
  const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  const entry = ['src/index.ts', ...(existsSync('src/main.ts') ? ['src/main.ts'] : [])]
  const { status, stdout } = spawnSync(process.execPath, [tsc, ...COMMON, ...form, ...entry], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`tsc failed:\n${stdout}`)
}

/** Writes the file of a command to dist/, and the module that starts the command. */
function buildCommand(file: string): void {
  const built = builtCommand(file)
  const source = readFileSync(file, 'utf8')
  writeFileSync(built, replaced(replaced(source, '../../runtime.js', './runtime.js'), '../src/main.ts', './main.js'))
  chmodSync(built, 0o755)
  copyFileSync(RUNTIME, path.join('dist', path.basename(RUNTIME)))
}

function replaced(text: string, from: string, to: string): string {
  if (!text.includes(`'${from}'`)) throw new Error(`the command does not import ${from}`)
  return text.replace(`'${from}'`, `'${to}'`)
}

function builtCommand(file: string): string {
  return path.posix.join('dist', path.posix.basename(file))
}

/** Returns the published manifest. Its entries are in dist/, and it has no members for development. */
function published({ scripts: _, private: __, ...manifest }: Manifest): object {
  const exports = Object.fromEntries(
    Object.entries(manifest.exports).map(([name, file]) => [name, builtEntry(String(file))]),
  )
  const bin = Object.entries(manifest.bin ?? {}).map(([name, file]) => [name, builtCommand(file)])
  return { ...manifest, ...repositoryFields(), exports, ...(bin.length > 0 ? { bin: Object.fromEntries(bin) } : {}) }
}

/**
 * Returns the repository for the manifest. npm rejects a package with provenance if `repository` names another
 * repository.
 */
function repositoryFields(): object {
  const url = repositoryUrl()
  if (url === undefined) return {}
  const directory = path.relative(ROOT, process.cwd()).replaceAll(path.sep, '/')
  return {
    homepage: `${url}/tree/HEAD/${directory}#readme`,
    repository: { type: 'git', url: `git+${url}.git`, directory },
    bugs: { url: `${url}/issues` },
  }
}

function builtEntry(file: string): Record<string, string> {
  const built = file.replace('./src/', './dist/').replace(/\.ts$/, '')
  return { types: `${built}.d.ts`, default: `${built}.js` }
}
