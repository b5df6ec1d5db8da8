// A way to the real service on which answers can be lost, cut, or replaced: what a network and its proxies do.

import { createServer, request, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'

/** What happens to one request. */
export type Mishap =
  | { readonly kind: 'none' }
  /** An answer in place of the service's. */
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers?: Record<string, string>
      readonly body?: string
    }
  /** The connection is closed before anything is answered. */
  | { readonly kind: 'lost' }
  /** The service's answer, cut in the middle. */
  | { readonly kind: 'cut' }
  /** Nothing at all, for as long as the client waits. */
  | { readonly kind: 'silence' }

/** A running way. */
export interface Way {
  readonly url: string
  /** Paths that were asked for, in order. */
  readonly asked: string[]
}

/** Opens a way to `target`; the mishaps happen to the first requests, one each. It ends with the test. */
export async function openWay(target: string, mishaps: readonly Mishap[] = []): Promise<Way> {
  const asked: string[] = []
  const left = [...mishaps]
  const server = createServer((message, response) => {
    asked.push(message.url ?? '')
    const mishap = left.shift() ?? { kind: 'none' }
    if (mishap.kind === 'lost') return void message.socket.destroy()
    if (mishap.kind === 'silence') return
    if (mishap.kind === 'answer') return void response.writeHead(mishap.status, mishap.headers).end(mishap.body)
    const { host, ...headers } = message.headers
    const forward = request(target + message.url, { method: message.method, headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        const body = Buffer.concat(chunks)
        if (mishap.kind === 'none') response.end(body)
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
  return { url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`, asked }
}

function cut(response: ServerResponse, body: Buffer): void {
  response.write(body.subarray(0, body.length / 2), () => response.destroy())
}
