// What a command works on: the settings, the secrets and the control database, be it the one of the settings or that of
// the demo that runs in this folder.

import { randomBytes } from 'node:crypto'
import { userInfo } from 'node:os'
import path from 'node:path'
import {
  type ControlDatabase,
  missingMigrations,
  openControlDatabase,
  type RegistryContext,
  type SealingKeys,
} from '@store-export/control'
import { type Connection, connect, Pool, parseConnectionUrl } from '@store-export/postgres'
import { type Config, readConfig } from './config.ts'
import { CONTROL_DATABASE, DATA_FOLDER, loadDemoSecrets } from './demo/data-folder.ts'
import { findRunningPostgres } from './embedded/embedded-postgres.ts'
import { loadSecrets } from './load-secrets.ts'
import { say } from './output.ts'
import { Problem } from './problem.ts'

/** Where the command was typed. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The current folder, absolute. */
  readonly folder: string
}

/** Which control database, and the secrets that open what is in it. */
export interface Place {
  readonly config: Config
  /** The connection URL with its password. Pass it only to the PostgreSQL client. */
  readonly controlUrl: string
  readonly keys: SealingKeys
}

/** A place whose control database is open. */
export interface OpenPlace extends Place, RegistryContext {}

const COMMAND_POOL_SIZE = 1
const COMMAND_NAME = 'store-export command'

/** The settings; what is odd about the environment is said. */
export function readSettings(env: Surroundings['env']): Config {
  const { config, warnings } = readConfig(env)
  for (const warning of warnings) say(warning)
  return config
}

/** The place that the settings name, else the demo of this folder. Throws a sentence when there is neither. */
export async function findPlace({ env, folder }: Surroundings): Promise<Place> {
  const config = readSettings(env)
  if (config.databaseUrl !== null) {
    return { config, controlUrl: config.databaseUrl.reveal(), keys: loadSecrets(config) }
  }
  const dataFolder = path.join(folder, DATA_FOLDER)
  const postgres = await findRunningPostgres(dataFolder)
  if (postgres === undefined) {
    throw new Problem(
      'no demo runs in this folder: start it with "npm start", or set STORE_EXPORT_DATABASE_URL to a control database',
    )
  }
  const keys = loadDemoSecrets(dataFolder, config.secretPrevious)
  return { config, controlUrl: postgres.url(CONTROL_DATABASE), keys }
}

/** Does the work with the open control database, which is closed afterwards. It must be migrated. */
export async function withControl<T>(surroundings: Surroundings, work: (place: OpenPlace) => Promise<T>): Promise<T> {
  const place = await findPlace(surroundings)
  const database = openControlDatabase(place.controlUrl, {
    poolSize: COMMAND_POOL_SIZE,
    preparedStatements: place.config.preparedStatements,
    applicationName: `store-export command line (${userName()})`,
  })
  try {
    await requireMigrated(database)
    return await work({ ...place, database, random: randomBytes })
  } finally {
    await database.close()
  }
}

/** The user of the operating system, for the audit table; an account without a name has its number. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}

/** Throws a sentence when the control database is not at this version. */
export async function requireMigrated(database: ControlDatabase): Promise<void> {
  const missing = await missingMigrations(database)
  if (missing.length > 0) {
    throw new Problem(
      `the control database is not at this version (it lacks ${missing.join(', ')}): run "store-export migrate"`,
    )
  }
}

/** Opens one connection, for work whose session matters. */
export function connectOnce(url: string): Promise<Connection> {
  return connect(parseConnectionUrl(url), { applicationName: COMMAND_NAME })
}

/** A pool of one connection, for work that reports each statement's error, that of connecting included. */
export function commandPool(url: string): Pool {
  return new Pool(parseConnectionUrl(url), { connectionsMax: 1, applicationName: COMMAND_NAME })
}
