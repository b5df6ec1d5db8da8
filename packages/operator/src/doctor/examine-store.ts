// Everything about one store: its facts judged, or why there are none.

import {
  ConnectionUrlProblem,
  openStoreUrl,
  type RegisteredStore,
  type SealingKeys,
  SealingProblem,
} from '@store-export/engine'
import { databaseSentence } from '../problem.ts'
import { checkClock } from './clock.ts'
import type { StoreFacts } from './facts.ts'
import { checkIndexes } from './indexes.ts'
import { readStore } from './read-store.ts'
import type { Check, Finding, StoreReport } from './report.ts'
import { checkGrants, checkPasswords, checkSchema, detectSchema } from './schema.ts'
import { checkConnection } from './tls.ts'
import { checkTransactions } from './transactions.ts'
import { checkValues } from './values.ts'

/** The report of a registered store. Rejects only where the doctor itself fails. */
export async function examineStore(store: RegisteredStore, keys: SealingKeys): Promise<StoreReport> {
  const { id, name, origin, state } = store
  const refused = (finding: Finding): StoreReport => ({
    id,
    name,
    revision: null,
    checks: [{ name: 'connection', summary: '', findings: [finding] }],
  })
  try {
    const url = openStoreUrl(keys, store)
    if (url === null) return { id, name, revision: null, checks: [withoutDatabase(origin, state)] }
    return judge(store, await readStore(url.reveal()))
  } catch (error) {
    const finding = explainFailure(error, id)
    if (finding === null) throw error
    return refused(finding)
  }
}

/** The report that follows from the facts. */
function judge({ id, name }: Pick<RegisteredStore, 'id' | 'name'>, facts: StoreFacts): StoreReport {
  const { connection, columns, values, transactions } = facts
  const schema = detectSchema(columns)
  const checks = [
    checkConnection(`PostgreSQL ${connection.serverVersion} as ${connection.role}`, connection),
    checkSchema(id, schema, columns),
    checkGrants(connection, columns),
    checkPasswords(connection, columns),
    checkIndexes(schema.revision, facts),
    checkValues(values),
    checkTransactions(transactions),
    checkClock(connection.clockAheadMs),
  ]
  return { id, name, revision: schema.revision, checks }
}

function withoutDatabase(origin: string, state: string): Check {
  return { name: 'connection', summary: `no database: ${origin === 'imported' ? 'imported' : state}`, findings: [] }
}

function explainFailure(error: unknown, storeId: string): Finding | null {
  const fixUrl = `store-export stores set ${storeId} --database-url -`
  if (error instanceof SealingProblem) {
    return { severity: 'error', code: 'password_sealed', message: error.message, fix: fixUrl }
  }
  if (error instanceof ConnectionUrlProblem) {
    return { severity: 'error', code: 'url_unusable', message: error.message, fix: fixUrl }
  }
  const message = databaseSentence(error)
  if (message === null) return null
  return { severity: 'error', code: 'unreachable', message, fix: `start or repair it, or: ${fixUrl}` }
}
