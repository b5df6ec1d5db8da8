// The command as a process that is killed, at a request it sends or some time after that: so kills lie all over a run,
// however fast the machine is. On the way to the service each answer says from when a later run has to ask.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import path from 'node:path'
import { COMPILE_CACHE } from '../../../../test/support/compile-cache.ts'

const COMMAND = path.resolve(import.meta.dirname, '..', '..', 'src', 'main.ts')

/** A run that takes longer hangs, on a loaded machine too. */
export const LONGEST_RUN_MS = 60_000

/** When a process is killed. */
export interface Kill {
  /** Number of the request, 0 for the start of the process. */
  readonly request: number
  /** How long after it. */
  readonly afterMs: number
}

/** How a process has ended. */
export interface CommandEnd {
  readonly isKilled: boolean
  /** null of one that was killed. */
  readonly code: number | null
  readonly said: string
  /** Requests that it sent. */
  readonly requests: number
  /** Time from its last request to its end, and from its start to its first. */
  readonly tailMs: number
  readonly headMs: number
}

/** What is run. */
export interface CommandOptions {
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Runs the command on a way to the service. */
export class CommandOnWay {
  readonly #server: Server
  #requested: () => void = () => undefined

  /** `watermark` is asked for each answer. */
  private constructor(target: string, watermark: () => string) {
    this.#server = createServer((message, response) => {
      this.#requested()
      const { host: _, ...headers } = message.headers
      const forward = request(target + message.url, { method: message.method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, { ...answer.headers, 'x-sync-watermark': watermark() })
        answer.pipe(response)
      })
      forward.on('error', () => response.destroy())
      forward.end()
    })
  }

  /** Opens the way. */
  static async open(target: string, watermark: () => string): Promise<CommandOnWay> {
    const way = new CommandOnWay(target, watermark)
    await new Promise<void>((resolve) => way.#server.listen(0, '127.0.0.1', resolve))
    return way
  }

  /** Runs `store-sync run` to its end, or until it is killed. Throws where it hangs. */
  async run({ words, env }: CommandOptions, kill: Kill | null): Promise<CommandEnd> {
    const address = this.#server.address()
    const port = address !== null && typeof address === 'object' ? address.port : 0
    const startedAt = performance.now()
    const sentAt: number[] = []
    const child = spawn(
      process.execPath,
      [COMMAND, 'run', '--url', `http://127.0.0.1:${port}`, '--allow-empty', ...words],
      {
        env: { ...COMPILE_CACHE, ...env },
        stdio: ['ignore', 'ignore', 'pipe'],
        timeout: LONGEST_RUN_MS,
        killSignal: 'SIGABRT',
      },
    )
    const timers: NodeJS.Timeout[] = []
    const met = () => {
      if (kill?.request === sentAt.length) timers.push(setTimeout(() => child.kill('SIGKILL'), kill.afterMs))
    }
    this.#requested = () => {
      sentAt.push(performance.now())
      met()
    }
    met()
    const said = saidBy(child)
    const [code, signal] = await once(child, 'exit')
    for (const timer of timers) clearTimeout(timer)
    this.#requested = () => undefined
    if (signal === 'SIGABRT') throw new Error(`store-sync run hangs: it said ${await said}`)
    return {
      isKilled: signal === 'SIGKILL',
      code,
      said: await said,
      requests: sentAt.length,
      tailMs: performance.now() - (sentAt.at(-1) ?? startedAt),
      headMs: (sentAt[0] ?? performance.now()) - startedAt,
    }
  }

  /** Closes the way. */
  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

async function saidBy({ stderr }: ChildProcess): Promise<string> {
  let said = ''
  for await (const chunk of stderr ?? []) said += String(chunk)
  return said
}
