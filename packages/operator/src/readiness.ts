// Checks whether this node is ready for requests. It is not ready if
//
// - a shutdown has started. The check then says so without a query.
// - its control database does not respond within a second, or can't be read.
// - its secret is wrong: it decrypts fewer than half of the passwords, or most other nodes have a secret that this node
//   does not have (`whyNotServing`). One bad password must not stop every node.
//
// Concurrent requests share one check.

import { type ControlDatabase, type EncryptionKeys, openControlDatabase, whyNotServing } from '@store-export/control'
import { TimeLimitPassed, within } from '@store-export/postgres'

/** Checks readiness on a connection of its own. */
export interface Readiness {
  /** Returns the reason for which the node is not ready, as a phrase for the response; null if it is ready. */
  whyNotReady(): Promise<string | null>
  close(): Promise<void>
}

/** Maximum time in ms for a response of the control database. */
const RESPONSE_MS_MAX = 1000

/** The control database to check, and the secrets of this node. */
export interface ReadinessOptions {
  readonly controlUrl: string
  readonly keys: EncryptionKeys
  /** Aborted when the shutdown starts. */
  readonly signal: AbortSignal
}

/** Returns a check on a separate connection, so that a busy pool doesn't affect it. */
export function createReadiness({ controlUrl, keys, signal }: ReadinessOptions): Readiness {
  // At the time limit, the connection of a hanging statement is closed. The next check opens another one.
  const options = { poolSize: 1, preparedStatements: false, statementTimeoutMs: RESPONSE_MS_MAX }
  const database = openControlDatabase(controlUrl, options)
  let running: Promise<string | null> | null = null
  return {
    async whyNotReady() {
      if (signal.aborted) return 'this node is shutting down'
      running ??= problemOf(database, keys).finally(() => {
        running = null
      })
      const problem = await running
      return signal.aborted ? 'this node is shutting down' : problem
    },
    close: () => database.close(),
  }
}

/** Returns why the control database is not ready; null if it is ready. Takes at most `RESPONSE_MS_MAX`. */
async function problemOf(database: ControlDatabase, keys: EncryptionKeys): Promise<string | null> {
  try {
    const problem = await within(RESPONSE_MS_MAX, whyNotServing(database, keys), () => undefined)
    return problem?.message ?? null
  } catch (error) {
    return error instanceof TimeLimitPassed
      ? 'the control database does not respond'
      : 'the control database cannot be read'
  }
}
