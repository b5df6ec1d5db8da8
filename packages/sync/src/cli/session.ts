// What a command asks with and tells by: a client, which tells of its pauses and answers, and who says so to a person.

import { type ClientOptions, StoreExportClient } from '@store-export/client'
import { parseExactJson } from '../exact-json.ts'
import { keyOf } from './key.ts'
import { Meter } from './meter.ts'
import { printEvent } from './output.ts'
import { PersonTeller } from './progress.ts'
import type { Surroundings } from './surroundings.ts'
import { paceOf, refusePlainHttp, UsageProblem } from './usage.ts'

/** Words of the command line that say whom to ask, how often, and whom to tell. */
export interface SessionWords {
  readonly url: string
  readonly insecureHttp?: true
  readonly requestsPerMinute?: string
  readonly json?: true
}

/** What a command asks with and tells by. */
export interface Session {
  readonly client: StoreExportClient
  readonly meter: Meter
  readonly teller: PersonTeller
}

/** Milliseconds on a clock that never goes back. */
export function now(): number {
  return performance.now()
}

/** How long a refused connection is retried before the first response, in a command without `--every`, in ms. */
export const REFUSED_FOR_MS = 5000

/** A session for the options of the command line. Throws `UsageProblem`. */
export async function sessionOf(
  words: SessionWords,
  surroundings: Surroundings,
  settings: Pick<ClientOptions, 'retryRefusedForMs'>,
): Promise<Session> {
  const { output } = surroundings
  if (words.insecureHttp !== true) refusePlainHttp(words.url)
  const pace = words.requestsPerMinute === undefined ? {} : { requestsPerMinute: paceOf(words.requestsPerMinute) }
  const key = await keyOf(surroundings)
  const meter = new Meter(now)
  const teller = new PersonTeller({ output, meter, now })
  try {
    const client = new StoreExportClient({
      url: words.url,
      key,
      ...settings,
      ...pace,
      parse: parseExactJson,
      onResponse: (answer) => meter.hear(answer),
      onPause: (pause) => {
        if (words.json) printEvent(output, { event: 'pause', reason: pause.reason, ms: pause.ms })
        else teller.pause(pause)
      },
    })
    return { client, meter, teller }
  } catch (error) {
    throw new UsageProblem(`--${error instanceof Error ? error.message : String(error)}`)
  }
}
