// Sends the requests of bursts, in a separate process. Each connection sends its next request after the response to the
// previous one.

import { handleCalls } from '../lib/child-calls.ts'
import { openRawConnection, type RawConnection, requestBytes } from './raw-client.ts'

/** Address, requests, and connections of a burst. */
export interface BurstStart {
  readonly url: string
  readonly key: string
  readonly paths: readonly string[]
  readonly connections: number
}

/** Result of a burst. */
export interface Burst {
  /** Number of responses, failed ones included. */
  readonly completed: number
  /** Number of responses with another status than 200. */
  readonly failed: number
  /** Time from the first request to the last response, in ms. */
  readonly wallMs: number
}

let requests: readonly Buffer[] = []
let open: readonly RawConnection[] = []

handleCalls({ start, run }, async () => closeAll())

/** Closes the connections of the previous burst, and opens those of the next one. */
async function start({ url, key, paths, connections }: BurstStart): Promise<void> {
  closeAll()
  requests = paths.map((path) => requestBytes(url, path, key))
  open = await Promise.all(Array.from({ length: connections }, () => openRawConnection(url)))
}

/** Sends requests for this time, then waits for the responses to those in flight and counts them too. */
async function run(milliseconds: number): Promise<Burst> {
  const counts = { completed: 0, failed: 0 }
  const startedAt = performance.now()
  const until = startedAt + milliseconds
  let next = 0
  const sendOn = async (connection: RawConnection) => {
    while (performance.now() < until) {
      const request = requests[next++ % requests.length]
      if (request === undefined) throw new Error('not started')
      if ((await connection.send(request)) !== 200) counts.failed++
      counts.completed++
    }
  }
  await Promise.all(open.map(sendOn))
  return { ...counts, wallMs: performance.now() - startedAt }
}

function closeAll(): void {
  for (const connection of open) connection.close()
  open = []
}
