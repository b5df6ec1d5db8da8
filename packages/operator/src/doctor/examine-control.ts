// Everything about the control database: its connection, its version, whether the secret opens every password, its clock.

import { listStores, missingMigrations, openStoreUrl, SealingProblem } from '@store-export/control'
import { connect, describeTls, parseConnectionUrl } from '@store-export/postgres'
import type { CommandContext } from '../command-context.ts'
import { databaseErrorMessage } from '../explain-error.ts'
import { checkClock } from './check-clock.ts'
import { checkConnection } from './check-connection.ts'
import { readClockAheadMs, readTlsInUse } from './read-store.ts'
import type { ControlReport, DoctorCheck, DoctorFinding } from './report.ts'

/** The report of the control database. Never rejects: it must not hide the reports of stores. */
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
  const connection = await connect(target, { applicationName: 'store-export doctor' })
  const usesTls = await readTlsInUse(connection)
  const aheadMs = await readClockAheadMs(connection).finally(() => connection.close())
  return {
    checks: [
      checkConnection('answers', { usesTls, requestedTls: describeTls(target) }),
      { name: 'migrations', summary: 'at this version', findings: missing.map(missingMigration) },
      await checkSecret(context),
      checkClock(aheadMs),
    ],
  }
}

async function checkSecret({ database, keys }: CommandContext): Promise<DoctorCheck> {
  const findings: DoctorFinding[] = []
  const sealed = (await listStores(database)).filter(({ sealedPassword }) => sealedPassword !== null)
  for (const store of sealed) {
    try {
      openStoreUrl(keys, store)
    } catch (error) {
      if (!(error instanceof SealingProblem)) throw error
      const fix = `store-export stores set ${store.id} --database-url -`
      findings.push({ severity: 'error', code: 'password_sealed', message: error.message, fix })
    }
  }
  return { name: 'secret', summary: `opens all ${sealed.length} passwords`, findings }
}

function missingMigration(name: string): DoctorFinding {
  return {
    severity: 'error',
    code: 'missing_migration',
    message: `the control database lacks ${name}`,
    fix: 'store-export migrate',
  }
}
