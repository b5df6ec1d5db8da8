// Measures how long a request blocks the service, which runs on this thread. Other requests wait at least this long. It
// is processor time, so other processes on a busy machine don't change it.

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** The result of one request. */
export interface Measurement {
  readonly status: number
  readonly bytes: number
  /** The most processor time in ms between two turns of the event loop. */
  readonly blockedMs: number
}

/** Requests `url` from another thread, and measures until the response is complete. */
export async function measureBlocking(url: string, headers: Record<string, string>): Promise<Measurement> {
  const worker = new Worker(CLIENT, { eval: true, workerData: { url, headers } })
  let blockedMs = 0
  let before = processorTimeMs()
  const timer = setInterval(() => {
    const now = processorTimeMs()
    blockedMs = Math.max(blockedMs, now - before)
    before = now
  }, 1)
  const [{ status, bytes }] = await once(worker, 'message')
  clearInterval(timer)
  await worker.terminate()
  return { status, bytes, blockedMs }
}

/** Returns the processor time of this thread in ms. */
function processorTimeMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const CLIENT = `
const { parentPort, workerData: { url, headers } } = require('node:worker_threads')
fetch(url, { headers: { ...headers, 'accept-encoding': 'identity' } }).then(async (response) => {
  let bytes = 0
  for await (const chunk of response.body) bytes += chunk.length
  parentPort.postMessage({ status: response.status, bytes })
})`
