// The client of the bursts, in a process of its own: so many connections, on each of which a request follows as soon as
// the one before is answered.

import { answerCalls } from '../lib/child-calls.ts'
import { openRawConnection, type RawConnection, requestBytes } from './raw-client.ts'

/** Whom a burst asks, for what, and on how many connections. */
export interface BurstStart {
  readonly url: string
  readonly key: string
  readonly paths: readonly string[]
  readonly connections: number
}

/** What came of a burst. */
export interface Burst {
  readonly answered: number
  /** Of these, those of another status than 200. */
  readonly failed: number
  /** From the first request to the last answer. */
  readonly wallMs: number
}

let requests: readonly Buffer[] = []
let open: readonly RawConnection[] = []

answerCalls({ start, run }, async () => closeAll())

/** Opens the connections of a burst in place of those of the last one. */
async function start({ url, key, paths, connections }: BurstStart): Promise<void> {
  closeAll()
  requests = paths.map((path) => requestBytes(url, path, key))
  open = await Promise.all(Array.from({ length: connections }, () => openRawConnection(url)))
}

/** Asks for so long; requests that are under way at the end are waited for, and count. */
async function run(milliseconds: number): Promise<Burst> {
  const counts = { answered: 0, failed: 0 }
  const startedAt = performance.now()
  const until = startedAt + milliseconds
  let next = 0
  const askOn = async (connection: RawConnection) => {
    while (performance.now() < until) {
      const request = requests[next++ % requests.length]
      if (request === undefined) throw new Error('not started')
      if ((await connection.ask(request)) !== 200) counts.failed++
      counts.answered++
    }
  }
  await Promise.all(open.map(askOn))
  return { ...counts, wallMs: performance.now() - startedAt }
}

function closeAll(): void {
  for (const connection of open) connection.close()
  open = []
}
