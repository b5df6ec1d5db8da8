// Examines one store: reads its facts and derives the findings.

import { decryptStoreUrl, type EncryptionKeys, type RegisteredStore } from '@store-export/control'
import { checkClock } from './check-clock.ts'
import { checkConnection } from './check-connection.ts'
import { checkIndexes } from './check-indexes.ts'
import { checkGrants, checkPasswords, checkSchema, detectSchema, schemaMissing } from './check-schema.ts'
import { checkLocks, checkTransactions } from './check-transactions.ts'
import { checkTypes } from './check-types.ts'
import { checkValues } from './check-values.ts'
import { explainFailure, isSettingRefused, settingsRefused } from './explain-failure.ts'
import type { StoreFacts } from './facts.ts'
import { type ReadOptions, readStore } from './read-store.ts'
import type { DoctorCheck, DoctorFinding, StoreReport } from './report.ts'

/** How to connect to a store, and which of its facts to read. */
export interface ExamineOptions extends Omit<ReadOptions, 'schemaName'> {
  readonly keys: EncryptionKeys
}

/**
 * Examines a registered store. Never rejects, because an error of one store must not hide the reports of the others. A
 * store without a database, such as an imported one, has no findings.
 */
export async function examineStore(store: RegisteredStore, options: ExamineOptions): Promise<StoreReport> {
  const { id, name, origin, state, schemaName } = store
  try {
    const url = decryptStoreUrl(options.keys, store)
    if (url === null) return { id, name, revision: null, checks: [withoutDatabase(origin, state)] }
    const { facts, refusal } = await readAsNodes(url.reveal(), { ...options, schemaName })
    return reportOf(store, facts, refusal === null ? [] : [settingsRefused(refusal)])
  } catch (error) {
    const findings = [explainFailure(error, store)]
    return { id, name, revision: null, checks: [{ name: 'connection', summary: null, findings }] }
  }
}

/**
 * Reads the facts with the session settings of the nodes. If a pooler rejects the settings, reads the facts without
 * them, so that the report also has the other findings. `refusal` is the pooler's error, or null.
 */
async function readAsNodes(url: string, options: ReadOptions): Promise<{ facts: StoreFacts; refusal: unknown }> {
  try {
    return { facts: await readStore(url, options), refusal: null }
  } catch (refusal) {
    if (!options.config.storeSessionSettings || !isSettingRefused(refusal)) throw refusal
    const config = { ...options.config, storeSessionSettings: false }
    return { facts: await readStore(url, { ...options, config }), refusal }
  }
}

/**
 * Returns the report for the facts. `refusals` are findings about the connection. If the schema doesn't exist, only the
 * connection and the schema are checked.
 */
function reportOf(
  { id, name }: Pick<RegisteredStore, 'id' | 'name'>,
  facts: StoreFacts,
  refusals: readonly DoctorFinding[],
): StoreReport {
  const { connection, columns, values, transactions, locks } = facts
  const schema = detectSchema(columns)
  const connected = checkConnection(`PostgreSQL ${connection.serverVersion} as ${connection.role}`, connection)
  const connecting = { ...connected, findings: [...refusals, ...connected.findings] }
  if (connection.mayUseSchema === null)
    return { id, name, revision: null, checks: [connecting, schemaMissing(connection, id)] }
  const checks = [
    connecting,
    checkSchema(schema, columns, connection),
    checkTypes(columns, connection.schemaName),
    checkGrants(connection, columns),
    checkPasswords(connection, columns),
    checkIndexes(schema.newestFound, facts),
    ...(values === null ? [] : [checkValues(values, connection.schemaName)]),
    checkTransactions(transactions),
    checkLocks(locks),
    checkClock(connection.clockAheadMs),
  ]
  return { id, name, revision: schema.revision, checks }
}

function withoutDatabase(origin: string, state: string): DoctorCheck {
  return { name: 'connection', summary: `no database: ${origin === 'imported' ? 'imported' : state}`, findings: [] }
}
