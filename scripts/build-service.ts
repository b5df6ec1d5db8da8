// Bundles the service and its dependencies as JavaScript into dist/. The bundle needs no packages. It starts faster
// than the TypeScript source and takes a third less memory.
//
// Run: npm run build [FOLDER]

import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { type Plugin, rolldown } from 'rolldown'

const ROOT = path.resolve(import.meta.dirname, '..')
const DEFAULT_FOLDER = path.join(ROOT, 'dist')

/** Files that the service reads at run time. Their paths in dist/ are the same as in the project. */
const RUNTIME_FILES = [
  'connectors/google-sheets/Code.gs',
  'connectors/power-query/StoreExport.pq',
  'docs/api/*.md',
  'docs/sync/**/*.md',
  'packages/dashboard/src/ui/assets/*',
  'packages/dashboard/src/recipes/files/*',
  'packages/operator/src/store-schema/*.sql',
]

const [target] = process.argv.slice(2)
await build(target === undefined ? DEFAULT_FOLDER : path.resolve(target))

async function build(folder: string): Promise<void> {
  /** Files of other packages that the bundle needs: the source by the path in dist/. */
  const packageFiles = new Map<string, string>()
  const bundle = await rolldown({
    input: {
      'store-export': path.join(ROOT, 'packages/operator/bin/store-export.js'),
      opentelemetry: path.join(ROOT, 'packages/operator/src/opentelemetry/register.ts'),
    },
    cwd: ROOT,
    platform: 'node',
    transform: { target: 'node24' },
    plugins: [rewriteFilePaths(packageFiles), loadHttpWithoutWebSocket()],
  })
  const { output } = await bundle.write({
    dir: folder,
    // Another folder can contain files of the user, so it is not cleaned.
    cleanDir: folder === DEFAULT_FOLDER,
    format: 'esm',
    entryFileNames: '[name].js',
    // `rewriteFilePaths` needs all chunks in one folder.
    chunkFileNames: '[name]-[hash].js',
    // Logs contain the names of errors and functions, and the code compares names of errors.
    keepNames: true,
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  })
  const bundled = output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []))
  // rolldown adds lines of its own code, so its license belongs to the bundle.
  bundled.push(createRequire(import.meta.url).resolve('rolldown/package.json'))
  for (const file of globSync(RUNTIME_FILES, { cwd: ROOT })) cpSync(path.join(ROOT, file), path.join(folder, file))
  for (const [file, source] of packageFiles) cpSync(source, path.join(folder, file))
  cpSync(path.join(ROOT, 'LICENSE'), path.join(folder, 'LICENSE'))
  writeFileSync(path.join(folder, 'THIRD-PARTY-LICENSES.txt'), licensesOf([...bundled, ...packageFiles.values()]))
  const { name, version, license } = readManifest(ROOT)
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify({ name, version, license, type: 'module' })}\n`)
}

/**
 * Replaces `import.meta.url`, because all modules are in dist/, but their files have the paths of the project. The
 * module of a worker thread becomes a chunk. Files that a module resolves in another package are added to
 * `packageFiles`.
 */
function rewriteFilePaths(packageFiles: Map<string, string>): Plugin {
  const patterns = [
    /new URL\('\.\/(?<thread>[\w-]+)\.ts', import\.meta\.url\)/,
    /createRequire\(import\.meta\.url\)\.resolve\('(?<resolved>[^']+)'\)/,
    /import\.meta\.url/,
  ]
  const pattern = new RegExp(patterns.map(({ source }) => source).join('|'), 'g')
  return {
    name: 'rewrite file paths',
    transform(code, id) {
      if (id.includes('/node_modules/') || !code.includes('import.meta.url')) return null
      const module = path.relative(ROOT, id)
      return code.replaceAll(pattern, (_, thread?: string, resolved?: string) => {
        if (thread !== undefined) {
          const fileName = path.join(path.dirname(module), `${thread}.js`)
          this.emitFile({ type: 'chunk', id: path.join(path.dirname(id), `${thread}.ts`), fileName })
          return urlOf(fileName)
        }
        if (resolved === undefined) return `${urlOf(module)}.href`
        const file = path.join(path.dirname(module), path.basename(resolved))
        packageFiles.set(file, createRequire(id).resolve(resolved))
        return urlOf(file)
      })
    },
  }
}

function urlOf(file: string): string {
  return `new URL('./${file}', import.meta.url)`
}

/** Saves 2.5 MB of memory. An `import` of node:http reads all its exports, and this loads `WebSocket`. */
function loadHttpWithoutWebSocket(): Plugin {
  return {
    name: 'load http without WebSocket',
    resolveId: (id) => (/^(node:)?http$/.test(id) ? '\0http.cjs' : null),
    load: (id) => (id === '\0http.cjs' ? "module.exports = process.getBuiltinModule('node:http')" : null),
  }
}

/** Returns the license texts of the packages that these files belong to. */
function licensesOf(files: readonly string[]): string {
  const folders = files.flatMap((file) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? [])
  const texts = [...new Set(folders)].map((folder) => {
    const { name, version, license } = readManifest(folder)
    const [text] = globSync('{licen[cs]e,LICEN[CS]E,Licen[cs]e}*', { cwd: folder })
    const terms =
      text === undefined ? 'Its package has no license text.' : readFileSync(path.join(folder, text), 'utf8').trim()
    return `${name} ${version}: ${license}\n\n${terms}\n`
  })
  return texts.toSorted().join(`\n${'-'.repeat(80)}\n\n`)
}

function readManifest(folder: string): { readonly name: string; readonly version: string; readonly license: string } {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
}
