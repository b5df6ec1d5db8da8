// Builds the sync tool as npm publishes it: JavaScript without types, because reading TypeScript costs a process 50
// MiB.

import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SCOPE = '@store-export'
const PACKAGES = ['contract', 'client', 'sync']

/** The built command, and the module that measures it. */
export interface BuiltTool {
  readonly command: string
  /** Path of the module that the process loads first. It reports the usage of the process. */
  readonly usage: string
}

/** Builds the packages of the command below `folder`. */
export async function buildSyncTool(folder: string): Promise<BuiltTool> {
  const modules = path.join(folder, 'node_modules')
  await mkdir(path.join(modules, SCOPE), { recursive: true })
  for (const name of await readdir(path.join(ROOT, 'node_modules')))
    if (name !== SCOPE) await symlink(path.join(ROOT, 'node_modules', name), path.join(modules, name))
  for (const name of PACKAGES) await buildPackage(path.join(ROOT, 'packages', name), path.join(modules, SCOPE, name))
  // The script in `bin` starts Node again with the flags in runtime.js, which then loads main.js.
  const command = path.join(modules, SCOPE, 'sync', 'bin', 'store-sync.js')
  await mkdir(path.dirname(command))
  const bin = await readFile(path.join(ROOT, 'packages', 'sync', 'bin', 'store-sync.js'), 'utf8')
  await writeFile(command, bin.replaceAll('/main.ts', '/main.js'))
  await cp(path.join(ROOT, 'packages', 'runtime.js'), path.join(modules, SCOPE, 'runtime.js'))
  const usage = path.join(folder, 'usage.mjs')
  await writeFile(usage, javaScriptOf(await readFile(new URL('sync-usage-process.ts', import.meta.url), 'utf8')))
  return { command, usage }
}

async function buildPackage(from: string, to: string): Promise<void> {
  await mkdir(to)
  const manifest = await readFile(path.join(from, 'package.json'), 'utf8')
  await writeFile(path.join(to, 'package.json'), manifest.replaceAll('.ts"', '.js"'))
  const files = await readdir(path.join(from, 'src'), { recursive: true, withFileTypes: true })
  for (const file of files.filter((each) => each.isFile())) {
    const source = path.join(file.parentPath, file.name)
    const target = path.join(to, path.relative(from, source))
    await mkdir(path.dirname(target), { recursive: true })
    if (!source.endsWith('.ts')) await cp(source, target)
    else await writeFile(target.replace(/\.ts$/, '.js'), javaScriptOf(await readFile(source, 'utf8')))
  }
}

/** Returns the source without types. Its relative imports name the built files. */
function javaScriptOf(source: string): string {
  return stripTypeScriptTypes(source).replaceAll(/(from '|import\(')(\.[^']+)\.ts'/g, "$1$2.js'")
}
