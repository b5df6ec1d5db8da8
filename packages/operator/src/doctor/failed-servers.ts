// Skips the stores of a server that accepts no connection. Each of them would take seconds, and have the same finding.

import type { RegisteredStore } from '@store-export/control'
import { serverOfUrl } from '@store-export/postgres'
import { findingsOf, type StoreReport } from './report.ts'

/** Number of stores of a server that must be unreachable, one after the other, before the others are skipped. */
const FAILURES_MIN = 3

/**
 * Wraps `examine`. After `FAILURES_MIN` stores of a server were unreachable in a row, the returned function doesn't
 * connect to its other stores. Their reports have the finding `skipped`. A database that accepts the connection and
 * then hangs doesn't count, because the other databases of its server can respond.
 */
export function skipFailedServers(
  examine: (store: RegisteredStore) => Promise<StoreReport>,
): (store: RegisteredStore) => Promise<StoreReport> {
  const failures = new Map<string, number>()
  return async (store) => {
    const server = serverOfUrl(store.databaseUrl)
    if (server !== null && (failures.get(server) ?? 0) >= FAILURES_MIN) return skipped(store, server)
    const report = await examine(store)
    if (server !== null) {
      const isFailing = findingsOf(report.checks).some(({ code }) => code === 'unreachable')
      failures.set(server, isFailing ? (failures.get(server) ?? 0) + 1 : 0)
    }
    return report
  }
}

function skipped({ id, name }: RegisteredStore, server: string): StoreReport {
  const message = `not examined, because ${FAILURES_MIN} other stores on ${server} could not be reached`
  const fix = `fix those stores, and run "store-export doctor" again`
  const findings = [{ severity: 'error', code: 'skipped', message, fix }] as const
  return { id, name, revision: null, checks: [{ name: 'connection', summary: null, findings }] }
}
