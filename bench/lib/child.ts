// Runs measured code in a separate process, so that its processor time is separate. child-calls.ts handles the calls in
// that process.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { SMALL_ALLOCATOR, SMALL_HEAP } from '../../packages/runtime.js'
import type { CallResult } from './child-calls.ts'

/** The program that serves the API for a benchmark. */
export const SERVICE_PROCESS = new URL('service-process.ts', import.meta.url)

/** A running process. Wait for each call before the next one, because a response doesn't name its call. */
export interface Child {
  readonly processId: number
  /** Resolves to the result of a call. Rejects with the error of the call, or if the process exits. */
  call(name: string, argument: unknown): Promise<unknown>
  /** Disconnects, so that the process closes what it has open, and waits for its exit. */
  close(): Promise<void>
}

/** Starts a program of the benchmark by its URL. Discards its standard output. */
export function startChild(program: URL): Child {
  const child = fork(fileURLToPath(program), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // JSON would turn the secret, a Buffer, into another object.
    serialization: 'advanced',
    // The flags and variables of `npm start` and of the image.
    execArgv: SMALL_HEAP,
    env: { ...process.env, ...SMALL_ALLOCATOR },
  })
  return {
    processId: child.pid ?? 0,
    call: (name, argument) => call(child, name, argument),
    close: async () => {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

function call(child: ChildProcess, name: string, argument: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error(`the process ended before it completed ${name}`))
    child.once('exit', onExit)
    child.once('message', (message) => {
      child.off('exit', onExit)
      const result = message as CallResult
      if (result.error === null) resolve(result.value)
      else reject(new Error(`${name}: ${result.error}`))
    })
    child.send({ name, argument })
  })
}
