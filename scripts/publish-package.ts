// Turns a package into its published form and back, run by npm around `npm pack` and `npm publish` in the package's
// folder. In development packages are TypeScript as it is; what is published is JavaScript with types beside it.
// `build` compiles src/ to dist/ and writes a manifest that points there; `restore` puts the manifest back.

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
const KEPT = 'package.json.source'
const LICENSE = 'LICENSE'
/** Where tsc writes: packages that this one imports are compiled, too, and left out. */
const COMPILED = '.compiled'
/** What commands start with in the project; a published one has it beside itself. */
const RUNTIME = path.join(ROOT, 'packages', 'runtime.js')

/** A manifest as far as it is read or changed. */
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
  // comments belong to the types: what runs is kept small; types are checked where they are written
  ['--removeComments', '--noCheck'],
  ['--declaration', '--emitDeclarationOnly'],
]

const [step] = process.argv.slice(2)
if (step === 'build') build()
else if (step === 'restore') restore()
else throw new Error('publish-package.ts build | restore')

function build(): void {
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
  copyFileSync(MANIFEST, KEPT)
  writeFileSync(MANIFEST, `${JSON.stringify(published(manifest), null, 2)}\n`)
}

function restore(): void {
  if (!existsSync(KEPT)) return
  renameSync(KEPT, MANIFEST)
  rmSync(LICENSE, { force: true })
}

/** Removes types that no entry of the package exports, because users cannot import them. */
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

/** The types of a source file, as they are built. */
function typesOf(source: string): string {
  return source.replace(/^\.\/src\//, 'dist/').replace(/\.ts$/, '.d.ts')
}

/** What runs on Node 24 only stays as it was written. */
function targetOf({ engines }: Manifest): string {
  return engines?.node === '>=24' ? 'esnext' : 'es2022'
}

function compile(form: readonly string[]): void {
  const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  const entry = ['src/index.ts', ...(existsSync('src/main.ts') ? ['src/main.ts'] : [])]
  const { status, stdout } = spawnSync(process.execPath, [tsc, ...COMMON, ...form, ...entry], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`tsc failed:\n${stdout}`)
}

/** A command's file, with what it starts with, in dist/. */
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

/** The manifest of what is published: entries in dist/, and nothing that is for development. */
function published({ scripts: _, private: __, ...manifest }: Manifest): object {
  const exports = Object.fromEntries(
    Object.entries(manifest.exports).map(([name, file]) => [name, builtEntry(String(file))]),
  )
  const bin = Object.entries(manifest.bin ?? {}).map(([name, file]) => [name, builtCommand(file)])
  return { ...manifest, ...repositoryFields(), exports, ...(bin.length > 0 ? { bin: Object.fromEntries(bin) } : {}) }
}

/** Where the package comes from. npm rejects a package with provenance if `repository` names another repository. */
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
