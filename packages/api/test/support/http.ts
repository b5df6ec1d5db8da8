// Sends requests that fetch cannot send: any method, repeated headers, and raw bytes on a socket.

import http from 'node:http'
import net from 'node:net'

/** A request that is sent unchanged. */
export interface RawRequest {
  readonly method?: string
  /** Path and query, as they are sent in the request line. */
  readonly path: string
  /** Values by name. Only the header `host` is added. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Buffer
  readonly agent?: http.Agent
}

/** A response as it was sent. A compressed body stays compressed. */
export interface RawResponse {
  readonly status: number
  /** Names are in lower case. The values of a repeated header are joined with commas. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into responses as a client without types does
  readonly json: any
}

/** Sends one request to the service at `url`, on a new connection unless there is an agent. */
export function sendRequest(
  url: string,
  { method = 'GET', path, headers = {}, body, agent }: RawRequest,
): Promise<RawResponse> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const request = http.request({
      hostname,
      port,
      method,
      path,
      headers: headersToSend(headers),
      agent: agent ?? false,
    })
    request.on('error', reject)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => resolve(responseOf(response, Buffer.concat(chunks))))
    })
    request.end(body)
  })
}

/**
 * Writes bytes to a socket. Returns everything that the service sends until it closes the connection; rejects after
 * `timeoutMs`.
 */
export function sendBytes(
  url: string,
  bytes: string | Buffer | readonly (string | Buffer)[],
  timeoutMs = 5000,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTo(url)
    const chunks: Buffer[] = []
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`the service did not close the connection; so far: ${Buffer.concat(chunks).toString('latin1')}`))
    }, timeoutMs)
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(Buffer.concat(chunks).toString('latin1'))
    })
    for (const each of typeof bytes === 'string' || Buffer.isBuffer(bytes) ? [bytes] : bytes) socket.write(each)
  })
}

/** Opens a socket without sending a request. */
export function connectTo(url: string): net.Socket {
  const { hostname, port } = new URL(url)
  return net.connect({ host: hostname, port: Number(port) })
}

/**
 * Parses consecutive responses from the text of a socket. Each response except a 100 needs a `content-length`. Throws
 * if the head of a response is cut off.
 */
export function parseResponses(received: string): RawResponse[] {
  const responses: RawResponse[] = []
  for (let rest = received; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) throw new Error(`no complete response: ${JSON.stringify(rest)}`)
    const [line = '', ...lines] = rest.slice(0, end).split('\r\n')
    const headers = Object.fromEntries(lines.map((each) => headerOf(each)))
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1])
    const length = status === 100 ? 0 : Number(headers['content-length'])
    const body = Buffer.from(rest.slice(end + 4, end + 4 + length), 'latin1')
    const text = body.toString()
    responses.push({ status, headers, body, text, json: parsedJson(text) })
    rest = rest.slice(end + 4 + length)
  }
  return responses
}

function headerOf(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}

function responseOf(response: http.IncomingMessage, body: Buffer): RawResponse {
  const headers: Record<string, string> = {}
  for (let index = 0; index < response.rawHeaders.length; index += 2) {
    const name = response.rawHeaders[index]?.toLowerCase() ?? ''
    const value = response.rawHeaders[index + 1] ?? ''
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  const text = body.toString()
  return { status: response.statusCode ?? 0, headers, body, text, json: parsedJson(text) }
}

function headersToSend(headers: NonNullable<RawRequest['headers']>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  )
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
