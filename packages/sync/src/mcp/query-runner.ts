// Keeps the MCP server responsive whatever statement an assistant sends. One child process runs one request at a time:
//
// - Starting: the next request waits for the process, at most 10 seconds.
// - Running: a request has 1.5 seconds for its statements. Then the process is killed, and a new one starts at once, so
//   that the next request waits less.
// - Ended: another program, or the process itself, killed it. The current request fails, and the next one starts
//   another process.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { QueryRequest, QueryResponse } from './query-process.ts'

/** Maximum time for the statements of a request, in ms. */
export const QUERY_MS_MAX = 1500
/** Maximum time for the start of the process on a busy computer, in ms. */
const START_MS_MAX = 10_000
/** Maximum number of requests that run or wait. A host can send several at a time. */
const WAITING_MAX = 16
const MODULE = path.join(import.meta.dirname, `query-process${path.extname(import.meta.filename)}`)

/** Thrown if statements were stopped or not started. The message says what to change. */
export class QueryStoppedError extends Error {
  override readonly name = 'QueryStoppedError'
}

interface QueryProcess {
  readonly child: ChildProcess
  /** Resolves when the process accepts requests. */
  readonly ready: Promise<unknown>
}

/** Runs statements in a child process. The process starts with the constructor, and again after it was killed. */
export class QueryRunner {
  #process: QueryProcess = startProcess()
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  /**
   * Runs the statements after all earlier requests. Throws `QueryStoppedError` if 16 requests are running or waiting.
   * Also throws it if the process does not start in time or ends (usually for its use of memory), and at the deadline.
   */
  async run(request: QueryRequest): Promise<QueryResponse> {
    if (this.#waiting >= WAITING_MAX)
      throw new QueryStoppedError(`not started, because ${WAITING_MAX} calls are waiting; send fewer calls at a time`)
    this.#waiting += 1
    const response = this.#last.then(() => this.#respond(request))
    this.#last = response.catch(() => undefined)
    return response.finally(() => {
      this.#waiting -= 1
    })
  }

  /** Kills the process. A later `run` would start another one. */
  close(): void {
    this.#process.child.kill('SIGKILL')
  }

  async #respond(request: QueryRequest): Promise<QueryResponse> {
    if (hasEnded(this.#process.child)) this.#process = startProcess()
    const outcome = await respondOrStop(this.#process, request)
    if (typeof outcome !== 'string') return outcome
    this.#process.child.kill('SIGKILL')
    this.#process = startProcess()
    throw new QueryStoppedError(outcome)
  }
}

const TOO_SLOW = `stopped after ${QUERY_MS_MAX / 1000} seconds; filter by an ID or a time range, use fewer joins, or aggregate less at a time`
const TOO_LARGE =
  'stopped, because it used too much memory; select fewer columns and rows, or add a limit to a sorted result'
const NOT_STARTED = 'not started, because this computer is too busy; try again'

/** Returns the response, or the reason why the process must be killed. */
async function respondOrStop({ child, ready }: QueryProcess, request: QueryRequest): Promise<QueryResponse | string> {
  const settled = new AbortController()
  const { signal } = settled
  const ended = once(child, 'exit', { signal }).then(() => TOO_LARGE)
  try {
    const start = await Promise.race([ready, ended, setTimeout(START_MS_MAX, NOT_STARTED, { signal })])
    if (typeof start === 'string') return start
    const response = once(child, 'message', { signal }).then(([message]) => message as QueryResponse)
    // If the process can't receive the request, `ended` says so.
    child.send(request, () => undefined)
    return await Promise.race([response, ended, setTimeout(QUERY_MS_MAX, TOO_SLOW, { signal })])
  } finally {
    settled.abort()
  }
}

/** Whether the process has ended, for example because another program killed it, or never started. */
function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null
}

function startProcess(): QueryProcess {
  // The process must not write to standard output, which has the messages of the protocol.
  const child = fork(MODULE, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  // The next request throws the error of a process that did not start.
  child.on('error', () => undefined)
  const ready = once(child, 'message')
  ready.catch(() => undefined)
  return { child, ready }
}
