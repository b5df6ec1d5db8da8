// Prepares a test run: starts one embedded PostgreSQL, creates a migrated control database to copy, and builds
// `store-export`. `STORE_EXPORT_TEST_CONTROL_URL` names a running server to use instead. All files are in a temporary
// folder, which is removed at the end.

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { migrate } from '@store-export/control'
import postgres from 'postgres'
import type { TestProject } from 'vitest/node'
import {
  type EmbeddedPostgres,
  removeEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../packages/operator/src/embedded/embedded-postgres.ts'
import { processIdentity } from '../../packages/operator/src/embedded/process-identity.ts'
import { createDistributedDatabase } from './citus.ts'
import { FOLDERS, fastFolder } from './fast-folder.ts'
import { POSTGRES_PACKAGE } from './postgres-package.ts'

declare module 'vitest' {
  /** The values that `inject` of vitest returns. */
  export interface ProvidedContext {
    /** The superuser's URL of the database `postgres`, over TCP. */
    postgresUrl: string
    /** Name of a migrated control database without secrets, for copies. */
    migratedTemplate: string
    /** Path of `store-export` as `npm run build` writes it. It starts four times as fast as the source. */
    builtCommand: string
    /**
     * URLs of the Citus workers that share each control database, with the user's password; undefined without Citus.
     */
    citusWorkers?: readonly string[]
    /** Port of the pooler in front of the stores, on 127.0.0.1; undefined without a pooler. */
    poolerPort?: number
  }
}

/**
 * Called by vitest before the first test. Vitest calls the returned function after the last test, even if tests failed.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  for (const parent of FOLDERS) await removeAbandoned(parent)
  const folder = await mkdtemp(path.join(await fastFolder(), `${PREFIX}${process.pid}-`))
  const [dataFolder, built] = [path.join(folder, DATA), path.join(folder, 'built')]
  // If tests run as root, the server runs as another user, who needs access to the folder.
  await chmod(folder, 0o711)
  await mkdir(dataFolder, { mode: 0o711 })
  // The processes of the tests inherit these variables. Their files are removed with the folder, but the browser stays.
  process.env.STORE_EXPORT_TEST_BROWSERS = os.tmpdir()
  process.env.TMPDIR = await openFolder(path.join(folder, 'tmp'))
  const given = process.env.STORE_EXPORT_TEST_CONTROL_URL
  const [server] = await Promise.all([
    given === undefined
      ? startEmbeddedPostgres({
          dataFolder,
          packageFolder: POSTGRES_PACKAGE,
          tcpPort: await freePort(),
          settings: POSTGRES_SETTINGS,
        })
      : givenServer(given),
    promisify(execFile)(process.execPath, [path.join(ROOT, 'scripts', 'build-service.ts'), built]),
  ])
  project.provide('postgresUrl', given ?? server.url('postgres'))
  const workers = citusWorkers()
  if (workers !== undefined) project.provide('citusWorkers', workers)
  const template = await makeMigratedTemplate(server, workers)
  project.provide('migratedTemplate', template)
  project.provide('builtCommand', path.join(built, 'store-export.js'))
  // On Ctrl-C, vitest exits without a teardown. The server then stops by itself and this handler removes the folder. A
  // folder that cannot be removed yet stays until the next run.
  const removeNow = (): void => rmSync(folder, { recursive: true, force: true })
  process.on('exit', removeNow)
  return async () => {
    if (given !== undefined)
      for (const url of [given, ...(workers ?? [])]) await execute(url, `drop database ${template} with (force)`)
    await server.stop()
    process.off('exit', removeNow)
    await remove(folder)
  }
}

/** Creates a folder in which every user can write, like the system's temporary folder. */
async function openFolder(folder: string): Promise<string> {
  await mkdir(folder)
  await chmod(folder, 0o1777)
  return folder
}

async function remove(folder: string): Promise<void> {
  await removeEmbeddedPostgres(path.join(folder, DATA))
  await rm(folder, { recursive: true, force: true })
}

type TestServer = Pick<EmbeddedPostgres, 'url' | 'stop'>

/** Returns a server that was running before the tests. The tests don't stop it. */
function givenServer(url: string): TestServer {
  return {
    url: (database) => Object.assign(new URL(url), { pathname: `/${database}` }).href,
    stop: async () => undefined,
  }
}

async function makeMigratedTemplate({ url }: TestServer, workers: readonly string[] | undefined): Promise<string> {
  const name = `store_export_migrated_${randomBytes(4).toString('hex')}`
  if (workers === undefined) {
    await execute(url('postgres'), `create database ${name} template template0`)
    await migrate({ url: url(name), random: randomBytes })
  } else await createDistributedDatabase(name, url('postgres'), workers)
  await execute(url(name), 'delete from service_secrets')
  for (const server of [url('postgres'), ...(workers ?? [])]) {
    await execute(server, `alter database ${name} allow_connections false`)
    await execute(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  }
  return name
}

/** Returns the URLs of `STORE_EXPORT_TEST_CITUS_WORKERS`, which are separated by spaces; undefined without it. */
function citusWorkers(): string[] | undefined {
  return process.env.STORE_EXPORT_TEST_CITUS_WORKERS?.split(' ')
}

async function execute(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1 })
  await sql.unsafe(statement).finally(() => sql.end())
}

const ROOT = path.resolve(import.meta.dirname, '..', '..')
const PREFIX = 'store-export-test-'
const DATA = 'data'

/** Settings without durability, because the data of tests need not survive a crash. */
const POSTGRES_SETTINGS = {
  max_connections: '300',
  fsync: 'off',
  full_page_writes: 'off',
  max_prepared_transactions: '10',
}

/** Stops the servers and removes the folders of runs that were killed. Runs whose process still exists keep theirs. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    if (!name.startsWith(PREFIX)) continue
    const processId = Number.parseInt(name.slice(PREFIX.length), 10)
    if ((await processIdentity(processId)) !== undefined) continue
    // The folder may belong to another user.
    await remove(path.join(parent, name)).catch(() => undefined)
  }
}

/** Returns a port of 127.0.0.1 that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      const port = address !== null && typeof address === 'object' ? address.port : 0
      probe.close(() => resolve(port))
    })
  })
}
