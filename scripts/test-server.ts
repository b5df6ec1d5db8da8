// Checks that the API serves a store correctly from another PostgreSQL server. Prints which clauses hold there.
// docs/operate/other-servers.md is the guide.
//
// Run: npm run test:server -- --store-url URL

import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { parseConnectionUrl } from '@store-export/postgres'
import { withConnection } from '../test/support/client.ts'
import { publicObjects } from '../test/support/server-database.ts'

const HELP = `Usage: npm run test:server -- --store-url URL [options] [FILE...]

Run the API's tests against a store on another PostgreSQL server, and print which clauses hold.

  --store-url URL      connect as the owner of an empty database; the tests create and drop its tables
  --after-schema FILE  run this SQL after the tables are created, before rows are written
  --control-url URL    create control databases on this server, as a role that may create databases and roles;
                       default: an embedded PostgreSQL
  --control-worker URL distribute the control databases over this Citus worker, with --control-url as the coordinator,
                       and run the tests of control databases, too; repeat the option for each worker
  --help               print this help
  FILE                 run this test file only, for example packages/api/test/walks.test.ts; default: all

Exit codes: 0 all tests passed, 1 a test failed or the server can't be used, 2 wrong arguments.
`

const EXIT_FAILED = 1
const EXIT_USAGE = 2

/** The parsed command line. */
interface Arguments {
  readonly storeUrl: string
  readonly controlUrl: string | undefined
  readonly controlWorkers: readonly string[]
  readonly afterSchema: string | undefined
  readonly files: readonly string[]
}

process.exitCode = await main()

async function main(): Promise<number> {
  const parsed = parseCommandLine()
  if (typeof parsed !== 'object') return parsed
  const problem = await problemOf(parsed.storeUrl)
  if (problem !== null) {
    console.error(`--store-url: ${problem}`)
    return EXIT_FAILED
  }
  return runTests(parsed)
}

/** Returns the parsed command line, or the exit code if there is nothing to run. */
function parseCommandLine(): Arguments | number {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        'store-url': { type: 'string' },
        'control-url': { type: 'string' },
        'control-worker': { type: 'string', multiple: true },
        'after-schema': { type: 'string' },
        help: { type: 'boolean' },
      },
    })
    if (values.help === true) {
      console.log(HELP)
      return 0
    }
    const { 'store-url': storeUrl, 'control-url': controlUrl, 'after-schema': afterSchema } = values
    const controlWorkers = values['control-worker'] ?? []
    if (storeUrl === undefined) throw new Error('--store-url: must be given; --help lists all options')
    requireUrl('--store-url', storeUrl)
    if (controlUrl !== undefined) requireUrl('--control-url', controlUrl)
    else if (controlWorkers.length > 0)
      throw new Error('--control-worker: needs --control-url, the URL of the coordinator')
    for (const url of controlWorkers) requireUrl('--control-worker', url)
    if (afterSchema !== undefined) requireFile('--after-schema', afterSchema)
    for (const file of positionals) requireFile('FILE', file)
    return { storeUrl, controlUrl, controlWorkers, afterSchema, files: positionals }
  } catch (error) {
    console.error(messageOf(error))
    return EXIT_USAGE
  }
}

function requireUrl(option: string, url: string): void {
  try {
    parseConnectionUrl(url)
  } catch (error) {
    throw new Error(`${option}: ${messageOf(error)}`)
  }
}

function requireFile(option: string, file: string): void {
  try {
    accessSync(file, constants.R_OK)
  } catch {
    throw new Error(`${option}: the file ${file} does not exist or can't be read`)
  }
}

/** Returns a message if the tests can't use the database; null if they can. Tests drop tables, so it must be empty. */
async function problemOf(url: string): Promise<string | null> {
  try {
    const objects = await withConnection(url, publicObjects)
    if (objects.length === 0) return null
    const names = objects.slice(0, 3).map(({ kind, name }) => `${kind} ${name}`)
    return `the database must be empty, because the tests drop all objects of schema public; found ${objects.length}: ${names.join(', ')}. Create a new database for the tests.`
  } catch (error) {
    return `the database can't be used: ${messageOf(error)}`
  }
}

function runTests({ storeUrl, controlUrl, controlWorkers, afterSchema, files }: Arguments): number {
  const root = path.join(import.meta.dirname, '..')
  const { status } = spawnSync(
    process.execPath,
    [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', 'vitest.server.config.ts', ...files],
    {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        STORE_EXPORT_TEST_STORE_URL: storeUrl,
        ...(controlUrl === undefined ? {} : { STORE_EXPORT_TEST_CONTROL_URL: controlUrl }),
        ...(controlWorkers.length === 0 ? {} : { STORE_EXPORT_TEST_CITUS_WORKERS: controlWorkers.join(' ') }),
        ...(afterSchema === undefined ? {} : { STORE_EXPORT_TEST_AFTER_SCHEMA: path.resolve(afterSchema) }),
      },
    },
  )
  return status === 0 ? 0 : EXIT_FAILED
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
