// Runs the command through a proxy and kills it at one of its requests or some time later. So kills cover a whole run
// on a machine of any speed. The proxy also sets the watermark of each response.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import path from 'node:path'
import { COMPILE_CACHE } from '../../../../test/support/compile-cache.ts'

const COMMAND = path.resolve(import.meta.dirname, '..', '..', 'src', 'main.ts')

/** Timeout of a run in ms, also on a loaded machine. */
export const RUN_MS_MAX = 60_000

export interface Kill {
  /** Number of the request. 0 is the start of the process. */
  readonly request: number
  /** Time after the request. */
  readonly afterMs: number
}

export interface StoreSyncResult {
  readonly isKilled: boolean
  /** Exit code; null if the process was killed. */
  readonly code: number | null
  readonly messages: string
  readonly requests: number
  /** Time from the last request to the end. */
  readonly tailMs: number
  /** Time from the start to the first request. */
  readonly headMs: number
}

export interface CommandOptions {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export class CommandProxy {
  readonly #server: Server
  #requested: () => void = () => undefined

  /** `watermark` returns the watermark of each response. */
  private constructor(target: string, watermark: () => string) {
    this.#server = createServer((message, response) => {
      this.#requested()
      const { host: _, ...headers } = message.headers
      const forward = request(target + message.url, { method: message.method, headers }, (upstream) => {
        response.writeHead(upstream.statusCode ?? 502, { ...upstream.headers, 'x-sync-watermark': watermark() })
        upstream.pipe(response)
      })
      forward.on('error', () => response.destroy())
      forward.end()
    })
  }

  static async open(target: string, watermark: () => string): Promise<CommandProxy> {
    const proxy = new CommandProxy(target, watermark)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  /** Runs `store-sync run` until it exits or is killed. Throws if it runs for more than `RUN_MS_MAX`. */
  async run({ args, env }: CommandOptions, kill: Kill | null): Promise<StoreSyncResult> {
    const address = this.#server.address()
    const port = address !== null && typeof address === 'object' ? address.port : 0
    const startedAt = performance.now()
    const sentAt: number[] = []
    const child = spawn(
      process.execPath,
      [COMMAND, 'run', '--url', `http://127.0.0.1:${port}`, '--allow-empty', ...args],
      {
        env: { ...COMPILE_CACHE, ...env },
        stdio: ['ignore', 'ignore', 'pipe'],
        timeout: RUN_MS_MAX,
        killSignal: 'SIGABRT',
      },
    )
    const timers: NodeJS.Timeout[] = []
    const killIfDue = () => {
      if (kill?.request === sentAt.length) timers.push(setTimeout(() => child.kill('SIGKILL'), kill.afterMs))
    }
    this.#requested = () => {
      sentAt.push(performance.now())
      killIfDue()
    }
    killIfDue()
    const messages = readMessages(child)
    const [code, signal] = await once(child, 'exit')
    for (const timer of timers) clearTimeout(timer)
    this.#requested = () => undefined
    if (signal === 'SIGABRT') throw new Error(`store-sync run hangs. Its messages: ${await messages}`)
    return {
      isKilled: signal === 'SIGKILL',
      code,
      messages: await messages,
      requests: sentAt.length,
      tailMs: performance.now() - (sentAt.at(-1) ?? startedAt),
      headMs: (sentAt[0] ?? performance.now()) - startedAt,
    }
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

async function readMessages({ stderr }: ChildProcess): Promise<string> {
  let messages = ''
  for await (const chunk of stderr ?? []) messages += String(chunk)
  return messages
}
