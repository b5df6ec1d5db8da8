// Whether this process should get requests: its control database answers, it holds the secret that most passwords of stores
// need, and it is not about to end.

import { type ControlDatabase, openControlDatabase, type SealingKeys, whyNotServing } from '@store-export/control'

/** Tells whether requests may come. */
export interface Readiness {
  /** Why not, in a few words; null when they may. */
  whyNot(): Promise<string | null>
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
  let database = open(controlUrl)
  let underWay: Promise<string | null> | null = null
  const ask = async (): Promise<string | null> => {
    const asked = database
    const problem = await firstAnswer(asked, keys)
    if (isOfConnection(problem) && asked === database) {
      // a statement may hang on a connection that is gone for ever: the next one gets a new one
      database = open(controlUrl)
      void asked.pool.close()
    }
    return problem
  }
  return {
    async whyNot() {
      if (signal.aborted) return 'draining'
      underWay ??= ask().finally(() => {
        underWay = null
      })
      const problem = await underWay
      return signal.aborted ? 'draining' : problem
    },
    close: () => database.close(),
  }
}

function open(controlUrl: string): ControlDatabase {
  return openControlDatabase(controlUrl, { poolSize: 1, preparedStatements: false })
}

const LATE = 'the control database does not answer'
const UNREADABLE = 'the control database cannot be read'

function isOfConnection(problem: string | null): boolean {
  return problem === LATE || problem === UNREADABLE
}

async function firstAnswer(database: ControlDatabase, keys: SealingKeys): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(LATE), ANSWER_MS_MAX)
  })
  const answer = whyNotServing(database, keys).then(
    (problem) => problem?.message ?? null,
    () => UNREADABLE,
  )
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
