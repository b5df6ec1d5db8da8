// Starts one embedded PostgreSQL for the whole run of the tests, in a temporary folder, builds the command beside it, and
// removes both at the end.
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
import { FOLDERS, fastFolder } from './fast-folder.ts'
import { POSTGRES_PACKAGE } from './postgres-package.ts'

declare module 'vitest' {
  /** What tests get with `inject`. */
  export interface ProvidedContext {
    /** The superuser's URL of the database `postgres`, over TCP. */
    postgresUrl: string
    /** Name of a migrated control database without secrets, to be copied. */
    migratedTemplate: string
    /** The command `store-export` as `npm run build` makes it: it starts in a quarter of the time. */
    builtCommand: string
    /** Port of 127.0.0.1 at which stores are reached through a pooler; none where they are reached directly. */
    poolerPort?: number
  }
}

/** Run by vitest before the first test; the function it answers is run after the last, whatever happened. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  for (const place of FOLDERS) await removeAbandoned(place)
  const folder = await mkdtemp(path.join(await fastFolder(), `${PREFIX}${process.pid}-`))
  const [dataFolder, built] = [path.join(folder, DATA), path.join(folder, 'built')]
  // as root the server runs as another user, who must pass through
  await chmod(folder, 0o711)
  await mkdir(dataFolder, { mode: 0o711 })
  // tests are run in processes that begin with these variables: what they leave goes with the run, but for the browser
  process.env.STORE_EXPORT_TEST_BROWSERS = os.tmpdir()
  process.env.TMPDIR = await openFolder(path.join(folder, 'tmp'))
  const given = process.env.STORE_EXPORT_TEST_CONTROL_URL
  const [server] = await Promise.all([
    given === undefined
      ? startEmbeddedPostgres({
          dataFolder,
          packageFolder: POSTGRES_PACKAGE,
          tcpPort: await freePort(),
          settings: FOR_TESTS,
        })
      : givenServer(given),
    promisify(execFile)(process.execPath, [path.join(ROOT, 'scripts', 'build-service.ts'), built]),
  ])
  project.provide('postgresUrl', given ?? server.url('postgres'))
  const template = await makeMigratedTemplate(server)
  project.provide('migratedTemplate', template)
  project.provide('builtCommand', path.join(built, 'store-export.js'))
  // on Ctrl-C vitest exits without any teardown: the server ends by itself then, and its folder goes here; what still
  // escapes, the next run removes
  const removeNow = (): void => rmSync(folder, { recursive: true, force: true })
  process.on('exit', removeNow)
  return async () => {
    if (given !== undefined) await execute(given, `drop database ${template}`)
    await server.stop()
    process.off('exit', removeNow)
    await remove(folder)
  }
}

/** For every user, as the system's own. */
async function openFolder(folder: string): Promise<string> {
  await mkdir(folder)
  await chmod(folder, 0o1777)
  return folder
}

async function remove(folder: string): Promise<void> {
  await removeEmbeddedPostgres(path.join(folder, DATA))
  await rm(folder, { recursive: true, force: true })
}

/** The server of the tests, as far as they need it. */
type TestServer = Pick<EmbeddedPostgres, 'url' | 'stop'>

/** A server that runs already and goes on running. */
function givenServer(url: string): TestServer {
  return {
    url: (database) => Object.assign(new URL(url), { pathname: `/${database}` }).href,
    stop: async () => undefined,
  }
}

async function makeMigratedTemplate({ url }: TestServer): Promise<string> {
  const name = `store_export_migrated_${randomBytes(4).toString('hex')}`
  await execute(url('postgres'), `create database ${name} template template0`)
  await migrate({ url: url(name), random: randomBytes })
  await execute(url(name), 'delete from service_secrets')
  await execute(url('postgres'), `alter database ${name} allow_connections false`)
  return name
}

async function execute(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1 })
  await sql.unsafe(statement).finally(() => sql.end())
}

const ROOT = path.resolve(import.meta.dirname, '..', '..')
const PREFIX = 'store-export-test-'
const DATA = 'data'

/** Nothing here must survive a crash. */
const FOR_TESTS = {
  max_connections: '300',
  fsync: 'off',
  full_page_writes: 'off',
  max_prepared_transactions: '10',
}

/** Stops and removes what earlier runs left when they were killed. */
async function removeAbandoned(place: string): Promise<void> {
  for (const name of await readdir(place).catch(() => [])) {
    if (!name.startsWith(PREFIX)) continue
    const processId = Number.parseInt(name.slice(PREFIX.length), 10)
    if ((await processIdentity(processId)) !== undefined) continue
    // another user's run is not ours to remove
    await remove(path.join(place, name)).catch(() => undefined)
  }
}

/** A port of 127.0.0.1 that was free a moment ago. */
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
