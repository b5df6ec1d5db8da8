// Loads the script of `/docs` from @scalar/fastify-api-reference. The import takes 0.2 s and 45 MB of memory, so a
// worker thread imports the dependency at the first call and then ends.

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

let loaded: Promise<Buffer> | null = null

/**
 * Returns the script of `/docs`. The first call loads it. Rejects if the worker fails; the next call then tries again.
 */
export function loadPageScript(): Promise<Buffer> {
  loaded ??= load().catch((error: unknown) => {
    loaded = null
    throw error
  })
  return loaded
}

async function load(): Promise<Buffer> {
  const worker = new Worker(new URL('./page-script-worker.ts', import.meta.url))
  try {
    const [script]: unknown[] = await once(worker, 'message')
    if (!(script instanceof Uint8Array)) throw new Error('The docs page’s script did not arrive as bytes')
    return Buffer.from(script.buffer, script.byteOffset, script.byteLength)
  } finally {
    await worker.terminate()
  }
}
