// Requests one URL repeatedly from a worker thread while another request runs, and measures the slowest response. This
// shows how much a page delays clients of the API.

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** The measurement of one request and of the polls during it. */
export interface Measurement {
  readonly status: number
  readonly bytes: number
  readonly tookMs: number
  readonly longestWaitMs: number
}

export class Pollster {
  readonly #worker: Worker

  constructor(polled: string) {
    this.#worker = new Worker(PROGRAM, { eval: true, workerData: polled })
  }

  /** Requests `url`, and polls until the response is complete. */
  async during(url: string, headers: Record<string, string>): Promise<Measurement> {
    this.#worker.postMessage({ url, headers })
    const [measurement] = await once(this.#worker, 'message')
    return measurement
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }
}

const PROGRAM = `
const { parentPort, workerData: polled } = require('node:worker_threads')
async function sizeOf(response) {
  let bytes = 0
  for await (const chunk of response.body) bytes += chunk.length
  return bytes
}
parentPort.on('message', async ({ url, headers }) => {
  let isDone = false, longest = 0
  const poll = async () => {
    while (!isDone) {
      const at = performance.now()
      await sizeOf(await fetch(polled, { headers: { 'accept-encoding': 'gzip' } }))
      longest = Math.max(longest, performance.now() - at)
    }
  }
  const polling = poll()
  const at = performance.now()
  const response = await fetch(url, { headers: { ...headers, 'accept-encoding': 'identity' } })
  const bytes = await sizeOf(response)
  const tookMs = Math.round(performance.now() - at)
  isDone = true
  await polling
  parentPort.postMessage({ status: response.status, bytes, tookMs, longestWaitMs: Math.round(longest) })
})`
