// `store-export serve`: the API on the control database of the settings, with JSON logs on the standard output.

import { openControlDatabase } from '@store-export/control'
import type { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { SettingProblem } from '../config.ts'
import { type Place, readSettings, requireMigrated, type Surroundings } from '../context.ts'
import { startLifecycle } from '../lifecycle.ts'
import { loadSecrets } from '../load-secrets.ts'
import { createLog } from '../log.ts'
import { say } from '../output.ts'
import { patienceMs, startServing } from '../serve.ts'
import { type CommonOptions, leaf } from './leaf.ts'

/** Adds the command. */
export function addServeCommand(program: Command, surroundings: Surroundings): void {
  leaf(program, 'serve', 'run the API on STORE_EXPORT_DATABASE_URL; logs are JSON on standard output')
    .option('--dashboard', "serve the merchant's dashboard, too, on STORE_EXPORT_DASHBOARD_PORT")
    .action(({ dashboard }: ServeOptions) => serve(surroundings, dashboard === true))
}

interface ServeOptions extends CommonOptions {
  readonly dashboard?: true
}

async function serve(surroundings: Surroundings, dashboard: boolean): Promise<void> {
  const place = placeOf(surroundings)
  const { config } = place
  await checkDatabase(place)
  const log = createLog({ level: config.logLevel })
  log.handleEvent({ event: 'node.started', version: manifest.version, command: 'serve' })
  const lifecycle = startLifecycle({ patienceMs: patienceMs(config), emit: log.handleEvent })
  try {
    await startServing({ ...place, log, lifecycle, dashboard })
  } catch (error) {
    // a signal during the start closes everything by itself
    if (lifecycle.signal.aborted) return
    await lifecycle.close('failed start')
    throw error
  }
  say('Ctrl-C or SIGTERM stops it after it has answered the requests in flight.')
}

function placeOf({ env }: Surroundings): Place {
  const config = readSettings(env)
  if (config.databaseUrl === null) {
    throw new SettingProblem(
      'STORE_EXPORT_DATABASE_URL',
      'is needed by serve: the URL of the control database ("store-export demo" brings its own)',
    )
  }
  return { config, controlUrl: config.databaseUrl.reveal(), keys: loadSecrets(config) }
}

async function checkDatabase({ config, controlUrl }: Place): Promise<void> {
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
