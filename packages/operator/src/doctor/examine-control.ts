// Examines the control database: its connection, migrations, passwords, clock, and workers.

import {
  asControlDatabase,
  DecryptionError,
  decryptStoreUrl,
  listStores,
  missingMigrations,
  openControlDatabase,
  readWorkers,
  type Worker,
} from '@store-export/control'
import { connect, describeTls, parseConnectionUrl } from '@store-export/postgres'
import type { CommandContext } from '../command-context.ts'
import { databaseErrorMessage } from '../explain-error.ts'
import { countOf } from '../output.ts'
import { checkClock } from './check-clock.ts'
import { checkConnection } from './check-connection.ts'
import { readClockAheadMs, readTlsInUse } from './read-store.ts'
import type { ControlReport, DoctorCheck, DoctorFinding } from './report.ts'

/** Maximum number of workers of a distributed control database that are checked at the same time. */
const WORKERS_AT_ONCE = 4

/**
 * Examines the control database. Never rejects, because an error here must not hide the reports of the stores. Any
 * error becomes the only finding, `unreachable`.
 */
export async function examineControl(context: CommandContext): Promise<ControlReport> {
  try {
    return await examine(context)
  } catch (error) {
    const message = databaseErrorMessage(error) ?? String(error)
    const finding: DoctorFinding = { severity: 'error', code: 'unreachable', message, fix: null }
    return { checks: [{ name: 'connection', summary: null, findings: [finding] }] }
  }
}

async function examine(context: CommandContext): Promise<ControlReport> {
  const { database, controlUrl } = context
  const target = parseConnectionUrl(controlUrl)
  const missing = await missingMigrations(database)
  const connection = await asControlDatabase(controlUrl, () =>
    connect(target, { applicationName: 'store-export doctor' }),
  )
  const read = async () => ({ usesTls: await readTlsInUse(connection), aheadMs: await readClockAheadMs(connection) })
  const { usesTls, aheadMs } = await read().finally(() => connection.close())
  return {
    checks: [
      checkConnection('responds', { usesTls, requestedTls: describeTls(target) }),
      { name: 'migrations', summary: 'up to date', findings: missing.map(missingMigration) },
      await checkSecret(context),
      checkClock(aheadMs),
      ...(await checkWorkers(context)),
    ],
  }
}

/** Checks that the secret decrypts the password of each store that has one. */
async function checkSecret({ database, keys }: CommandContext): Promise<DoctorCheck> {
  const findings: DoctorFinding[] = []
  const encrypted = (await listStores(database)).filter(({ encryptedPassword }) => encryptedPassword !== null)
  for (const store of encrypted) {
    try {
      decryptStoreUrl(keys, store)
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error
      const fix = `store-export stores set ${store.id} --database-url -`
      findings.push({ severity: 'error', code: 'password_not_decryptable', message: error.message, fix })
    }
  }
  return { name: 'secret', summary: `decrypts the passwords of ${countOf(encrypted.length, 'store')}`, findings }
}

/** Checks that the coordinator reaches each worker; no check if the control database is not distributed. */
async function checkWorkers({ controlUrl, config }: CommandContext): Promise<DoctorCheck[]> {
  const { preparedStatements } = config
  const database = openControlDatabase(controlUrl, { poolSize: WORKERS_AT_ONCE, preparedStatements })
  const workers = await readWorkers(database).finally(() => database.close())
  if (workers.length === 0) return []
  const lost = workers.filter(({ failure }) => failure !== null)
  return [
    { name: 'workers', summary: `${countOf(workers.length, 'worker')} reachable`, findings: lost.map(lostWorker) },
  ]
}

function lostWorker({ server, failure }: Worker): DoctorFinding {
  return {
    severity: 'error',
    code: 'worker_unreachable',
    message: `the coordinator can't connect to the worker ${server} (${failure}), so requests with keys on this worker get 502`,
    fix: 'restart PostgreSQL on the worker, or promote its standby',
  }
}

function missingMigration(name: string): DoctorFinding {
  return {
    severity: 'error',
    code: 'missing_migration',
    message: `the migration ${name} is missing`,
    fix: 'store-export migrate',
  }
}
