// Sends requests to the compared servers over connections that stay open. `send` discards a response and counts its
// bytes. `read` parses it as JSON, to compare it with that of another server.

import http from 'node:http'
import type { PeerRequest } from './peers-list.ts'

/** Sends requests to one server over connections that stay open. */
export interface PeerClient {
  /** Returns the number of bytes of the response. Rejects if the connection fails, or if the status is not 200. */
  send(request: PeerRequest): Promise<number>
  /** Returns the parsed response. Rejects like `send`, and if the body is not JSON. */
  read(request: PeerRequest): Promise<unknown>
  /** Closes all connections, which fails requests that still run. */
  close(): void
}

/**
 * Returns a client that sends `key` as `x-api-key`. It opens at most `connections` connections; further requests wait
 * for one.
 */
export function createPeerClient(url: string, key: string, connections: number): PeerClient {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections })
  const start = ({ path, body }: PeerRequest) => {
    const headers = { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
    const request = http.request(`${url}${path}`, { agent, headers, method: body === undefined ? 'GET' : 'POST' })
    request.end(body === undefined ? undefined : JSON.stringify(body))
    return request
  }
  return {
    send: async (request) => {
      let bytes = 0
      await receive(start(request), (chunk) => {
        bytes += chunk.length
      })
      return bytes
    },
    read: async (request) => {
      const chunks: Buffer[] = []
      await receive(start(request), (chunk) => chunks.push(chunk))
      return JSON.parse(Buffer.concat(chunks).toString())
    },
    close: () => agent.destroy(),
  }
}

function receive(request: http.ClientRequest, take: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    request.on('error', reject)
    request.on('response', (response) => {
      response.on('data', take)
      response.on('error', reject)
      response.on('end', () => {
        if (response.statusCode === 200) resolve()
        else reject(new Error(`${response.statusCode} for ${request.path}`))
      })
    })
  })
}
