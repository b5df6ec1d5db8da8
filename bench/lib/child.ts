// Runs what is measured in a process of its own, so that its processor time is not mixed with the bench's. This file is
// the bench's side of the conversation, and child-calls.ts is the other side.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { SMALL_ALLOCATOR, SMALL_HEAP } from '../../packages/runtime.js'
import type { CallAnswer } from './child-calls.ts'

/** The program that serves the API for a bench. */
export const SERVICE_PROCESS = new URL('service-process.ts', import.meta.url)

/** A running process that answers calls one at a time. */
export interface Child {
  readonly processId: number
  /** What the process answers to a call; rejects with its error, or when it ends. */
  call(name: string, argument: unknown): Promise<unknown>
  close(): Promise<void>
}

/** Starts a program of the bench, given by its URL. Its standard output is dropped. */
export function startChild(program: URL): Child {
  const child = fork(fileURLToPath(program), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
    // as `npm start` and the image start the service
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
    const onExit = () => reject(new Error(`the process ended before it answered ${name}`))
    child.once('exit', onExit)
    child.once('message', (message) => {
      child.off('exit', onExit)
      const answer = message as CallAnswer
      if (answer.error === null) resolve(answer.value)
      else reject(new Error(`${name}: ${answer.error}`))
    })
    child.send({ name, argument })
  })
}
