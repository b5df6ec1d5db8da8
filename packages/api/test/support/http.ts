// Requests that fetch does not make: any method, any header any number of times, raw bytes on a socket.

import http from 'node:http'
import net from 'node:net'

/** A request to be sent as it stands. */
export interface Asking {
  readonly method?: string
  /** Written into the request line as it is. */
  readonly path: string
  /** Pairs, or flat names and values; nothing is added but `host`. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Buffer
  readonly agent?: http.Agent
}

/** An answer as it came over the wire; a compressed body stays compressed. */
export interface RawAnswer {
  readonly status: number
  /** Names in lower case; a repeated one is joined with commas. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers as a client without types does
  readonly json: any
}

/** Sends one request to the service at `url` on a connection of its own, unless an agent is given. */
export function ask(url: string, { method = 'GET', path, headers = {}, body, agent }: Asking): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, method, path, headers: sent(headers), agent: agent ?? false })
    request.on('error', reject)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => resolve(answerOf(response, Buffer.concat(chunks))))
    })
    request.end(body)
  })
}

/** All that the service says on a socket after `bytes` were written, until it closes it; rejects after `timeoutMs`. */
export function speak(
  url: string,
  bytes: string | Buffer | readonly (string | Buffer)[],
  timeoutMs = 5000,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(url)
    const chunks: Buffer[] = []
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`the connection was not closed; so far: ${Buffer.concat(chunks).toString('latin1')}`))
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

/** An open socket to the service. */
export function connect(url: string): net.Socket {
  const { hostname, port } = new URL(url)
  return net.connect({ host: hostname, port: Number(port) })
}

/** Answers that stand one after another in what a socket said; each has its length. */
export function answersIn(said: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  for (let rest = said; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) throw new Error(`no whole answer: ${JSON.stringify(rest)}`)
    const [line = '', ...lines] = rest.slice(0, end).split('\r\n')
    const headers = Object.fromEntries(lines.map((each) => headerOf(each)))
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1])
    const length = status === 100 ? 0 : Number(headers['content-length'])
    const body = Buffer.from(rest.slice(end + 4, end + 4 + length), 'latin1')
    const text = body.toString()
    answers.push({ status, headers, body, text, json: parsed(text) })
    rest = rest.slice(end + 4 + length)
  }
  return answers
}

function headerOf(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}

function answerOf(response: http.IncomingMessage, body: Buffer): RawAnswer {
  const headers: Record<string, string> = {}
  for (let index = 0; index < response.rawHeaders.length; index += 2) {
    const name = response.rawHeaders[index]?.toLowerCase() ?? ''
    const value = response.rawHeaders[index + 1] ?? ''
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  const text = body.toString()
  return { status: response.statusCode ?? 0, headers, body, text, json: parsed(text) }
}

function sent(headers: NonNullable<Asking['headers']>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
