// Sends requests to the API for benchmarks. Discards bodies except for their last bytes, which contain the next cursor.

import http from 'node:http'

/** A response whose body was read to its end and discarded. */
export interface Received {
  readonly status: number
  readonly bytes: number
  /** Cursor of the next page; null if there is none, or if the response is compressed. */
  readonly nextCursor: string | null
}

/** Sends requests with one key over connections that stay open. */
export interface ApiClient {
  /**
   * Requests a path below `/api/v1` with the key and `headers`. Rejects if the connection fails or is closed early.
   * Finds the next cursor only in uncompressed responses.
   */
  request(path: string, headers?: Readonly<Record<string, string>>): Promise<Received>
  /** Requests a path like `request`, but rejects for any status other than 200. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Received>
  close(): void
}

/** Bytes at the end of a body that contain its `meta`, with the whole cursor. */
const TAIL_BYTES = 200

/** Returns a client of the API at `url`. */
export function createApiClient(url: string, key: string): ApiClient {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 })
  const request: ApiClient['request'] = (path, headers = {}) =>
    receive(http.get(`${url}/api/v1${path}`, { agent, headers: { ...headers, 'x-api-key': key } }))
  return {
    request,
    get: async (path, headers) => {
      const received = await request(path, headers)
      if (received.status !== 200) throw new Error(`${received.status} for ${path}`)
      return received
    },
    close: () => agent.destroy(),
  }
}

/** Returns the path of a page of a list. `cursor` is null for the first page. */
export function pagePath(list: string, limit: number, cursor: string | null): string {
  return `/${list}?limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`
}

function receive(request: http.ClientRequest): Promise<Received> {
  return new Promise((resolve, reject) => {
    request.on('error', reject)
    request.on('response', (response) => {
      let bytes = 0
      let tail: Buffer = Buffer.alloc(0)
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        // The tail can be longer than `TAIL_BYTES`. Only its end is searched.
        tail = chunk.length >= TAIL_BYTES ? chunk : Buffer.concat([tail, chunk]).subarray(-TAIL_BYTES)
      })
      response.on('error', reject)
      response.on('end', () => {
        const nextCursor =
          /"next_cursor":"([^"]+)"/.exec(tail.toString('latin1', tail.length - TAIL_BYTES))?.[1] ?? null
        resolve({ status: response.statusCode ?? 0, bytes, nextCursor })
      })
    })
  })
}
