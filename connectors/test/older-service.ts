// Starts a proxy that behaves like an older service, which does not have a parameter of the current one.

import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Throws if `read` does not fail with a message that names the ignored parameter. */
export async function checkIgnored(target: string, parameter: string, read: (url: string) => Promise<unknown>) {
  const server = createServer((message, response) => {
    const url = new URL(message.url ?? '/', target)
    const ignored = url.searchParams.has(parameter) ? { 'x-ignored-params': parameter } : {}
    url.searchParams.delete(parameter)
    const { host: _, ...headers } = message.headers
    const forward = request(url, { method: message.method, headers }, (received) => {
      response.writeHead(received.statusCode ?? 500, { ...received.headers, ...ignored })
      received.pipe(response)
    })
    forward.on('error', () => response.destroy())
    forward.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const error = await read(`http://127.0.0.1:${(server.address() as AddressInfo).port}`).catch((cause) => cause)
    if (!(error instanceof Error && error.message.includes(`ignored the parameters ${parameter}`)))
      throw new Error(`the connector did not report the ignored parameter ${parameter}`, { cause: error })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
