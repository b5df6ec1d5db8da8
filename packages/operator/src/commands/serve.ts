// Implements `store-export serve`, which runs the API on the control database of the settings, with a JSON log.

import { openControlDatabase } from '@store-export/control'
import type { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { type ControlTarget, type ProcessContext, readSettings, requireMigrated } from '../command-context.ts'
import { InvalidSettingError } from '../config.ts'
import { startLifecycle } from '../lifecycle.ts'
import { loadSecrets } from '../load-secrets.ts'
import { createLog } from '../log.ts'
import { printMessage } from '../output.ts'
import { shutdownTimeoutMs, startServing } from '../start-serving.ts'
import { addCommand, type CommonOptions } from './add-command.ts'

export function addServeCommand(program: Command, processContext: ProcessContext): void {
  addCommand(
    program,
    'serve',
    'run the API on the control database of STORE_EXPORT_DATABASE_URL, and log JSON lines to standard output',
    'print errors as JSON',
  )
    .option('--dashboard', 'also serve the dashboard on STORE_EXPORT_DASHBOARD_PORT')
    .action(({ dashboard }: ServeOptions) => serve(processContext, dashboard === true))
}

interface ServeOptions extends CommonOptions {
  readonly dashboard?: true
}

/**
 * Starts the service, and resolves when it accepts requests. The service runs on until a signal or an uncaught error
 * ends it.
 */
async function serve(processContext: ProcessContext, dashboard: boolean): Promise<void> {
  const context = targetOf(processContext)
  const { config } = context
  await checkDatabase(context)
  const log = createLog({ level: config.logLevel })
  log.handleEvent({ event: 'node.started', version: manifest.version, command: 'serve' })
  const lifecycle = startLifecycle({ timeoutMs: shutdownTimeoutMs(config), emit: log.handleEvent })
  try {
    await startServing({ ...context, log, lifecycle, dashboard })
  } catch (error) {
    // A signal during the start closes what the start uses, so the error results from the signal. The lifecycle closes
    // the rest.
    if (lifecycle.signal.aborted) return
    await lifecycle.close('failed start')
    throw error
  }
  printMessage('Ctrl-C or SIGTERM stops the service after the requests in flight.')
}

/**
 * Returns the settings, the secrets, and the URL of the control database. Throws `InvalidSettingError` if the URL or
 * the current secret is missing, or if a setting is invalid.
 */
function targetOf({ env }: ProcessContext): ControlTarget {
  const config = readSettings(env)
  if (config.databaseUrl === null) {
    throw new InvalidSettingError(
      'STORE_EXPORT_DATABASE_URL',
      'not set; set it to the URL of the control database, or run "store-export demo"',
    )
  }
  return { config, controlUrl: config.databaseUrl.reveal(), keys: loadSecrets(config) }
}

/**
 * Rejects with `UserError` if the control database lacks migrations. Uses a connection of its own, before the log
 * starts, so that the error message is the only output.
 */
async function checkDatabase({ config, controlUrl }: ControlTarget): Promise<void> {
  const database = openControlDatabase(controlUrl, {
    poolSize: 1,
    preparedStatements: config.preparedStatements,
  })
  try {
    await requireMigrated(database)
  } finally {
    await database.close()
  }
}
