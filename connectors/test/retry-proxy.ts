// A proxy that rejects the first requests with each status that asks the client to wait.

import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The path whose first requests fail. Each run of a connector requests it once. */
const PATH = '/api/v1/store'
const STATUSES = [409, 502, 429]
const RETRY_AFTER_SECONDS = 2

/** A running proxy. */
interface RetryProxy {
  readonly url: string
  /** Throws if a request came before the time in `Retry-After`, or if a failure is left. */
  check(): void
  stop(): void
}

/** Starts a proxy to `target`. */
async function startRetryProxy(target: string): Promise<RetryProxy> {
  const rejectedAt: number[] = []
  const waits: number[] = []
  const server = createServer((message, response) => {
    const status = message.url?.startsWith(PATH) ? STATUSES[rejectedAt.length] : undefined
    const last = rejectedAt.at(-1)
    if (message.url?.startsWith(PATH) && last !== undefined && waits.length < rejectedAt.length)
      waits.push(performance.now() - last)
    if (status !== undefined) {
      rejectedAt.push(performance.now())
      const body = JSON.stringify({ error: { code: 'TEST', message: 'wait for the seconds in Retry-After' } })
      return void response.writeHead(status, { 'retry-after': String(RETRY_AFTER_SECONDS) }).end(body)
    }
    const { host: _, ...headers } = message.headers
    const forward = request(target + message.url, { method: message.method, headers }, (received) => {
      response.writeHead(received.statusCode ?? 500, received.headers)
      received.pipe(response)
    })
    forward.on('error', () => response.destroy())
    forward.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    check() {
      if (waits.length !== STATUSES.length) throw new Error(`the connector repeated ${waits.length} rejected requests`)
      const early = waits.find((ms) => ms < RETRY_AFTER_SECONDS * 1000)
      if (early !== undefined) throw new Error(`the connector waited ${early} ms, less than Retry-After`)
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Calls `work` with the address of a proxy to `target`, and checks the waits. */
export async function withRetryProxy<T>(target: string, work: (url: string) => Promise<T>): Promise<T> {
  const proxy = await startRetryProxy(target)
  try {
    const result = await work(proxy.url)
    proxy.check()
    return result
  } finally {
    proxy.stop()
  }
}
