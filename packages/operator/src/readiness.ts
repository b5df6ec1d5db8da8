// Whether this process should get requests: its control database answers, it holds the secret that most passwords of stores
// need, and it is not about to end.

import { type ControlDatabase, openControlDatabase, type SealingKeys, whyNotServing } from '@store-export/control'
import { TimeLimitPassed, within } from '@store-export/postgres'

/** Tells whether requests may come. */
export interface Readiness {
  /** Why not, in a few words; null when they may. */
  whyNotReady(): Promise<string | null>
  close(): Promise<void>
}

/** How long the control database may take for its answer. */
const ANSWER_MS_MAX = 1000

/** Options of the readiness check. */
export interface ReadinessOptions {
  readonly controlUrl: string
  readonly keys: SealingKeys
  /** Aborted when the shutdown begins. */
  readonly signal: AbortSignal
}

/** Readiness, checked on a separate connection, so that a busy pool does not affect it. */
export function createReadiness({ controlUrl, keys, signal }: ReadinessOptions): Readiness {
  // the connection of a statement that hangs closes at the time limit, and the next check opens another one
  const options = { poolSize: 1, preparedStatements: false, statementTimeoutMs: ANSWER_MS_MAX }
  const database = openControlDatabase(controlUrl, options)
  let underWay: Promise<string | null> | null = null
  return {
    async whyNotReady() {
      if (signal.aborted) return 'draining'
      underWay ??= problemOf(database, keys).finally(() => {
        underWay = null
      })
      const problem = await underWay
      return signal.aborted ? 'draining' : problem
    },
    close: () => database.close(),
  }
}

/** Why the control database cannot serve requests; null if it can. Takes at most `ANSWER_MS_MAX`. */
async function problemOf(database: ControlDatabase, keys: SealingKeys): Promise<string | null> {
  try {
    const problem = await within(ANSWER_MS_MAX, whyNotServing(database, keys), () => undefined)
    return problem?.message ?? null
  } catch (error) {
    return error instanceof TimeLimitPassed
      ? 'the control database does not answer'
      : 'the control database cannot be read'
  }
}
