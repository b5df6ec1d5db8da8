// Starts a proxy that responds to some requests itself, for the tests of errors.

import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Fault {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

/** Returns the response to a request, or null to forward the request. */
export type FaultOf = (url: string, headers: IncomingHttpHeaders) => Fault | null

/** Calls `work` with the address of a proxy to `target`. */
export async function withFaultProxy<T>(
  target: string,
  faultOf: FaultOf,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const server = createServer((message, response) => {
    const fault = faultOf(message.url ?? '', message.headers)
    if (fault !== null) return void response.writeHead(fault.status, fault.headers).end(fault.body)
    const { host: _, ...headers } = message.headers
    const forward = request(target + message.url, { method: message.method, headers }, (received) => {
      response.writeHead(received.statusCode ?? 500, received.headers)
      received.pipe(response)
    })
    forward.on('error', () => response.destroy())
    forward.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
