// Whether this node is ready for requests: its control database responds, its secret decrypts most passwords of stores, and
// no shutdown has started.

import { type ControlDatabase, type EncryptionKeys, openControlDatabase, whyNotServing } from '@store-export/control'
import { TimeLimitPassed, within } from '@store-export/postgres'

/** The readiness of this node. */
export interface Readiness {
  /** Why the node is not ready, in a few words; null if it is ready. */
  whyNotReady(): Promise<string | null>
  close(): Promise<void>
}

/** Maximum time for a response of the control database. */
const RESPONSE_MS_MAX = 1000

/** Options of the readiness check. */
export interface ReadinessOptions {
  readonly controlUrl: string
  readonly keys: EncryptionKeys
  /** Aborted at the start of the shutdown. */
  readonly signal: AbortSignal
}

/** Checks the readiness on a separate connection, so that a busy pool does not affect it. */
export function createReadiness({ controlUrl, keys, signal }: ReadinessOptions): Readiness {
  // at the time limit the connection of a hanging statement is closed, and the next check opens another one
  const options = { poolSize: 1, preparedStatements: false, statementTimeoutMs: RESPONSE_MS_MAX }
  const database = openControlDatabase(controlUrl, options)
  let running: Promise<string | null> | null = null
  return {
    async whyNotReady() {
      if (signal.aborted) return 'draining'
      running ??= problemOf(database, keys).finally(() => {
        running = null
      })
      const problem = await running
      return signal.aborted ? 'draining' : problem
    },
    close: () => database.close(),
  }
}

/** Why the control database is not ready; null if it is ready. Takes at most `RESPONSE_MS_MAX`. */
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
