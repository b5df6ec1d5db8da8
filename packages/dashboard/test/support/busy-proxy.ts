// Runs the programs of the recipes behind a proxy that can respond like a busy service.

import { spawn, spawnSync } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly cwd?: string
  /** Kills the program when it is aborted. */
  readonly kill?: AbortSignal
}

/** Runs a program until it exits. Resolves for every exit code. Rejects if the program can't start. */
export function runToEnd(
  [program = '', ...args]: readonly string[],
  { env = {}, input = '', cwd, kill }: RunOptions,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } })
    kill?.addEventListener('abort', () => child.kill('SIGKILL'))
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
    child.stdin.end(input)
  })
}

export interface SeenRequest {
  /** Milliseconds of `performance.now()`. */
  readonly at: number
  readonly path: string
  readonly query: URLSearchParams
  readonly status: number
}

export interface BusyProxy {
  readonly url: string
  readonly seen: SeenRequest[]
  close(): Promise<void>
}

/** An error response of the proxy. Status 0 means no response. */
export interface ProxyError {
  readonly status: number
  readonly code: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Forwards requests to `target`, except those whose index is in `errors`. */
export async function startBusyProxy(target: string, errors: ReadonlyMap<number, ProxyError>): Promise<BusyProxy> {
  const seen: SeenRequest[] = []
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', target)
    const at = performance.now()
    const error = errors.get(seen.length)
    // Added before the first await, so that the order of requests stays the same.
    const index = seen.push({ at, path: url.pathname, query: url.searchParams, status: error?.status ?? 0 }) - 1
    if (error !== undefined) {
      const { status, code, headers } = error
      if (status === 0) return
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(JSON.stringify({ error: { code, message: 'try again' } }))
      return
    }
    const upstream = await fetch(url, { headers: { 'x-api-key': String(request.headers['x-api-key'] ?? '') } })
    seen[index] = { at, path: url.pathname, query: url.searchParams, status: upstream.status }
    const passed = ['x-sync-watermark', 'x-sync-parameter', 'x-store-fields', 'retry-after'].flatMap((name) => {
      const value = upstream.headers.get(name)
      return value === null ? [] : [[name, value]]
    })
    response.writeHead(upstream.status, { 'content-type': 'application/json', ...Object.fromEntries(passed) })
    response.end(Buffer.from(await upstream.arrayBuffer()))
  })
  await listening(server)
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${port}`, seen, close }
}

function listening(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
}
