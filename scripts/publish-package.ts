// Turns a package into its published form and back, run by npm around `npm pack` and `npm publish` in the package's
// folder. In development packages are TypeScript as it is; what is published is JavaScript with types beside it.
// `build` compiles src/ to dist/ and writes a manifest that points there; `restore` puts the manifest back.

import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const ROOT = path.resolve(import.meta.dirname, '..')
const MANIFEST = 'package.json'
const KEPT = 'package.json.source'
const LICENSE = 'LICENSE'

/** A manifest as far as it is changed. */
interface Manifest {
  exports: Record<string, unknown>
  bin?: Record<string, string>
  private?: boolean
  scripts?: Record<string, string>
}

const COMMON = [
  '--ignoreConfig',
  '--rootDir',
  'src',
  '--outDir',
  'dist',
  '--rewriteRelativeImportExtensions',
  '--skipLibCheck',
]
const LANGUAGE = ['--target', 'es2022', '--lib', 'es2024', '--module', 'nodenext', '--types', 'node', '--strict']
const FORMS = [
  // comments belong to the types: what runs is kept small
  ['--removeComments'],
  ['--declaration', '--emitDeclarationOnly'],
]

const [step] = process.argv.slice(2)
if (step === 'build') build()
else if (step === 'restore') restore()
else throw new Error('publish-package.ts build | restore')

function build(): void {
  restore()
  rmSync('dist', { recursive: true, force: true })
  for (const form of FORMS) compile(form)
  copyFileSync(path.join(ROOT, LICENSE), LICENSE)
  const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Manifest
  copyFileSync(MANIFEST, KEPT)
  writeFileSync(MANIFEST, `${JSON.stringify(published(manifest), null, 2)}\n`)
}

function restore(): void {
  if (!existsSync(KEPT)) return
  renameSync(KEPT, MANIFEST)
  rmSync(LICENSE, { force: true })
}

function compile(form: readonly string[]): void {
  const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  const entry = ['src/index.ts', ...(existsSync('src/main.ts') ? ['src/main.ts'] : [])]
  const { status, stdout } = spawnSync(process.execPath, [tsc, ...COMMON, ...LANGUAGE, ...form, ...entry], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`tsc failed:\n${stdout}`)
}

/** The manifest of what is published: entries in dist/, and nothing that is for development. */
function published({ scripts: _, private: __, ...manifest }: Manifest): object {
  const exports = Object.fromEntries(
    Object.entries(manifest.exports).map(([name, file]) => [name, builtEntry(String(file))]),
  )
  return { ...manifest, exports }
}

function builtEntry(file: string): Record<string, string> {
  const built = file.replace('./src/', './dist/').replace(/\.ts$/, '')
  return { types: `${built}.d.ts`, default: `${built}.js` }
}
