// Starts a proxy in front of the service that drops, truncates, or replaces responses.

import { createServer, request, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'

export type ProxyFailure =
  | { readonly kind: 'none' }
  /** The proxy sends its own response. */
  | {
      readonly kind: 'response'
      readonly status: number
      readonly headers?: Record<string, string>
      readonly body?: string
    }
  /** The proxy closes the connection without a response. */
  | { readonly kind: 'disconnect' }
  /** The proxy sends half of the body. */
  | { readonly kind: 'truncate' }
  /** The proxy does not respond. */
  | { readonly kind: 'hang' }

export interface FaultyProxy {
  readonly url: string
  /** Paths of all requests, in order. */
  readonly requestedPaths: string[]
}

/** Starts a proxy to `target`. The first requests fail as in `failures`, one each. The proxy stops after the test. */
export async function startFaultyProxy(target: string, failures: readonly ProxyFailure[] = []): Promise<FaultyProxy> {
  const requestedPaths: string[] = []
  const pending = [...failures]
  const server = createServer((message, response) => {
    requestedPaths.push(message.url ?? '')
    const failure = pending.shift() ?? { kind: 'none' }
    if (failure.kind === 'disconnect') return void message.socket.destroy()
    if (failure.kind === 'hang') return
    if (failure.kind === 'response') return void response.writeHead(failure.status, failure.headers).end(failure.body)
    const { host, ...headers } = message.headers
    const forward = request(target + message.url, { method: message.method, headers }, (received) => {
      const chunks: Buffer[] = []
      received.on('data', (chunk: Buffer) => chunks.push(chunk))
      received.on('end', () => {
        response.writeHead(received.statusCode ?? 502, received.headers)
        const body = Buffer.concat(chunks)
        if (failure.kind === 'none') response.end(body)
        else cut(response, body)
      })
    })
    forward.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    requestedPaths,
  }
}

function cut(response: ServerResponse, body: Buffer): void {
  response.write(body.subarray(0, body.length / 2), () => response.destroy())
}
