// Provides the settings, secrets, and control database of a command. STORE_EXPORT_DATABASE_URL names the control
// database. If it is not set, commands other than `serve` use that of the demo that runs in this folder.

import { randomBytes } from 'node:crypto'
import { userInfo } from 'node:os'
import path from 'node:path'
import {
  asControlDatabase,
  COMMAND_LINE_SESSION,
  type ControlDatabase,
  type EncryptionKeys,
  missingMigrations,
  openControlDatabase,
  type RegistryContext,
} from '@store-export/control'
import { type Connection, connect, Pool, parseConnectionUrl } from '@store-export/postgres'
import { type Config, readConfig } from './config.ts'
import { CONTROL_DATABASE, DATA_FOLDER, loadDemoSecrets } from './demo/data-folder.ts'
import { findRunningPostgres } from './embedded/embedded-postgres.ts'
import { loadSecrets } from './load-secrets.ts'
import { printMessage } from './output.ts'
import { UserError } from './user-error.ts'

/** The environment variables, and the folder in which the command was started. */
export interface ProcessContext {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The current folder, absolute. */
  readonly folder: string
}

/** A control database and the secrets that decrypt its passwords. */
export interface ControlTarget {
  readonly config: Config
  /** The connection URL with its password. Pass it only to the PostgreSQL client. */
  readonly controlUrl: string
  readonly keys: EncryptionKeys
}

/** What most commands need: an open control database, and the secrets for it. */
export interface CommandContext extends ControlTarget, RegistryContext {}

/** Connections of a command, which runs one statement after another. */
const COMMAND_POOL_SIZE = 1

/**
 * Returns the settings. Prints warnings about the environment. Throws `InvalidSettingError` for the first invalid
 * setting.
 */
export function readSettings(env: ProcessContext['env']): Config {
  const { config, warnings } = readConfig(env)
  for (const warning of warnings) printMessage(warning)
  return config
}

/**
 * Returns the control database of the settings or, if they name none, of the demo that runs in this folder. Rejects
 * with `UserError` if there is neither, and with `InvalidSettingError` if a setting or the secret is missing or
 * invalid.
 */
export async function findControlTarget({ env, folder }: ProcessContext): Promise<ControlTarget> {
  const config = readSettings(env)
  if (config.databaseUrl !== null) {
    return { config, controlUrl: config.databaseUrl.reveal(), keys: loadSecrets(config) }
  }
  const dataFolder = path.join(folder, DATA_FOLDER)
  const postgres = await findRunningPostgres(dataFolder)
  if (postgres === undefined) {
    throw new UserError(
      'STORE_EXPORT_DATABASE_URL is not set, and no demo runs in this folder; set it to the URL of a control database, ' +
        'or start the demo with "npm start"',
    )
  }
  const keys = loadDemoSecrets(dataFolder, config.secretPrevious)
  return { config, controlUrl: postgres.url(CONTROL_DATABASE), keys }
}

/**
 * Runs `work` with an open control database, and closes it. Rejects like `work` and `findControlTarget`, with
 * `UserError` if migrations are missing, and with errors of the PostgreSQL client.
 */
export async function withControl<T>(
  processContext: ProcessContext,
  work: (context: CommandContext) => Promise<T>,
): Promise<T> {
  const target = await findControlTarget(processContext)
  const database = openControlDatabase(target.controlUrl, {
    poolSize: COMMAND_POOL_SIZE,
    preparedStatements: target.config.preparedStatements,
    // The audit table has this name as the actor. Its first part marks the command line (store-events.ts).
    applicationName: `${COMMAND_LINE_SESSION} line (${userName()})`,
  })
  try {
    await requireMigrated(database)
    return await work({ ...target, database, random: randomBytes })
  } finally {
    await database.close()
  }
}

/** Returns the operating system's user for the audit table: the name, or the number of a user without a name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}

/** Rejects with `UserError` if migrations are missing. */
export async function requireMigrated(database: ControlDatabase): Promise<void> {
  const missing = await missingMigrations(database)
  if (missing.length > 0) {
    throw new UserError(`the control database lacks the migrations ${missing.join(', ')}; run "store-export migrate"`)
  }
}

/** Opens a connection for statements that must share a session. Close it after use. Rejects like `connect`. */
export function connectOnce(url: string): Promise<Connection> {
  return connect(parseConnectionUrl(url), { applicationName: COMMAND_LINE_SESSION })
}

/**
 * Runs `work` on a session of the control database, on whose server the service creates store databases. Rejects like
 * `connect` and `work`.
 */
export function onControlServer<T>(controlUrl: string, work: (admin: Connection) => Promise<T>): Promise<T> {
  return asControlDatabase(controlUrl, async () => {
    const admin = await connectOnce(controlUrl)
    return await work(admin).finally(() => admin.close())
  })
}

/** Returns a pool of one connection, which connects at the first use. Close the pool after use. */
export function commandPool(url: string): Pool {
  return new Pool(parseConnectionUrl(url), { connectionsMax: 1, applicationName: COMMAND_LINE_SESSION })
}
