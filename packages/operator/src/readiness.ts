// Whether this process should get requests: its control database answers, and it is not about to end.

import { type ControlDatabase, openControlDatabase } from '@store-export/engine'

/** Tells whether requests may come. */
export interface Readiness {
  /** Why not, in a few words; null when they may. */
  whyNot(): Promise<string | null>
  close(): Promise<void>
}

/** How long the control database may take for its answer. */
const ANSWER_MS_MAX = 1000

/** Readiness with a connection of its own, so that a busy pool is no reason; `signal` is aborted when the end begins. */
export function createReadiness(controlUrl: string, signal: AbortSignal): Readiness {
  let database = open(controlUrl)
  let underWay: Promise<string | null> | null = null
  const ask = async (): Promise<string | null> => {
    const asked = database
    const problem = await firstAnswer(asked)
    if (problem !== null && asked === database) {
      // a statement may hang on a connection that is gone for ever: the next one gets a new one
      database = open(controlUrl)
      void asked.sql.end({ timeout: 0 }).catch(() => undefined)
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

async function firstAnswer({ sql }: ControlDatabase): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('the control database does not answer'), ANSWER_MS_MAX)
  })
  const answer = sql`select from service_secrets limit 1`.then(
    () => null,
    () => 'the control database cannot be read',
  )
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
