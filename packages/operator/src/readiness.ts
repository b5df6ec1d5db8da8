// Checks whether this node is ready for requests. It is not ready if
//
// - a shutdown has started. The check then says so without a query.
// - its control database does not respond within a second, or can't be read. If API keys are checked on another server,
//   only that server must respond, because requests need nothing else.
// - its secret is wrong (`whyNotServing`). It can't decrypt most of the stores' passwords, or it can't decrypt some
//   password and lacks a secret that most running nodes have. One bad password alone must not stop every node.
//
// Concurrent requests share one check.

import { type ControlDatabase, type EncryptionKeys, openControlDatabase, whyNotServing } from '@store-export/control'
import { sql, TimeLimitPassed, within } from '@store-export/postgres'
import type { EventHandler } from './events.ts'

/** Checks whether the node is ready, on connections of its own. */
export interface Readiness {
  /** Returns the reason for which the node is not ready, as a phrase for the response; null if it is ready. */
  whyNotReady(): Promise<string | null>
  close(): Promise<void>
}

/** Maximum time in ms for a response of the control database. */
const RESPONSE_MS_MAX = 1000
/** Minimum time in ms between two events about the server of `keyCheckUrl`. */
const EVENT_INTERVAL_MS = 10_000

/** The control database to check, and the secrets of this node. */
export interface ReadinessOptions {
  readonly controlUrl: string
  /** URL of the server that checks API keys; null if `controlUrl` is its URL. */
  readonly keyCheckUrl: string | null
  readonly keys: EncryptionKeys
  /** Aborted when the shutdown starts. */
  readonly signal: AbortSignal
  readonly emit: EventHandler
}

/**
 * Returns a check with a separate connection to each server, so that a busy pool doesn't affect it. While the server of
 * `keyCheckUrl` doesn't respond, emits `control.query_failed` at most every ten seconds. A proxy then sends the node no
 * requests, so nothing else would report the failure.
 */
export function createReadiness({ controlUrl, keyCheckUrl, keys, signal, emit }: ReadinessOptions): Readiness {
  // At the time limit, the connection of a hanging statement is closed. The next check opens another one. Without
  // prepared statements, the check also works behind any pooler.
  const options = { poolSize: 1, preparedStatements: false, statementTimeoutMs: RESPONSE_MS_MAX }
  const database = openControlDatabase(controlUrl, options)
  const checks = keyCheckUrl === null ? null : openControlDatabase(keyCheckUrl, options)
  let emittedAt = Number.NEGATIVE_INFINITY
  const onChecksFailed = (cause: unknown) => {
    if (performance.now() - emittedAt < EVENT_INTERVAL_MS) return
    emittedAt = performance.now()
    emit({ event: 'control.query_failed', requestId: null, cause })
  }
  let running: Promise<string | null> | null = null
  return {
    async whyNotReady() {
      if (signal.aborted) return 'this node is shutting down'
      running ??= problemOf({ database, checks, keys, onChecksFailed }).finally(() => {
        running = null
      })
      const problem = await running
      return signal.aborted ? 'this node is shutting down' : problem
    },
    async close() {
      await Promise.all([database.close(), checks?.close()])
    },
  }
}

interface Checked {
  readonly database: ControlDatabase
  readonly checks: ControlDatabase | null
  readonly keys: EncryptionKeys
  readonly onChecksFailed: (cause: unknown) => void
}

/**
 * Returns why the node can't serve requests; null if it can. `checks` is the server that checks API keys; null if it is
 * `database`. Takes at most `RESPONSE_MS_MAX`.
 */
async function problemOf({ database, checks, keys, onChecksFailed }: Checked): Promise<string | null> {
  // There is nothing to do at the time limit, because `statementTimeoutMs` ends the statement.
  const limited = <T>(running: Promise<T>) => within<T>(RESPONSE_MS_MAX, running, () => undefined)
  const [serving, responding] = await Promise.allSettled([
    limited(whyNotServing(database, keys)),
    checks === null ? null : limited(checks.pool.query(sql`select`)),
  ])
  if (responding.status === 'rejected') {
    onChecksFailed(responding.reason)
    return 'the server of STORE_EXPORT_KEY_CHECK_URL does not respond'
  }
  if (serving.status === 'fulfilled') return serving.value?.message ?? null
  if (checks !== null) return null
  return serving.reason instanceof TimeLimitPassed
    ? 'the control database does not respond'
    : 'the control database cannot be read'
}
