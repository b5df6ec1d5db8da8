// Runs the commands of docs/operate/backup-and-restore.md as they stand on the page, with the server and the programs
// of an installed PostgreSQL.

import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, onTestFinished, test } from 'vitest'
import { startBenchServer } from '../../bench/lib/servers.ts'
import { findSystemBinaries } from '../../bench/lib/system-postgres.ts'
import { newSecret, startCommand } from '../../packages/operator/test/support/command-process.ts'
import { temporaryFolder } from '../../packages/operator/test/support/embedded-server.ts'
import { nonEphemeralPort, requestJson } from '../../packages/operator/test/support/fleet.ts'

const PAGE = path.resolve(import.meta.dirname, '../../docs/operate/backup-and-restore.md')
/** The name of the control database in the commands of the page. */
const DATABASE = 'store_export'

test('[AUTH-5] if an operator restores a backup with the commands of the documentation, keys that were revoked after the backup get 401', async () => {
  const { run, runJson, serve } = await startScene()
  const [backUp, restore, replay, endSessions] = await commandsOfPage()
  await run(`createdb ${DATABASE}; npx store-export migrate`)
  const store = await runJson('stores provision --name "My shop" --revision v1.6')
  const createKey = (name: string) => runJson(`keys create --store ${store.id} --name "${name}"`)
  const [retained, revoked] = [await createKey('retained'), await createKey('revoked')]
  const node = await serve()
  await run(backUp)
  const created = await createKey('created after the backup')
  await runJson(`keys revoke ${revoked.id}`)
  await node.logAndStop(/"action":"key.revoked"/)

  await run(restore)
  await run('npx store-export migrate')
  await run(replay)
  await run(endSessions)
  const restored = await serve()
  await run('npx store-export doctor')
  const statuses = [retained, revoked, created].map(async (key) => (await requestJson(restored.url, key)).status)
  expect(await Promise.all(statuses)).toEqual([200, 401, 401])
})

/** Starts a server without a control database. The shell has the settings and the programs that the page requires. */
async function startScene() {
  const binaries = await findSystemBinaries(undefined)
  const server = await startBenchServer('system')
  if (binaries === null || server === null) throw new Error('install PostgreSQL to run this test')
  onTestFinished(() => server.remove())
  const folder = await temporaryFolder()
  // `npx store-export` runs the command of the build.
  await writeFile(
    path.join(folder, 'npx'),
    `#!/bin/sh\nshift\nexec "${process.execPath}" "${inject('builtCommand')}" "$@"\n`,
    { mode: 0o755 },
  )
  const settings = { DATABASE_URL: server.url(DATABASE), SECRET: newSecret(), OPERATIONS_PORT: '0' }
  const url = new URL(server.url(DATABASE))
  const environment = {
    PATH: [folder, binaries, process.env.PATH].join(':'),
    PGHOST: url.hostname,
    PGPORT: url.port,
    PGUSER: url.username,
    PGPASSWORD: decodeURIComponent(url.password),
    ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [`STORE_EXPORT_${name}`, value])),
  }
  const run = async (commands: string): Promise<string> => {
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-euc', commands], {
      cwd: folder,
      env: environment,
    })
    return stdout
  }
  const serve = async () => {
    const port = String(await nonEphemeralPort())
    const running = startCommand(['serve'], { settings: { ...settings, PORT: port } })
    await running.waitForOutput(/"listener":"api"/)
    return {
      url: `http://127.0.0.1:${port}/api/v1/store`,
      logAndStop: async (event: RegExp) => {
        await running.waitForOutput(event)
        await running.end('SIGTERM')
        await writeFile(path.join(folder, 'serve-1.log'), running.output().stdout)
      },
    }
  }
  return { run, serve, runJson: async (command: string) => JSON.parse(await run(`npx store-export ${command} --json`)) }
}

/** Returns the blocks of commands of the page, in the order in which an operator runs them. */
async function commandsOfPage(): Promise<[string, string, string, string]> {
  const page = await readFile(PAGE, 'utf8')
  const blocks = [...page.matchAll(/^( *)```\n([\s\S]*?)^\1```$/gm)].map(([, , block = '']) => block.trim())
  const found = ['pg_dump ', 'psql -d postgres ', 'cat serve-*.log ', 'psql "$STORE_EXPORT_DATABASE_URL" '].map(
    (start) => blocks.find((block) => block.startsWith(start)),
  )
  expect(found).not.toContain(undefined)
  return found as [string, string, string, string]
}
