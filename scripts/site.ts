// Builds the website of docs/ in site/dist. With `--serve`, it instead serves the website on this machine, and reloads
// a page when its Markdown changes. It first installs the packages of site/ if necessary.
//
// Run: npm run site [-- --serve]

import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { repositoryUrl } from './repository.ts'

const SITE = path.resolve(import.meta.dirname, '..', 'site')
/** The last file that npm writes when it installs. */
const INSTALLED = path.join(SITE, 'node_modules', '.package-lock.json')
const LOCKFILE = path.join(SITE, 'package-lock.json')

const { values } = parseArgs({ options: { serve: { type: 'boolean', default: false } } })
if (!isInstalled()) run('npm', ['ci'])
const vitepress = path.join(SITE, 'node_modules', 'vitepress', 'bin', 'vitepress.js')
if (values.serve) run(process.execPath, [vitepress, 'dev', '--host', '127.0.0.1'])
else {
  run(process.execPath, [vitepress, 'build'])
  console.log('The website is in site/dist: any web server can serve it. npm run site -- --serve shows it here.')
}

function isInstalled(): boolean {
  return existsSync(INSTALLED) && statSync(INSTALLED).mtimeMs >= statSync(LOCKFILE).mtimeMs
}

/** Runs a program in site/. Ends this process if the program fails. */
function run(program: string, parameters: readonly string[]): void {
  const url = repositoryUrl()
  const env = {
    ...process.env,
    // VitePress treats links to other extensions as pages.
    VITE_EXTRA_EXTENSIONS: 'sql,tsv',
    ...(url === undefined ? {} : { REPOSITORY_URL: url }),
  }
  const { status } = spawnSync(program, parameters, { cwd: SITE, stdio: 'inherit', env })
  if (status !== 0) process.exit(status ?? 1)
}
