// Builds the npm package of the n8n nodes as a .tgz file, and prints its name. The argument is the folder for the file;
// the default is connectors/n8n/build. The package needs no dependencies, because n8n provides n8n-workflow.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { repositoryUrl } from './repository.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const SOURCE = path.join(ROOT, 'connectors', 'n8n')
const DEFAULT_FOLDER = path.join(SOURCE, 'build')
const DIRECTORY = 'connectors/n8n'

const folder = path.resolve(process.argv[2] ?? DEFAULT_FOLDER)
const stage = mkdtempSync(path.join(os.tmpdir(), 'n8n-node-'))
try {
  compile(path.join(stage, 'dist'))
  copyAssets(path.join(stage, 'dist'))
  for (const file of ['README.md', 'package.json']) cpSync(path.join(SOURCE, file), path.join(stage, file))
  cpSync(path.join(ROOT, 'LICENSE'), path.join(stage, 'LICENSE'))
  addRepository(path.join(stage, 'package.json'))
  mkdirSync(folder, { recursive: true })
  console.log(run('npm', ['pack', stage, '--pack-destination', folder]).trim())
} finally {
  rmSync(stage, { recursive: true, force: true })
}

/**
 * Writes JavaScript without checking types, because the types of n8n are not installed here. `npm run test:connectors`
 * checks them.
 */
function compile(outDir: string): void {
  const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  run(process.execPath, [tsc, '-p', SOURCE, '--noCheck', '--removeComments', '--outDir', outDir])
}

/** Copies the icons, and the files that say under which categories n8n shows the nodes. */
function copyAssets(outDir: string): void {
  // Names without an extension are folders.
  const isAsset = (file: string) => path.extname(file) === '' || /\.(?:svg|json)$/.test(file)
  for (const name of ['icons', 'nodes'])
    cpSync(path.join(SOURCE, name), path.join(outDir, name), { recursive: true, filter: isAsset })
}

/** Adds links to the repository to a package.json. Adds none if the address is unknown. */
function addRepository(file: string): void {
  const url = repositoryUrl()
  if (url === undefined) return
  const links = {
    // HEAD is the default branch, whatever its name.
    homepage: `${url}/tree/HEAD/${DIRECTORY}#readme`,
    repository: { type: 'git', url: `git+${url}.git`, directory: DIRECTORY },
  }
  writeFileSync(file, `${JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...links }, null, 2)}\n`)
}

/** Runs a program and returns its standard output. Throws if the program fails. */
function run(program: string, parameters: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, parameters, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${parameters.join(' ')} failed:\n${error?.message ?? stdout + stderr}`)
  return stdout
}
