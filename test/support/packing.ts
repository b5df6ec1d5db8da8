// Packs a package of the project as npm publishes it, and installs it where nothing else is.

import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const ROOT = path.resolve(import.meta.dirname, '..', '..')
const run = promisify(execFile)

/** An empty folder in which packages were installed. */
export interface Installed {
  readonly folder: string
  /** The tarball of the first package. */
  readonly tarball: string
  remove(): Promise<void>
}

/** Packs these packages in a copy of the project, and installs their tarballs in an empty folder. */
export async function installPacked(...names: readonly string[]): Promise<Installed> {
  const project = await mkdtemp(path.join(os.tmpdir(), 'store-export-pack-'))
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-export-empty-'))
  await symlink(path.join(ROOT, 'node_modules'), path.join(project, 'node_modules'))
  for (const file of ['LICENSE', 'scripts/publish-package.ts', ...names.map((name) => `packages/${name}`)])
    await cp(path.join(ROOT, file), path.join(project, file), { recursive: true })
  for (const name of names) {
    const options = { cwd: path.join(project, 'packages', name), env: withRuntime() }
    await run('npm', ['pack', '--pack-destination', folder], options)
  }
  const tarballs = (await readdir(folder)).map((name) => path.join(folder, name))
  await writeFile(path.join(folder, 'package.json'), '{"name":"empty","private":true,"type":"module"}\n')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...tarballs], {
    cwd: folder,
    env: withRuntime(),
  })
  const remove = async () => {
    for (const each of [project, folder]) await rm(each, { recursive: true, force: true })
  }
  return { folder, tarball: tarballs[0] ?? '', remove }
}

/** npm runs scripts with the first `node` of the path: the one that reads TypeScript. */
function withRuntime(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}` }
}
